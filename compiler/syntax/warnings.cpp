// See warnings.h.
#include "warnings.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;

namespace charcoal::syntax {

static const char *const names[] = {"blocking", "loop-variable", "dangling", "lost-update"};
static_assert(std::size(names) == numberOfWarnings);

void Warnings::set(llvm::StringRef argument) {
  const auto [name, what] = argument.split('=');
  for (size_t i = 0; i < numberOfWarnings; ++i)
    if (name == names[i]) {
      Mode &mode = modes[i];
      if (what == "on" || what == "silent")
        mode.on = what == "on";
      else
        mode.isError = what == "error";
      mode.on |= what == "error";
    }
}

bool Warnings::isOn(const CompilerInstance &compiler, Warning which) const {
  // clang's own options do not reach a plugin's warning by themselves.
  return modes[size_t(which)].on && !compiler.getDiagnostics().getIgnoreAllWarnings();
}

DiagnosticBuilder Warnings::report(CompilerInstance &compiler, SourceLocation place, Warning which,
                                   llvm::StringRef text) const {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const bool isError = modes[size_t(which)].isError.value_or(diagnostics.getWarningsAsErrors());
  const std::string whole =
      (text + (isError ? " [-Werror,-Wcharcoal-" : " [-Wcharcoal-") + names[size_t(which)] + "]").str();
  return diagnostics.Report(place, diagnostics.getDiagnosticIDs()->getCustomDiagID(
                                       isError ? DiagnosticIDs::Error : DiagnosticIDs::Warning, whole));
}

static DiagnosticBuilder plain(CompilerInstance &compiler, SourceLocation place, DiagnosticIDs::Level level,
                               llvm::StringRef text) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  return diagnostics.Report(place, diagnostics.getDiagnosticIDs()->getCustomDiagID(level, text));
}

DiagnosticBuilder note(CompilerInstance &compiler, SourceLocation place, llvm::StringRef text) {
  return plain(compiler, place, DiagnosticIDs::Note, text);
}

DiagnosticBuilder error(CompilerInstance &compiler, SourceLocation place, llvm::StringRef text) {
  return plain(compiler, place, DiagnosticIDs::Error, text);
}

} // namespace charcoal::syntax
