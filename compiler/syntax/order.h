// Walks over statements and expressions in the order in which clang's code evaluates them. A state follows the flow of
// control roughly: each alternative of a condition is walked with the same state, and the resulting states are joined;
// the body of a loop is walked again if the state at its end says more than that at its beginning.
//
// Derived has: State state; static bool join(State &into, const State &other) (whether `into` says more than before);
// bool enter(const Stmt *) (false: do not walk into it; it may have called walkParts itself); void use(const VarDecl *,
// const Expr *place), void call(const CallExpr *, bool inAtomic) after its arguments; and, if it wants to, void
// statement() before each statement of a block.
//
// The walk takes linear time as long as a state can grow only a limited number of times, which Derived sees to: a loop
// is walked once at first, and later only where its state has grown, however deep loops are nested.
#ifndef CHARCOAL_SYNTAX_ORDER_H
#define CHARCOAL_SYNTAX_ORDER_H

#include "checks.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <map>

namespace charcoal::syntax {

template <typename Derived, typename State> class OrderedWalk {
public:
  State state = {};

  void walk(const clang::Stmt *s) {
    onDeepStack([&] {
      if (s && !clang::isa<clang::UnaryExprOrTypeTraitExpr>(s) && self().enter(s))
        walkParts(s);
    });
  }

protected:
  void statement() {}

  void walkParts(const clang::Stmt *s) {
    using namespace clang;
    if (auto *block = dyn_cast<CompoundStmt>(s)) {
      const unsigned outside = atomics;
      for (const Stmt *one : block->body()) {
        const llvm::StringRef marker = calledName(one);
        if (marker == "__charcoal_atomic_enter")
          ++atomics;
        else if (marker == "__charcoal_atomic_leave")
          atomics = outside;
        else {
          self().statement();
          walk(one);
        }
      }
      atomics = outside;
    } else if (auto *branch = dyn_cast<IfStmt>(s)) {
      walk(branch->getInit());
      walk(branch->getCond());
      either(branch->getThen(), branch->getElse());
    } else if (auto *choice = dyn_cast<ConditionalOperator>(s)) {
      walk(choice->getCond());
      either(choice->getTrueExpr(), choice->getFalseExpr());
    } else if (auto *loop = dyn_cast<ForStmt>(s)) {
      walk(loop->getInit());
      turns(loop, {loop->getCond(), loop->getBody(), loop->getInc()});
    } else if (auto *loop = dyn_cast<WhileStmt>(s)) {
      turns(loop, {loop->getCond(), loop->getBody()});
    } else if (auto *loop = dyn_cast<DoStmt>(s)) {
      turns(loop, {loop->getBody(), loop->getCond()});
    } else if (auto *operation = dyn_cast<BinaryOperator>(s); operation && operation->isAssignmentOp()) {
      walk(operation->getRHS());
      walk(operation->getLHS());
    } else if (auto *reference = dyn_cast<DeclRefExpr>(s)) {
      if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
        self().use(variable, reference);
    } else if (auto *literal = dyn_cast<BlockExpr>(s)) {
      for (const BlockDecl::Capture &capture : literal->getBlockDecl()->captures())
        if (!capture.isByRef()) // a copy is made here
          self().use(capture.getVariable(), literal);
    } else {
      anyPart(s, [&](const Stmt *part) {
        walk(part);
        return false;
      });
      if (auto *call = dyn_cast<CallExpr>(s))
        self().call(call, atomics > 0);
    }
  }

private:
  Derived &self() { return static_cast<Derived &>(*this); }

  void either(const clang::Stmt *one, const clang::Stmt *other) {
    State before = state;
    walk(one);
    State after = std::move(state);
    state = std::move(before);
    walk(other);
    Derived::join(state, after);
  }

  void turns(const clang::Stmt *loop, std::initializer_list<const clang::Stmt *> parts) {
    const auto [place, isNew] = loops.try_emplace(loop);
    Loop &known = place->second;
    bool grows = isNew;
    if (isNew)
      known.begin = state;
    else
      grows = Derived::join(known.begin, state);
    while (grows) {
      state = known.begin;
      for (const clang::Stmt *part : parts)
        walk(part);
      known.end = state;
      grows = Derived::join(known.begin, state);
    }
    state = known.end;
  }

  struct Loop {
    State begin = {}, end = {}; // of a turn, on all the ways that have been found
  };
  std::map<const clang::Stmt *, Loop> loops;
  unsigned atomics = 0;
};

} // namespace charcoal::syntax

#endif
