// The warnings about the dialect: their names on the command line, whether each is on, and how it is printed.
#ifndef CHARCOAL_SYNTAX_WARNINGS_H
#define CHARCOAL_SYNTAX_WARNINGS_H

#include "clang/Basic/Diagnostic.h"
#include <array>
#include <optional>

namespace clang {
class CompilerInstance;
}

namespace charcoal::syntax {

enum class Warning { Blocking, LoopVariable, Dangling, LostUpdate };
constexpr size_t numberOfWarnings = 4;

class Warnings {
public:
  // "NAME=on", "NAME=silent", "NAME=error" or "NAME=warning", as the driver hands it on: for -Wcharcoal-NAME,
  // -Wno-charcoal-NAME, -Werror=charcoal-NAME and -Wno-error=charcoal-NAME.
  void set(llvm::StringRef argument);

  bool isOn(const clang::CompilerInstance &, Warning) const;
  // Streams of arguments for %0, %1 ... go to the result. The text may not end in a full stop; the warning's name
  // follows.
  clang::DiagnosticBuilder report(clang::CompilerInstance &, clang::SourceLocation, Warning,
                                  llvm::StringRef text) const;

private:
  struct Mode {
    bool on = true;
    std::optional<bool> isError; // if unset, clang's -Werror decides
  };
  std::array<Mode, numberOfWarnings> modes;
};

clang::DiagnosticBuilder note(clang::CompilerInstance &, clang::SourceLocation, llvm::StringRef text);
clang::DiagnosticBuilder error(clang::CompilerInstance &, clang::SourceLocation, llvm::StringRef text);

} // namespace charcoal::syntax

#endif
