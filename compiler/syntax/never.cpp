// Reports functions declared `ch_never_waits`, and blocks `assert_no_yield`, that wait, as far as this file shows it.
// In such a block, giving way is an error as well.
//
// The check follows calls into functions that are defined in this file. A call that is known to wait is reported at the
// call in the marked code that leads to it, with the chain of calls. Nothing is known of functions in other files and
// of calls through pointers, so functions in other files should be declared `ch_never_waits`, too. Code in `atomic` is
// checked like other code, because a wait there would stop the whole thread. The body of an `activate` is not checked:
// it belongs to another activity.
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
    if (isMarked(function) && findWait(function.getBody()))
      report("'" + function.getName().str() + "' is declared 'ch_never_waits'");
    else if (unit.isDeclared("__charcoal_no_yield"))
      checkBlocks(function.getBody());
  }

private:
  void report(const std::string &why) {
    const CallExpr &first = *chain.back(), &last = *chain.front();
    const std::string does = givesWay(last) ? "gives way" : "may wait";
    if (chain.size() == 1)
      error(unit.compiler, place(first), "'%0' %1, and %2") << called(last) << does << why << first.getSourceRange();
    else
      error(unit.compiler, place(first), "'%0' %1, because it leads to '%2', and %3")
          << called(first) << does << called(last) << why << first.getSourceRange();
    for (size_t i = chain.size() - 1; i-- > 0;)
      note(unit.compiler, place(*chain[i]), "which calls '%0' here") << called(*chain[i]);
    chain.clear();
  }

  static llvm::StringRef called(const CallExpr &call) {
    const llvm::StringRef name = calledName(&call);
    return isWaituntil(name) ? "waituntil" : name == "__charcoal_yield" ? "yield" : name;
  }
  static bool givesWay(const CallExpr &call) {
    const llvm::StringRef name = calledName(&call);
    return name == "__charcoal_yield" || name == "ch_reschedule" || name == "ch_yield_to";
  }
  SourceLocation place(const CallExpr &call) const {
    return calledName(&call).starts_with("__charcoal_") ? unit.written(call.getExprLoc()) : call.getExprLoc();
  }

  // Returns the variable that the front end has put before the statements of an `assert_no_yield` block.
  static const VarDecl *assertion(const Stmt *s) {
    auto *block = dyn_cast<CompoundStmt>(s);
    auto *first = block && !block->body_empty() ? dyn_cast<DeclStmt>(block->body_front()) : nullptr;
    auto *variable = first && first->isSingleDecl() ? dyn_cast<VarDecl>(first->getSingleDecl()) : nullptr;
    return variable && isOurs(*variable) && variable->getName() == "__charcoal_asserted" ? variable : nullptr;
  }

  // One report for each outermost block.
  void checkBlocks(const Stmt *s) {
    if (!s)
      return;
    if (const VarDecl *variable = assertion(s)) {
      seen.clear();
      inBlock = true;
      if (findWait(s)) {
        report("this is inside 'assert_no_yield'");
        note(unit.compiler, unit.written(variable->getLocation()), "the block begins here");
      }
      inBlock = false;
      return;
    }
    if (auto *body = dyn_cast<CapturedStmt>(s))
      return checkBlocks(body->getCapturedStmt());
    for (const Stmt *part : s->children())
      checkBlocks(part);
  }

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
    const bool waits = inBlock && givesWay(*call) ? true
                       : definition               ? seen.insert(definition).second && findWait(definition->getBody())
                                                  : unit.isKnownToWait(*callee);
    if (waits)
      chain.push_back(call);
    return waits;
  }

  Unit &unit;
  bool inBlock = false;
  llvm::SmallVector<const CallExpr *> chain;
  llvm::SmallPtrSet<const FunctionDecl *, 16> seen;
};

} // namespace

void checkNeverWaits(Unit &unit, const FunctionDecl &function) { NeverWaits(unit).check(function); }

} // namespace charcoal::syntax
