// Reports compound literals whose address `activate f(…);` would pass on. The statement copies the values of the
// arguments, but the literal itself is gone at the end of the statement, before the activity begins.
//
// A macro may have written the literal: that of `activate ch_trigger(e, 1);` holds the values of the event.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace charcoal::syntax {

static const CompoundLiteralExpr *addressedBy(const Expr *value);
static const CompoundLiteralExpr *addressedByValue(const Expr *value);

// The literal of which this is the whole or a part.
static const CompoundLiteralExpr *literalAround(const Expr *object) {
  object = object->IgnoreParens();
  if (auto *literal = dyn_cast<CompoundLiteralExpr>(object))
    return literal;
  if (auto *member = dyn_cast<MemberExpr>(object))
    return member->isArrow() ? addressedBy(member->getBase()) : literalAround(member->getBase());
  if (auto *element = dyn_cast<ArraySubscriptExpr>(object))
    return addressedBy(element->getBase());
  auto *pointed = dyn_cast<UnaryOperator>(object);
  return pointed && pointed->getOpcode() == UO_Deref ? addressedBy(pointed->getSubExpr()) : nullptr;
}

static const CompoundLiteralExpr *addressedByEither(const Expr *one, const Expr *other) {
  const CompoundLiteralExpr *found = addressedBy(one);
  return found ? found : addressedBy(other);
}

static const CompoundLiteralExpr *addressedByCast(const CastExpr &cast) {
  if (cast.getCastKind() == CK_ArrayToPointerDecay)
    return literalAround(cast.getSubExpr());
  if (cast.getCastKind() != CK_LValueToRValue)
    return addressedBy(cast.getSubExpr());
  const CompoundLiteralExpr *read = literalAround(cast.getSubExpr());
  return read ? addressedBy(read->getInitializer()) : nullptr;
}

// A literal whose address, or that of a part of it, is in the value.
static const CompoundLiteralExpr *addressedBy(const Expr *value) {
  const CompoundLiteralExpr *found = nullptr;
  onDeepStack([&] { found = addressedByValue(value->IgnoreParens()); });
  return found;
}

static const CompoundLiteralExpr *addressedByValue(const Expr *value) {
  if (auto *cast = dyn_cast<CastExpr>(value))
    return addressedByCast(*cast);
  if (auto *address = dyn_cast<UnaryOperator>(value))
    return address->getOpcode() == UO_AddrOf ? literalAround(address->getSubExpr()) : nullptr;
  if (auto *choice = dyn_cast<ConditionalOperator>(value))
    return addressedByEither(choice->getTrueExpr(), choice->getFalseExpr());
  if (auto *list = dyn_cast<InitListExpr>(value)) {
    for (const Expr *part : list->inits())
      if (const CompoundLiteralExpr *found = addressedBy(part))
        return found;
    return nullptr;
  }
  auto *both = dyn_cast<BinaryOperator>(value);
  if (both && (both->getOpcode() == BO_Comma || both->getOpcode() == BO_Assign))
    return addressedBy(both->getRHS());
  const bool isSum = both && both->isAdditiveOp() && both->getType()->isPointerType();
  return isSum ? addressedByEither(both->getLHS(), both->getRHS()) : nullptr;
}

static void checkCopy(Unit &unit, const VarDecl &copy) {
  const CompoundLiteralExpr *literal = copy.hasInit() ? addressedBy(copy.getInit()) : nullptr;
  if (!literal)
    return;
  error(unit.compiler, unit.ast->getSourceManager().getExpansionLoc(literal->getBeginLoc()),
        "'activate' would copy the address of a compound literal, which is gone when the call begins; write the call "
        "in a block: 'activate (…) { … }'");
}

static void walk(Unit &unit, const Stmt *s) {
  llvm::SmallVector<const VarDecl *> copies; // of the arguments, if a spawn follows
  anyPart(s, [&](const Stmt *part) {
    if (auto *declaration = dyn_cast<DeclStmt>(part)) {
      auto *copy = declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      if (copy && isOurs(*copy))
        copies.push_back(copy);
    }
    if (calledName(part) == "__charcoal_spawn")
      for (const VarDecl *copy : copies)
        checkCopy(unit, *copy);
    walk(unit, part);
    return false;
  });
}

void checkLiterals(Unit &unit, const Decl &declaration) {
  eachBody(declaration, [&](const Body &body) { walk(unit, body.statements); });
}

} // namespace charcoal::syntax
