// Walks over statements and expressions in the order in which clang's code evaluates them. A state follows the flow of
// control roughly: each alternative of a condition is walked with the same state, and the resulting states are joined;
// the body of a loop is walked twice.
//
// Derived has: State state; void join(const State &other); bool enter(const Stmt *) (false: do not walk into it); and
// void use(const DeclRefExpr *), void call(const CallExpr *, bool inAtomic) after its arguments,
// void assign(const BinaryOperator *) after both sides, void declare(const VarDecl *) after the initializer, void
// statement() before each statement of a block.
#ifndef CHARCOAL_SYNTAX_ORDER_H
#define CHARCOAL_SYNTAX_ORDER_H

#include "checks.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace charcoal::syntax {

template <typename Derived> class OrderedWalk {
public:
  void walk(const clang::Stmt *s) {
    using namespace clang;
    if (!s || isa<UnaryExprOrTypeTraitExpr>(s) || !self().enter(s))
      return;
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
      for (unsigned turn = 0; turn < 2; ++turn) {
        walk(loop->getCond());
        walk(loop->getBody());
        walk(loop->getInc());
      }
    } else if (auto *loop = dyn_cast<WhileStmt>(s)) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        walk(loop->getCond());
        walk(loop->getBody());
      }
    } else if (auto *loop = dyn_cast<DoStmt>(s)) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        walk(loop->getBody());
        walk(loop->getCond());
      }
    } else if (auto *captured = dyn_cast<CapturedStmt>(s)) {
      walk(captured->getCapturedStmt());
    } else if (auto *declaration = dyn_cast<DeclStmt>(s)) {
      for (const Decl *one : declaration->decls())
        if (auto *variable = dyn_cast<VarDecl>(one)) {
          walk(variable->getInit());
          self().declare(variable);
        }
    } else if (auto *operation = dyn_cast<BinaryOperator>(s); operation && operation->isAssignmentOp()) {
      walk(operation->getRHS());
      walk(operation->getLHS());
      self().assign(operation);
    } else if (auto *reference = dyn_cast<DeclRefExpr>(s)) {
      self().use(reference);
    } else if (auto *choice = dyn_cast<GenericSelectionExpr>(s)) {
      walk(choice->isResultDependent() ? nullptr : choice->getResultExpr());
    } else {
      for (const Stmt *part : s->children())
        walk(part);
      if (auto *call = dyn_cast<CallExpr>(s))
        self().call(call, atomics > 0);
    }
  }

private:
  Derived &self() { return static_cast<Derived &>(*this); }
  void either(const clang::Stmt *one, const clang::Stmt *other) {
    auto before = self().state;
    walk(one);
    auto after = std::move(self().state);
    self().state = std::move(before);
    walk(other);
    self().join(after);
  }
  unsigned atomics = 0;
};

} // namespace charcoal::syntax

#endif
