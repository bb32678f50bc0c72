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
#include "llvm/ADT/SmallVector.h"
#include <map>

using namespace clang;

namespace charcoal::syntax {

namespace {

class NeverWaits {
public:
  NeverWaits(Unit &unit, llvm::ArrayRef<Body> bodies) : unit(unit), bodies(bodies) {}

  void check(const Body &body) {
    const FunctionDecl *function = body.function();
    if (function && isMarked(*function) && findWait(body.statements, false))
      report("'" + function->getName().str() + "' is declared 'ch_never_waits'");
    else if (unit.isDeclared("__charcoal_no_yield"))
      checkBlocks(body.statements);
  }

private:
  void report(const std::string &why) {
    const CallExpr &first = *chain.back(), &last = *chain.front();
    const std::string does = givesWay(last) ? "gives way" : "may wait";
    if (chain.size() == 1)
      error(unit.compiler, place(first), "'%0' %1, and %2")
          << unit.nameAsWritten(last) << does << why << first.getSourceRange();
    else
      error(unit.compiler, place(first), "'%0' %1, because it leads to '%2', and %3")
          << unit.nameAsWritten(first) << does << unit.nameAsWritten(last) << why << first.getSourceRange();
    for (size_t i = chain.size() - 1; i-- > 0;)
      note(unit.compiler, place(*chain[i]), "which calls '%0' here") << unit.nameAsWritten(*chain[i]);
    chain.clear();
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
    if (const VarDecl *variable = assertion(s)) {
      if (findWait(s, true)) {
        report("this is inside 'assert_no_yield'");
        note(unit.compiler, unit.written(variable->getLocation()), "the block begins here");
      }
      return;
    }
    anyPart(s, [&](const Stmt *part) {
      checkBlocks(part);
      return false;
    });
  }

  bool isMarked(const FunctionDecl &function) const { return unit.neverWaits.contains(function.getCanonicalDecl()); }

  using Calls = llvm::SmallVector<const CallExpr *, 0>;

  // In the order in which they are made. A marked function is checked by itself.
  void collectCalls(const Stmt *s, Calls &calls) const {
    bool isSpawned = false;
    anyPart(s, [&](const Stmt *part) {
      if (!(isSpawned && isa<CapturedStmt>(part)))
        collectCalls(part, calls);
      isSpawned = calledName(part) == "__charcoal_spawn";
      return false;
    });
    auto *call = dyn_cast<CallExpr>(s);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && !isMarked(*callee))
      calls.push_back(call);
  }

  static const FunctionDecl *definition(const CallExpr &call) { return definitionWithBody(*call.getDirectCallee()); }

  // What waits, or in a block gives way as well: the call in each function that does it or leads to it.
  using Waits = llvm::DenseMap<const FunctionDecl *, const CallExpr *>;

  const CallExpr *firstWait(const Calls &calls, const Waits &known, bool inBlock) const {
    const auto first = llvm::find_if(calls, [&](const CallExpr *call) {
      if (inBlock && givesWay(*call))
        return true;
      const FunctionDecl *callee = definition(*call);
      return callee ? known.contains(callee) : unit.isKnownToWait(*call->getDirectCallee());
    });
    return first == calls.end() ? nullptr : *first;
  }

  void findCallers() {
    llvm::SmallVector<const FunctionDecl *> pending;
    for (const Body &body : bodies)
      if (const FunctionDecl *function = body.function())
        pending.push_back(function);
    while (!pending.empty()) {
      const FunctionDecl *function = pending.pop_back_val();
      const auto [own, isNew] = calls.try_emplace(function);
      if (!isNew)
        continue;
      collectCalls(function->getBody(), own->second);
      for (const CallExpr *call : own->second)
        if (const FunctionDecl *callee = definition(*call)) {
          callers[callee].push_back(function);
          pending.push_back(callee);
        }
    }
  }

  // A function follows those that it calls, so a chain from call to call ends.
  const Waits &findWaits(bool inBlock) {
    if (calls.empty())
      findCallers();
    Waits &known = waits[inBlock];
    if (isFound[inBlock])
      return known;
    isFound[inBlock] = true;
    llvm::SmallVector<const FunctionDecl *> pending, found;
    for (const auto &[function, own] : calls)
      pending.push_back(function);
    llvm::sort(pending, [](auto *one, auto *other) { return one->getLocation() < other->getLocation(); });
    for (; !pending.empty(); pending.swap(found), found.clear())
      for (const FunctionDecl *function : pending)
        if (!known.contains(function))
          if (const CallExpr *call = firstWait(calls[function], known, inBlock)) {
            known[function] = call;
            found.append(callers[function]);
          }
    return known;
  }

  // Sets the chain of calls, the one that waits first.
  bool findWait(const Stmt *s, bool inBlock) {
    const Waits &known = findWaits(inBlock);
    Calls own;
    collectCalls(s, own);
    for (const CallExpr *call = firstWait(own, known, inBlock); call;) {
      chain.push_back(call);
      const FunctionDecl *callee = inBlock && givesWay(*call) ? nullptr : definition(*call);
      call = callee ? known.lookup(callee) : nullptr;
    }
    std::reverse(chain.begin(), chain.end());
    return !chain.empty();
  }

  Unit &unit;
  const llvm::ArrayRef<Body> bodies;
  std::map<const FunctionDecl *, Calls> calls; // of each function that can be reached in this file
  llvm::DenseMap<const FunctionDecl *, llvm::SmallVector<const FunctionDecl *, 2>> callers;
  Waits waits[2]; // outside blocks, and in them
  bool isFound[2] = {false, false};
  llvm::SmallVector<const CallExpr *> chain;
};

} // namespace

void checkNeverWaits(Unit &unit, llvm::ArrayRef<Body> bodies) {
  NeverWaits check(unit, bodies);
  for (const Body &body : bodies)
    check.check(body);
}

} // namespace charcoal::syntax
