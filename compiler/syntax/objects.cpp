// Local variables of the library's types that are valid as zeroed memory begin so, as a local rendezvous does
// (forms/rendezvous.cpp):
//
//   channel(int) c;     means     channel(int) c = {0};
//
// Without this such a variable would hold what the stack held before, of which a call could only tell by misbehaving.
// It is done for variables and arrays of these types; members of structures are the program's, as in C, because a
// structure may be large. Handles of activities are set by `activate`, so they are left alone. Whoever writes an
// initializer, or declares an array of variable length, initializes by himself.
#include "checks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace charcoal::syntax {

static llvm::StringRef recordOf(QualType type) {
  const RecordDecl *record = type->getAsRecordDecl();
  return record && record->getIdentifier() ? record->getName() : "";
}

// `channel(T)` and its like are arrays of pointers to a function, whose parameter leads to what they hold.
static llvm::StringRef heldBy(QualType element) {
  auto *function = element->isPointerType() ? element->getPointeeType()->getAs<FunctionProtoType>() : nullptr;
  const bool leads = function && function->getNumParams() == 1 && function->getParamType(0)->isPointerType();
  return leads ? recordOf(function->getParamType(0)->getPointeeType()) : "";
}

static bool isObject(const ASTContext &context, QualType type) {
  static const llvm::StringSet<> records = {"ch_sem",      "ch_mutex",  "ch_rwlock",    "ch_permits",
                                            "ch_latch",    "ch_once",   "ch_cond",      "ch_barrier",
                                            "ch_spinlock", "ch_waiter", "ch_event_lock"};
  static const llvm::StringSet<> held = {"ch_channel", "ch_broadcast", "ch_subscription", "ch_future", "ch_watched"};
  const QualType element = context.getBaseElementType(type);
  return records.contains(recordOf(element)) || (type->isArrayType() && held.contains(heldBy(element)));
}

static void beginEmpty(ASTContext &context, const Stmt &statement) {
  if (auto *declaration = dyn_cast<DeclStmt>(&statement))
    for (Decl *one : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(one);
      if (variable && variable->hasLocalStorage() && !variable->hasInit() &&
          !variable->getType()->isVariablyModifiedType() && isObject(context, variable->getType()))
        variable->setInit(new (context) ImplicitValueInitExpr(variable->getType().getUnqualifiedType()));
    }
  anyPart(&statement, [&](const Stmt *part) { return beginEmpty(context, *part), false; });
}

void beginEmpty(Unit &unit, const Decl &declaration) {
  eachBody(declaration, [&](const Body &body) { beginEmpty(*unit.ast, *body.statements); });
}

} // namespace charcoal::syntax
