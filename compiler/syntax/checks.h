// The checks of the syntax tree that clang has built of a file that uses the dialect.
//
// Each check is a function in a file of its own that looks at one function definition and changes nothing.
#ifndef CHARCOAL_SYNTAX_CHECKS_H
#define CHARCOAL_SYNTAX_CHECKS_H

#include "warnings.h"
#include "clang/AST/ASTConsumer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <memory>

namespace clang {
class CallExpr;
class CapturedStmt;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace charcoal::syntax {

// What the checks know of the translation unit.
class Unit {
public:
  Unit(clang::CompilerInstance &compiler, const Warnings &warnings) : compiler(compiler), warnings(warnings) {}

  bool isDeclared(llvm::StringRef name) const;
  // `ch_may_block`, or CH_MAY_BLOCK of its name.
  bool mayBlock(const clang::FunctionDecl &) const;
  // It is one of those that wait, of the system's or of Charcoal's own.
  bool isWait(llvm::StringRef name) const;
  bool isKnownToWait(const clang::FunctionDecl &) const;
  // The call may set the branch aside to wait for something. Of a function that is defined here, what it calls decides;
  // of the system's, mayBlock(); any other may.
  bool mayWait(const clang::CallExpr &);
  // Another activity may run in the call: it may wait, gives way, or makes many calls.
  bool mayGiveWay(const clang::CallExpr &);
  // Where the user wrote what the front end has replaced.
  clang::SourceLocation written(clang::SourceLocation) const;

  clang::CompilerInstance &compiler;
  const Warnings &warnings;
  clang::ASTContext *ast = nullptr;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> marked;     // declared `ch_may_block`
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> neverWaits; // declared `ch_never_waits`

private:
  enum class Ask { Wait, GiveWay };
  bool may(const clang::CallExpr &, Ask);
  bool bodyMay(const clang::Stmt *, Ask, bool inLoop, const clang::FunctionDecl &);
  llvm::DenseMap<const clang::FunctionDecl *, bool> waits, givesWay;
};

// The name of the function that the statement calls directly, or "".
llvm::StringRef calledName(const clang::Stmt *);
// What a `waituntil` statement waits in.
bool isWaituntil(llvm::StringRef name);
bool isAnnotated(const clang::FunctionDecl &, llvm::StringRef annotation);
// `name` is one that the front end gives to variables of its own.
bool isOurs(const clang::VarDecl &);

void checkBlocking(Unit &, const clang::FunctionDecl &);
void checkCopies(Unit &, const clang::FunctionDecl &);   // an error, to be found before code is generated
void checkLiterals(Unit &, const clang::FunctionDecl &); // as well
void checkNeverWaits(Unit &, const clang::FunctionDecl &);
void checkCaptures(Unit &, const clang::FunctionDecl &);
void checkUpdates(Unit &, llvm::ArrayRef<const clang::FunctionDecl *>); // of the whole file

std::unique_ptr<clang::ASTConsumer> checks(clang::CompilerInstance &, const Warnings &);

} // namespace charcoal::syntax

#endif
