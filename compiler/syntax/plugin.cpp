// The front-end plugin: what clang calls. It installs the watcher, the printer of remarks and the checks of the
// syntax tree, in C only, and what explains clang's messages.
#include "checks.h"
#include "options.h"
#include "typed_macros.h"
#include "watcher.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace {

// Installs the watcher when the first file begins, because clang itself and clangd set watchers of their own before
// that.
class Start : public PPCallbacks {
public:
  explicit Start(CompilerInstance &compiler) : compiler(compiler) {}
  void FileChanged(SourceLocation, FileChangeReason, SrcMgr::CharacteristicKind, FileID) override {
    if (!started)
      charcoal::syntax::Watcher::install(compiler);
    started = true;
  }

private:
  CompilerInstance &compiler;
  bool started = false;
};

void printRemark(CompilerInstance &compiler, llvm::StringRef file, unsigned line, unsigned column,
                 llvm::StringRef text) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const unsigned remark = diagnostics.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Remark, "%0 [-Rcharcoal]");
  SourceLocation place;
  if (line)
    if (auto entry = compiler.getFileManager().getOptionalFileRef(file))
      place = compiler.getSourceManager().translateFileLineCol(*entry, line, column ? column : 1);
  diagnostics.Report(place, remark) << text;
}

charcoal::Language languageOf(const LangOptions &options) {
  if (options.ObjC || options.OpenCL || options.CUDA || options.HLSL)
    return charcoal::Language::Other;
  return options.CPlusPlus ? charcoal::Language::CPlusPlus : charcoal::Language::C;
}

class Action : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
    const LangOptions &language = compiler.getLangOpts();
    const bool isC = !language.CPlusPlus && !language.ObjC && !language.OpenCL;
    charcoal::setLanguage(languageOf(language), language.CXXExceptions);
    if (isC && compiler.hasPreprocessor())
      compiler.getPreprocessor().addPPCallbacks(std::make_unique<Start>(compiler));
    if ((isC || language.CPlusPlus) && compiler.hasPreprocessor())
      charcoal::syntax::explainTypedMacros(compiler);
    charcoal::setRemarkSink([&compiler](llvm::StringRef file, unsigned line, unsigned column, llvm::StringRef text) {
      printRemark(compiler, file, line, column, text);
    });
    return isC ? charcoal::syntax::checks(compiler, warnings) : std::make_unique<ASTConsumer>();
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &arguments) override {
    for (const std::string &argument : arguments)
      warnings.set(argument);
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
  charcoal::syntax::Warnings warnings;
};

} // namespace

static FrontendPluginRegistry::Add<Action> registration("charcoal", "the Charcoal dialect of C");
