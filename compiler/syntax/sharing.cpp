// See sharing.h.
#include "sharing.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace charcoal::syntax {

Sharing::Sharing(Unit &unit, llvm::ArrayRef<Body> bodies) : unit(unit) {
  llvm::SmallVector<const CallExpr *> calls;
  for (const Body &body : bodies)
    collect(body.statements, calls);
  if (hasActivities || hasBranches)
    findParameters(calls);
}

void Sharing::collect(const Stmt *body, llvm::SmallVectorImpl<const CallExpr *> &calls) {
  llvm::SmallVector<std::pair<const Stmt *, bool>> pending = {{body, false}}; // and whether a loop is around it
  while (!pending.empty()) {
    auto [s, inLoop] = pending.pop_back_val();
    if (auto *call = dyn_cast<CallExpr>(s)) {
      const llvm::StringRef name = calledName(call);
      hasActivities |= name == "__charcoal_spawn";
      hasBranches |= name == "__charcoal_async";
      if (call->getDirectCallee())
        calls.push_back(call);
    } else if (auto *captured = dyn_cast<CapturedStmt>(s)) {
      for (const CapturedStmt::Capture &capture : captured->captures())
        if (capture.capturesVariable())
          captures[capture.getCapturedVar()] += inLoop ? 2 : 1;
    }
    inLoop |= isLoop(s);
    anyPart(s, [&, inLoop = inLoop](const Stmt *part) {
      pending.push_back({part, inLoop});
      return false;
    });
  }
}

// Addresses are handed on from function to function.
void Sharing::findParameters(llvm::ArrayRef<const CallExpr *> calls) {
  llvm::DenseMap<Parameter, llvm::SmallVector<Parameter, 2>> handedOn;
  llvm::SmallVector<Parameter> found;
  for (const CallExpr *call : calls) {
    const FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const Root root = rootOf(call->getArg(i), true);
      const Parameter to = {callee->getCanonicalDecl(), i};
      if (root.parameter)
        handedOn[key(*root.parameter)].push_back(to);
      else if (root.isShared)
        found.push_back(to);
    }
  }
  while (!found.empty()) {
    const Parameter parameter = found.pop_back_val();
    if (parameters.insert(parameter).second)
      found.append(handedOn[parameter]);
  }
}

bool Sharing::isShared(const Expr *place) const {
  const Root root = rootOf(place, false);
  return root.parameter ? parameters.contains(key(*root.parameter)) : root.isShared;
}

Sharing::Parameter Sharing::key(const ParmVarDecl &parameter) {
  return {cast<FunctionDecl>(parameter.getDeclContext())->getCanonicalDecl(), parameter.getFunctionScopeIndex()};
}

// Of a place, or of what an address points to.
Sharing::Root Sharing::rootOf(const Expr *e, bool isAddress) const {
  llvm::SmallVector<const VarDecl *, 4> passed; // pointers whose initializers led here
  const auto result = [&](Root root) {
    for (const VarDecl *pointer : passed)
      pointed[pointer] = root;
    return root;
  };
  for (;;) {
    e = e->IgnoreParenCasts();
    auto *operation = dyn_cast<UnaryOperator>(e);
    if (isAddress && operation && operation->getOpcode() == UO_AddrOf) {
      isAddress = false;
      e = operation->getSubExpr();
      continue;
    }
    if (auto *member = isAddress ? nullptr : dyn_cast<MemberExpr>(e)) {
      isAddress = member->isArrow();
      e = member->getBase();
      continue;
    }
    if (auto *element = isAddress ? nullptr : dyn_cast<ArraySubscriptExpr>(e)) {
      if (!element->getIdx()->isIntegerConstantExpr(*unit.ast))
        return result({});
      isAddress = true;
      e = element->getBase();
      continue;
    }
    if (!isAddress && operation && operation->getOpcode() == UO_Deref) {
      isAddress = true;
      e = operation->getSubExpr();
      continue;
    }
    auto *reference = dyn_cast<DeclRefExpr>(e);
    auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable)
      return result({});
    if (!isAddress || variable->getType()->isArrayType())
      return result(rootOfVariable(*variable));
    if (!variable->getType()->isPointerType())
      return result({});
    if (variable->hasGlobalStorage())
      return result({true});
    if (auto *parameter = dyn_cast<ParmVarDecl>(variable))
      return result({false, isa<FunctionDecl>(parameter->getDeclContext()) ? parameter : nullptr});
    const auto [known, isNew] = pointed.try_emplace(variable); // of `T *p = p;` there is no more to find out
    if (!isNew || !variable->getInit())
      return result(known->second);
    passed.push_back(variable);
    e = variable->getInit();
  }
}

Sharing::Root Sharing::rootOfVariable(const VarDecl &variable) const {
  if (isOurs(variable) || variable.getTLSKind() != VarDecl::TLS_None)
    return {};
  if (variable.hasGlobalStorage())
    return {!variable.getType().isConstQualified()};
  const auto found = captures.find(&variable);
  return {found != captures.end() && found->second >= 2};
}

} // namespace charcoal::syntax
