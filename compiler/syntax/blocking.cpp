// See blocking.h.
#include "blocking.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace charcoal::syntax {

namespace {

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &compiler, Blocking mode) : compiler(compiler), mode(mode) {}

  // The annotation is only for us: code generation, whose turn comes next, would make a reference to the function of
  // it. A precompiled header keeps it, for those who use the header.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    if (compiler.getFrontendOpts().ProgramAction == frontend::GeneratePCH)
      return true;
    for (Decl *one : group)
      if (auto *function = dyn_cast<FunctionDecl>(one); function && isMarked(*function, "charcoal.may_block")) {
        marked.insert(function->getCanonicalDecl());
        llvm::erase_if(function->getAttrs(), [](const Attr *attribute) {
          auto *annotation = dyn_cast<AnnotateAttr>(attribute);
          return annotation && annotation->getAnnotation() == "charcoal.may_block";
        });
      }
    return true;
  }

  void HandleTranslationUnit(ASTContext &context) override {
    ast = &context;
    // clang's own options do not reach our warning by themselves.
    if (mode == Blocking::Silent || compiler.getDiagnostics().getIgnoreAllWarnings() ||
        !isDeclared("__charcoal_dialect"))
      return;
    for (Decl *one : context.getTranslationUnitDecl()->noload_decls()) {
      auto *function = dyn_cast<FunctionDecl>(one);
      if (!function || !function->doesThisDeclarationHaveABody() ||
          context.getSourceManager().isInSystemHeader(function->getLocation()))
        continue;
      const Atomic whole{function->getLocation(), function};
      walk(function->getBody(), isMarked(*function, "charcoal.atomic") ? &whole : nullptr);
    }
  }

private:
  // What makes the code at hand atomic.
  struct Atomic {
    SourceLocation place;
    const FunctionDecl *function; // if it is declared so
  };

  static bool isMarked(const FunctionDecl &function, llvm::StringRef annotation) {
    for (const auto *attribute : function.specific_attrs<AnnotateAttr>())
      if (attribute->getAnnotation() == annotation)
        return true;
    return false;
  }

  bool isDeclared(const llvm::Twine &name) {
    llvm::SmallString<64> text;
    auto found = ast->Idents.find(name.toStringRef(text));
    return found != ast->Idents.end() && !ast->getTranslationUnitDecl()->lookup(found->getValue()).empty();
  }

  bool mayBlock(const FunctionDecl &function) {
    if (marked.contains(function.getCanonicalDecl()) || isMarked(function, "charcoal.may_block"))
      return true;
    return function.getIdentifier() && function.isExternallyVisible() &&
           isDeclared("__charcoal_may_block_" + function.getName());
  }

  static llvm::StringRef calledName(const Stmt *statement) {
    auto *call = dyn_cast_or_null<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && callee->getIdentifier() ? callee->getName() : "";
  }

  // Where the user wrote what the front end has replaced.
  SourceLocation written(SourceLocation place) const {
    const SourceManager &sources = ast->getSourceManager();
    return place.isMacroID() ? sources.getImmediateExpansionRange(place).getBegin() : place;
  }

  // The markers among the statements of a block say what the statements behind them are.
  void walkBlock(const CompoundStmt &block, const Atomic *atomic) {
    const Atomic *outside = atomic;
    Atomic own;
    bool isSpawned = false;
    for (const Stmt *statement : block.body()) {
      const llvm::StringRef marker = calledName(statement);
      if (marker == "__charcoal_atomic_enter") {
        own = {written(statement->getBeginLoc()), nullptr};
        atomic = &own;
      } else if (marker == "__charcoal_atomic_leave")
        atomic = outside;
      else if (marker == "__charcoal_spawn")
        isSpawned = true;
      else if (isSpawned && isa<CapturedStmt>(statement)) {
        isSpawned = false;
        walk(statement, nullptr);
      } else
        walk(statement, atomic);
    }
  }

  void walk(const Stmt *statement, const Atomic *atomic) {
    if (!statement || isa<UnaryExprOrTypeTraitExpr>(statement))
      return;
    if (auto *block = dyn_cast<CompoundStmt>(statement))
      return walkBlock(*block, atomic);
    if (auto *captured = dyn_cast<CapturedStmt>(statement))
      return walk(captured->getCapturedStmt(), atomic);
    if (auto *choice = dyn_cast<GenericSelectionExpr>(statement))
      return walk(choice->isResultDependent() ? nullptr : choice->getResultExpr(), atomic);
    if (auto *call = dyn_cast<CallExpr>(statement); call && atomic)
      if (const FunctionDecl *callee = call->getDirectCallee(); callee && mayBlock(*callee))
        warn(*call, *callee, *atomic);
    for (const Stmt *part : statement->children())
      walk(part, atomic);
  }

  void warn(const CallExpr &call, const FunctionDecl &callee, const Atomic &atomic) {
    DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
    DiagnosticIDs &ids = *diagnostics.getDiagnosticIDs();
    const bool isError = mode == Blocking::Error || (mode == Blocking::Default && diagnostics.getWarningsAsErrors());
    const std::string text = "'%0' may block, and would stop the whole thread, for this code is atomic; call it before "
                             "the 'atomic' or behind it";
    diagnostics.Report(call.getExprLoc(),
                       isError ? ids.getCustomDiagID(DiagnosticIDs::Error, text + " [-Werror,-Wcharcoal-blocking]")
                               : ids.getCustomDiagID(DiagnosticIDs::Warning, text + " [-Wcharcoal-blocking]"))
        << callee.getName() << call.getSourceRange();
    if (atomic.function)
      diagnostics.Report(atomic.place, ids.getCustomDiagID(DiagnosticIDs::Note, "'%0' is declared 'atomic'"))
          << atomic.function->getName();
    else
      diagnostics.Report(atomic.place, ids.getCustomDiagID(DiagnosticIDs::Note, "the atomic code begins here"));
  }

  CompilerInstance &compiler;
  const Blocking mode;
  ASTContext *ast = nullptr;
  llvm::SmallPtrSet<const FunctionDecl *, 16> marked;
};

} // namespace

std::unique_ptr<ASTConsumer> blockingWarnings(CompilerInstance &compiler, Blocking mode) {
  return std::make_unique<Consumer>(compiler, mode);
}

} // namespace charcoal::syntax
