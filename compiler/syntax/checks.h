// The checks of the syntax tree that clang has built of a file that uses the dialect.
//
// Each check is a function in a file of its own that looks at bodies and changes nothing. Three functions are no
// checks, and change definitions before code is made of them: `beginEmpty`, `copyResults` and `leaveAlone`. Each takes
// linear time, and no statement is too deep for it.
#ifndef CHARCOAL_SYNTAX_CHECKS_H
#define CHARCOAL_SYNTAX_CHECKS_H

#include "warnings.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <memory>
#include <string>

namespace clang {
class CallExpr;
class CapturedStmt;
class Decl;
class DeclContext;
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
  // Whether the function is declared `ch_may_block`, or CH_MAY_BLOCK is used for its name.
  bool mayBlock(const clang::FunctionDecl &) const;
  // Whether it is a function of the system's or of Charcoal's own that may wait.
  bool isWait(llvm::StringRef name) const;
  bool isKnownToWait(const clang::FunctionDecl &) const;
  // Whether the call may set the branch aside to wait for something. For a function that is defined in this file, what
  // it calls decides; for one of the system's, mayBlock() does; any other may.
  bool mayWait(const clang::CallExpr &);
  // Whether another activity may run during the call, because it may wait, gives way, or makes many calls.
  bool mayGiveWay(const clang::CallExpr &);
  // The name under which the text makes the call, for messages: `ch_recv`, which is a macro, or `waituntil`.
  std::string nameAsWritten(const clang::CallExpr &) const;
  // The place where the user wrote what the front end has replaced.
  clang::SourceLocation written(clang::SourceLocation) const;

  clang::CompilerInstance &compiler;
  const Warnings &warnings;
  clang::ASTContext *ast = nullptr;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> marked;     // declared `ch_may_block`
  llvm::SmallPtrSet<const clang::FunctionDecl *, 16> neverWaits; // declared `ch_never_waits`

private:
  enum class Ask { Wait, GiveWay };
  bool may(const clang::CallExpr &, Ask);
  bool bodyMay(const clang::Stmt *, Ask, bool inLoop);
  llvm::DenseMap<const clang::FunctionDecl *, bool> waits, givesWay;
};

// Takes one step of a recursion, on a new stack where the current one is nearly used up. Clang's own recursions do the
// same, so a check looks through every file that clang compiles.
void onDeepStack(llvm::function_ref<void()> step);
// Whether the test says so of one of the parts of which the statement consists, in the order of the text, up to this
// one. What is never evaluated does not count; the body of a captured statement does. Safe in deep recursions.
bool anyPart(const clang::Stmt *, llvm::function_ref<bool(const clang::Stmt *)> test);
// The body of a function that is defined, or of a block literal (`^{ … }`). A literal is called elsewhere, so it is no
// part of the statement around it.
struct Body {
  const clang::Stmt *statements;
  const clang::DeclContext *of; // the function, or the declaration that the literal stands for
  clang::QualType returned;
  const clang::FunctionDecl *function() const; // null for a literal
  bool isMain() const;
};
// Visits the body of a function, and those of the block literals in a function or in a variable's initializer.
void eachBody(const clang::Decl &, llvm::function_ref<void(const Body &)>);
bool isLoop(const clang::Stmt *);

// The name of the function that the statement calls directly, or "".
llvm::StringRef calledName(const clang::Stmt *);
// Whether this is the function in which a `waituntil` statement waits.
bool isWaituntil(llvm::StringRef name);
bool isAnnotated(const clang::FunctionDecl &, llvm::StringRef annotation);
// The definition of the function whose body can be looked at, or null. An editor's clangd does not read the bodies of
// functions in headers.
const clang::FunctionDecl *definitionWithBody(const clang::FunctionDecl &);
// Whether the front end gives such a name to variables of its own.
bool isOurs(const clang::VarDecl &);

void checkBlocking(Unit &, const Body &);
// These five give errors, so they run before code is generated. checkFilters concerns plain C as well.
void checkFilters(Unit &, const clang::Decl &);
void checkCopies(Unit &, const clang::Decl &);
void checkLiterals(Unit &, const clang::Decl &);
void checkEventCalls(Unit &, const clang::Decl &);
void checkVectorCalls(Unit &, const clang::FunctionDecl &);
void beginEmpty(Unit &, const clang::Decl &);         // initializes local variables (objects.cpp)
void copyResults(Unit &, const clang::Decl &);        // at each `return` (results.cpp)
void leaveAlone(Unit &, const clang::FunctionDecl &); // of sanitizers, blocks (unsanitized.cpp)
void checkNeverWaits(Unit &, llvm::ArrayRef<Body>);   // of the whole file
void checkCaptures(Unit &, const Body &);
void checkUpdates(Unit &, llvm::ArrayRef<Body>); // likewise

std::unique_ptr<clang::ASTConsumer> checks(clang::CompilerInstance &, const Warnings &);

} // namespace charcoal::syntax

#endif
