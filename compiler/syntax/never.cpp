// `ch_never_waits` on a function's declaration: that it waits is an error, as far as the file shows it.
//
// Looked at are the function's calls, and those of functions that are defined in this file, outwards from it; a call
// that is known to wait is reported where the marked function makes the first step towards it, with the chain. Of
// functions in other files, and of calls through pointers, nothing is known; mark the former as well. Code in `atomic`
// is looked at, too: there it would stop the whole thread. The body of an `activate` is another activity's.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace charcoal::syntax {

namespace {

class NeverWaits {
public:
  explicit NeverWaits(Unit &unit) : unit(unit) {}

  void check(const FunctionDecl &function) {
    if (!isMarked(function) || !findWait(function.getBody()))
      return;
    const CallExpr &first = *chain.back(), &last = *chain.front();
    const llvm::StringRef waits = calledName(&last);
    if (chain.size() == 1)
      error(unit.compiler, first.getExprLoc(), "'%0' may wait, and '%1' is declared 'ch_never_waits'")
          << waits << function.getName() << first.getSourceRange();
    else
      error(unit.compiler, first.getExprLoc(),
            "'%0' may wait, because it leads to '%1', and '%2' is declared 'ch_never_waits'")
          << calledName(&first) << waits << function.getName() << first.getSourceRange();
    for (size_t i = chain.size() - 1; i-- > 0;)
      note(unit.compiler, chain[i]->getExprLoc(), "which calls '%0' here") << calledName(chain[i]);
  }

private:
  bool isMarked(const FunctionDecl &function) const { return unit.neverWaits.contains(function.getCanonicalDecl()); }

  // Sets the chain of calls, the one that waits first.
  bool findWait(const Stmt *s) {
    if (!s || isa<UnaryExprOrTypeTraitExpr>(s))
      return false;
    if (auto *block = dyn_cast<CompoundStmt>(s)) {
      bool isSpawned = false;
      for (const Stmt *one : block->body()) {
        if (!(isSpawned && isa<CapturedStmt>(one)) && findWait(one))
          return true;
        isSpawned = calledName(one) == "__charcoal_spawn";
      }
      return false;
    }
    if (auto *body = dyn_cast<CapturedStmt>(s))
      return findWait(body->getCapturedStmt());
    for (const Stmt *part : s->children())
      if (findWait(part))
        return true;
    auto *call = dyn_cast<CallExpr>(s);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || isMarked(*callee))
      return false; // a marked one is checked by itself
    const FunctionDecl *definition = callee->getDefinition();
    const bool waits =
        definition ? seen.insert(definition).second && findWait(definition->getBody()) : unit.isKnownToWait(*callee);
    if (waits)
      chain.push_back(call);
    return waits;
  }

  Unit &unit;
  llvm::SmallVector<const CallExpr *> chain;
  llvm::SmallPtrSet<const FunctionDecl *, 16> seen;
};

} // namespace

void checkNeverWaits(Unit &unit, const FunctionDecl &function) { NeverWaits(unit).check(function); }

} // namespace charcoal::syntax
