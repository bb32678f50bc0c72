// Reports `#pragma omp masked filter(x)` where x is no integer. clang accepts each type, and passes the value on as if
// it were one: the program would ask for any thread, and the module is invalid.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace charcoal::syntax {

static void walk(Unit &unit, const Stmt *s) {
  if (auto *directive = dyn_cast<OMPExecutableDirective>(s))
    for (const OMPFilterClause *filter : directive->getClausesOfKind<OMPFilterClause>())
      if (const Expr *thread = filter->getThreadID(); thread && !thread->getType()->isIntegralOrEnumerationType())
        error(unit.compiler, thread->getExprLoc(), "'filter' takes the number of a thread, an integer, and not a '%0'")
            << thread->getType().getAsString();
  anyPart(s, [&](const Stmt *part) { return walk(unit, part), false; });
}

void checkFilters(Unit &unit, const Decl &declaration) {
  if (unit.ast->getLangOpts().OpenMP)
    eachBody(declaration, [&](const Body &body) { walk(unit, body.statements); });
}

} // namespace charcoal::syntax
