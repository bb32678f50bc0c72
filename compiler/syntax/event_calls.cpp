// Reports calls of an event, as if it were the callback that it often stands for: `done(3);`. The type of an event is
// that of a pointer to a function, so that the compiler checks the values of ch_trigger (charcoal/events.h); nothing
// lies there that could be called.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace charcoal::syntax {

static bool isEvent(QualType called) {
  const QualType function = called->isPointerType() ? called->getPointeeType() : QualType();
  auto *prototype = function.isNull() ? nullptr : function->getAs<FunctionProtoType>();
  if (!prototype || !prototype->getReturnType()->isPointerType())
    return false;
  const RecordDecl *tag = prototype->getReturnType()->getPointeeType()->getAsRecordDecl();
  return tag && tag->getIdentifier() && tag->getName() == "ch_event_tag";
}

static void walk(Unit &unit, const Stmt *s) {
  auto *call = dyn_cast<CallExpr>(s);
  if (call && !call->getDirectCallee() && isEvent(call->getCallee()->getType()))
    error(unit.compiler, unit.ast->getSourceManager().getExpansionLoc(call->getExprLoc()),
          "an event is no function; write 'ch_trigger(event, value…)'");
  anyPart(s, [&](const Stmt *part) { return walk(unit, part), false; });
}

void checkEventCalls(Unit &unit, const Decl &declaration) {
  eachBody(declaration, [&](const Body &body) { walk(unit, body.statements); });
}

} // namespace charcoal::syntax
