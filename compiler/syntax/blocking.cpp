// -Wcharcoal-blocking: warns where atomic code directly calls a function that is known to block.
//
// A function is known to block if it is declared `ch_may_block`, or if it has external linkage and charcoal/blocking.h
// declares __charcoal_may_block_NAME for its name. Code is atomic if it stands in a function that is declared `atomic`
// or in an `atomic` statement; the bodies of `async` inside belong to it, and those of `activate` and of block literals
// do not.
//
// The check runs only in translation units in which the dialect is on and something is atomic.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace charcoal::syntax {

namespace {

class Blocking {
public:
  explicit Blocking(Unit &unit) : unit(unit) {}

  void check(const Body &body) {
    const FunctionDecl *function = body.function();
    const bool isAtomic = function && isAnnotated(*function, "charcoal.atomic");
    const Atomic whole{isAtomic ? function->getLocation() : SourceLocation(), function};
    walk(body.statements, isAtomic ? &whole : nullptr);
  }

private:
  // What makes the current code atomic.
  struct Atomic {
    SourceLocation place;
    const FunctionDecl *function; // if it is declared `atomic`
  };

  // A block's statements are atomic from a marker that begins an atomic region to the one that ends it.
  void walkBlock(const CompoundStmt &block, const Atomic *atomic) {
    const Atomic *outside = atomic;
    Atomic own;
    bool isSpawned = false;
    for (const Stmt *statement : block.body()) {
      const llvm::StringRef marker = calledName(statement);
      if (marker == "__charcoal_atomic_enter") {
        own = {unit.written(statement->getBeginLoc()), nullptr};
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
    if (auto *block = dyn_cast<CompoundStmt>(statement))
      return walkBlock(*block, atomic);
    if (auto *call = dyn_cast<CallExpr>(statement); call && atomic)
      if (const FunctionDecl *callee = call->getDirectCallee(); callee && unit.mayBlock(*callee))
        warn(*call, *callee, *atomic);
    anyPart(statement, [&](const Stmt *part) {
      walk(part, atomic);
      return false;
    });
  }

  void warn(const CallExpr &call, const FunctionDecl &callee, const Atomic &atomic) {
    unit.warnings.report(unit.compiler, call.getExprLoc(), Warning::Blocking,
                         "'%0' may block, and would stop the whole thread, for this code is atomic; call it before "
                         "the 'atomic' or after it")
        << callee.getName() << call.getSourceRange();
    if (atomic.function)
      note(unit.compiler, atomic.place, "'%0' is declared 'atomic'") << atomic.function->getName();
    else
      note(unit.compiler, atomic.place, "the atomic code begins here");
  }

  Unit &unit;
};

} // namespace

void checkBlocking(Unit &unit, const Body &body) { Blocking(unit).check(body); }

} // namespace charcoal::syntax
