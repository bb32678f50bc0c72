// The blocks of a function that sanitizers are to leave alone (`__attribute__((no_sanitize("undefined")))`) are left
// alone as well. clang puts UndefinedBehaviorSanitizer's checks into a function while it makes its code, and looks at
// the attributes of a captured block alone, of which the text cannot give it any.
//
// Attributes that are no more than attributes of LLVM's functions are taken over later
// (passes/outline_attributes.cpp).
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace charcoal::syntax {

static void leaveAlone(ASTContext &context, const FunctionDecl &function, const Stmt &statement) {
  if (auto *captured = dyn_cast<CapturedStmt>(&statement))
    for (const NoSanitizeAttr *attribute : function.specific_attrs<NoSanitizeAttr>())
      const_cast<CapturedDecl *>(captured->getCapturedDecl())->addAttr(attribute->clone(context));
  anyPart(&statement, [&](const Stmt *part) { return leaveAlone(context, function, *part), false; });
}

void leaveAlone(Unit &unit, const FunctionDecl &function) {
  if (function.hasAttr<NoSanitizeAttr>())
    eachBody(function, [&](const Body &body) { leaveAlone(*unit.ast, function, *body.statements); });
}

} // namespace charcoal::syntax
