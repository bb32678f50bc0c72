// The adapter between clang's preprocessor and translate().
//
// clang shows a watcher each token that it passes to the parser. At the first token of an external declaration, this
// watcher reads on to the declaration's end, translates it, and gives the tokens back to the preprocessor, which passes
// them to the parser as if they had been written so. So pragmas between declarations act where they stand, and the
// parser and all later parts of clang are unchanged.
#ifndef CHARCOAL_SYNTAX_WATCHER_H
#define CHARCOAL_SYNTAX_WATCHER_H

#include "dialect.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace clang {
class CompilerInstance;
class IdentifierInfo;
} // namespace clang

namespace charcoal::syntax {

class Watcher {
public:
  // Puts a watcher in front of the one that `compiler`'s preprocessor may have already (coverage has one).
  static void install(clang::CompilerInstance &compiler);

  Watcher(clang::CompilerInstance &compiler, llvm::unique_function<void(const clang::Token &)> previous);
  void operator()(const clang::Token &);

private:
  bool isDialectOn(const clang::Token &);
  bool concernsDialect(const clang::IdentifierInfo *);
  bool collect(const clang::Token &first, llvm::SmallVectorImpl<clang::Token> &declaration);
  std::vector<clang::SourceLocation> closeBraces(llvm::SmallVectorImpl<clang::Token> &declaration);
  std::vector<clang::Token> render(llvm::ArrayRef<clang::Token>, const Translation &);
  std::string site(clang::SourceLocation) const;
  void report(llvm::ArrayRef<clang::Token>, const std::vector<Problem> &);

  clang::CompilerInstance &compiler;
  llvm::unique_function<void(const clang::Token &)> previous;
  const clang::IdentifierInfo *marker; // the name whose declaration in charcoal/dialect.h turns the dialect on
  bool on = false;
  bool checkedMacro = false;
  bool collecting = false;
  llvm::DenseMap<const clang::IdentifierInfo *, bool> words; // the answers that concernsDialect has given
  unsigned nextUid = 0;
};

} // namespace charcoal::syntax

#endif
