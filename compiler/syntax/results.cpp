// A result is computed before the function waits for its branches, and does not change any more:
//
//   do { async { sleep(1); all.n++; } return all; } finish;     returns what `all` holds at the `return`
//
// clang would make a local that every `return` names the result's own memory, and copy nothing. So it does not do that
// in functions with blocks, which may change the local until the scope is left.
#include "checks.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace charcoal::syntax {

static void copyResults(const Stmt &statement) {
  if (auto *declaration = dyn_cast<DeclStmt>(&statement))
    for (Decl *one : declaration->decls())
      if (auto *variable = dyn_cast<VarDecl>(one); variable && variable->isNRVOVariable())
        variable->setNRVOVariable(false);
  anyPart(&statement, [&](const Stmt *part) { return copyResults(*part), false; });
}

static bool hasBlock(const Stmt *statement) { return isa<CapturedStmt>(statement) || anyPart(statement, hasBlock); }

void copyResults(Unit &, const Decl &declaration) {
  eachBody(declaration, [](const Body &body) {
    if (body.returned->isRecordType() && hasBlock(body.statements))
      copyResults(*body.statements);
  });
}

} // namespace charcoal::syntax
