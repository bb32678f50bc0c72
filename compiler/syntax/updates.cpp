// -Wcharcoal-lost-update warns where shared data is read, a call follows in which other activities may run, and then
// the value is changed and written back. Values that the others have written meanwhile are lost:
//
//   v = *p; may_wait(p); *p = v + 1;          x = x + may_wait(p);
//
// Shared data is: variables of the file scope and static variables; memory that pointers to these point to, also
// parameters if some call in this file passes such an address; and variables that several bodies of `activate` or
// `async` use by reference. An element of an array counts only if its index is a constant, because each activity may
// have an element of its own. There is no warning about code that holds a lock (as far as the names of functions tell),
// that has read the data again in between, or that stands in `assert_no_yield`, where it would be an error that others
// run; and none in a file that starts no activities or branches.
#include "order.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/FoldingSet.h"
#include <set>

using namespace clang;

namespace charcoal::syntax {

namespace {

bool contains(const Stmt *whole, llvm::function_ref<bool(const Stmt *)> test) {
  if (!whole)
    return false;
  return test(whole) || llvm::any_of(whole->children(), [&](const Stmt *part) { return contains(part, test); });
}

bool mentions(const Stmt *whole, const VarDecl *variable) {
  return contains(whole, [&](const Stmt *s) {
    auto *reference = dyn_cast<DeclRefExpr>(s);
    return reference && reference->getDecl() == variable;
  });
}

// `assert_no_yield { … }`: the front end has put a variable in front of its statements.
bool isAssertion(const Stmt *s) {
  auto *block = dyn_cast<CompoundStmt>(s);
  auto *first = block && !block->body_empty() ? dyn_cast<DeclStmt>(block->body_front()) : nullptr;
  auto *variable = first && first->isSingleDecl() ? dyn_cast<NamedDecl>(first->getSingleDecl()) : nullptr;
  return variable && variable->getName() == "__charcoal_asserted";
}

// What is shared, found by one walk over the whole file.
class Sharing : public RecursiveASTVisitor<Sharing> {
public:
  Sharing(Unit &unit) : unit(unit) {}
  bool hasActivities = false, hasBranches = false;

  void begin() { captures.clear(); }

  bool VisitCallExpr(CallExpr *call) {
    const llvm::StringRef name = calledName(call);
    hasActivities |= name == "__charcoal_spawn";
    hasBranches |= name == "__charcoal_async";
    if (const FunctionDecl *callee = call->getDirectCallee())
      for (unsigned i = 0; i < call->getNumArgs() && i < callee->getNumParams(); ++i)
        if (isAddressOfShared(call->getArg(i)))
          parameters.insert({callee->getCanonicalDecl(), i});
    return true;
  }
  bool VisitCapturedStmt(CapturedStmt *body) {
    for (const CapturedStmt::Capture &capture : body->captures())
      if (capture.capturesVariable())
        captures[capture.getCapturedVar()] += loops ? 2 : 1;
    return true;
  }
  bool TraverseForStmt(ForStmt *s) {
    return inLoop([&] { return RecursiveASTVisitor::TraverseForStmt(s); });
  }
  bool TraverseWhileStmt(WhileStmt *s) {
    return inLoop([&] { return RecursiveASTVisitor::TraverseWhileStmt(s); });
  }
  bool TraverseDoStmt(DoStmt *s) {
    return inLoop([&] { return RecursiveASTVisitor::TraverseDoStmt(s); });
  }

  bool isShared(const Expr *place) const {
    for (;;) {
      place = place->IgnoreParenCasts();
      if (auto *member = dyn_cast<MemberExpr>(place)) {
        if (member->isArrow())
          return isAddressOfShared(member->getBase());
        place = member->getBase();
      } else if (auto *element = dyn_cast<ArraySubscriptExpr>(place)) {
        if (!element->getIdx()->isIntegerConstantExpr(*unit.ast))
          return false;
        return isAddressOfShared(element->getBase());
      } else if (auto *pointee = dyn_cast<UnaryOperator>(place); pointee && pointee->getOpcode() == UO_Deref)
        return isAddressOfShared(pointee->getSubExpr());
      else
        break;
    }
    auto *reference = dyn_cast<DeclRefExpr>(place);
    auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || isOurs(*variable) || variable->getTLSKind() != VarDecl::TLS_None)
      return false;
    if (variable->hasGlobalStorage())
      return !variable->getType().isConstQualified();
    const auto found = captures.find(variable);
    return found != captures.end() && found->second >= 2;
  }

private:
  bool inLoop(llvm::function_ref<bool()> body) {
    ++loops;
    const bool result = body();
    --loops;
    return result;
  }

  bool isAddressOfShared(const Expr *pointer) const {
    pointer = pointer->IgnoreParenCasts();
    if (auto *address = dyn_cast<UnaryOperator>(pointer); address && address->getOpcode() == UO_AddrOf)
      return isShared(address->getSubExpr());
    auto *reference = dyn_cast<DeclRefExpr>(pointer);
    auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable)
      return false;
    if (variable->getType()->isArrayType())
      return isShared(reference);
    if (!variable->getType()->isPointerType())
      return false;
    if (variable->hasGlobalStorage())
      return true;
    if (auto *parameter = dyn_cast<ParmVarDecl>(variable))
      if (auto *function = dyn_cast<FunctionDecl>(parameter->getDeclContext()))
        return parameters.count({function->getCanonicalDecl(), parameter->getFunctionScopeIndex()}) != 0;
    return variable->getInit() && !mentions(variable->getInit(), variable) && isAddressOfShared(variable->getInit());
  }

  Unit &unit;
  unsigned loops = 0;
  std::set<std::pair<const FunctionDecl *, unsigned>> parameters; // that are given addresses of shared data
  llvm::DenseMap<const VarDecl *, unsigned> captures;             // the number of bodies that use it; one in a loop
                                                                  // counts twice
};

struct Read {
  const Expr *place;
  llvm::FoldingSetNodeID id;
  const CallExpr *crossed; // the call after it in which others may have run
};

struct State {
  llvm::SmallVector<Read, 4> loads;                                 // of the statement at hand
  llvm::SmallVector<std::pair<const VarDecl *, Read>, 4> variables; // that hold what was read
  bool locked = false;
};

class Updates : public OrderedWalk<Updates> {
public:
  Updates(Unit &unit, const Sharing &sharing) : unit(unit), sharing(sharing) {}
  State state;

  void join(const State &other) {
    state.loads.append(other.loads.begin(), other.loads.end());
    for (const auto &one : other.variables)
      if (Read *known = find(one.first); !known)
        state.variables.push_back(one);
      else if (one.second.crossed)
        *known = one.second;
    state.locked |= other.locked;
  }

  void statement() { state.loads.clear(); }

  bool enter(const Stmt *s) {
    if (isAssertion(s)) {
      ++assertions;
      for (const Stmt *part : s->children())
        walk(part);
      --assertions;
      return false;
    }
    if (auto *body = dyn_cast<CapturedStmt>(s)) {
      const bool outside = isBranch;
      State before = std::move(state);
      state = {};
      isBranch = !isSpawned;
      isSpawned = false;
      walk(body->getCapturedStmt());
      state = std::move(before);
      isBranch = outside;
      return false;
    }
    auto *load = dyn_cast<ImplicitCastExpr>(s);
    if (!load || load->getCastKind() != CK_LValueToRValue || !isPlace(load->getSubExpr()))
      return true;
    Read read{load->getSubExpr(), identity(load->getSubExpr()), nullptr};
    llvm::erase_if(state.variables, [&](const auto &one) { return one.second.crossed && one.second.id == read.id; });
    if (!state.locked)
      state.loads.push_back(read);
    return true;
  }
  void use(const DeclRefExpr *) {}

  void call(const CallExpr *call, bool inAtomic) {
    const llvm::StringRef name = calledName(call);
    isSpawned = name == "__charcoal_spawn";
    const bool isUnlock = name.ends_with("unlock") || name.ends_with("release") || name.ends_with("sem_post");
    const bool isLock = !isUnlock && ((name.ends_with("lock") && !name.ends_with("block")) ||
                                      name.ends_with("acquire") || name.ends_with("sem_wait"));
    if (!inAtomic && assertions == 0 &&
        (isBranch || !sharing.hasActivities ? unit.mayWait(*call) : unit.mayGiveWay(*call))) {
      for (Read &read : state.loads)
        if (!read.crossed)
          read.crossed = call;
      for (auto &[variable, read] : state.variables)
        if (!read.crossed)
          read.crossed = call;
    }
    if (isLock || isUnlock)
      state.locked = isLock;
  }

  void assign(const BinaryOperator *assignment) {
    const Expr *place = assignment->getLHS();
    if (assignment->getOpcode() == BO_Assign && isPlace(place) && !state.locked) {
      const llvm::FoldingSetNodeID id = identity(place);
      for (const Read &read : state.loads)
        if (read.crossed && read.id == id && isPartOf(read.place, assignment->getRHS()))
          return report(*assignment, read);
      for (const auto &[variable, read] : state.variables)
        if (read.crossed && read.id == id && mentions(assignment->getRHS(), variable))
          return report(*assignment, read);
    }
    auto *reference = dyn_cast<DeclRefExpr>(place->IgnoreParens());
    if (auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr)
      if (assignment->getOpcode() == BO_Assign)
        hold(variable, assignment->getRHS());
  }
  void declare(const VarDecl *variable) { hold(variable, variable->getInit()); }

private:
  bool isPlace(const Expr *e) const {
    return e->getType()->isScalarType() && !contains(e, [](const Stmt *s) { return isa<CallExpr>(s); }) &&
           sharing.isShared(e);
  }

  llvm::FoldingSetNodeID identity(const Expr *e) const {
    llvm::FoldingSetNodeID id;
    e->IgnoreParens()->Profile(id, *unit.ast, /*Canonical=*/true);
    return id;
  }

  static bool isPartOf(const Expr *part, const Expr *whole) {
    return contains(whole, [&](const Stmt *s) { return s == part; });
  }

  Read *find(const VarDecl *variable) {
    for (auto &one : state.variables)
      if (one.first == variable)
        return &one.second;
    return nullptr;
  }

  // The variable has a new value, that of `from`.
  void hold(const VarDecl *variable, const Expr *from) {
    const Read *read = nullptr;
    for (const Read &load : state.loads)
      if (isPartOf(load.place, from))
        read = &load;
    for (const auto &[other, known] : state.variables)
      if (!read && mentions(from, other))
        read = &known;
    const bool holds = read != nullptr && variable->hasLocalStorage() && variable->getType()->isScalarType();
    const Read copy = holds ? *read : Read{};
    // Forgets its old value, and what was found by way of that value.
    llvm::erase_if(state.variables,
                   [&](const auto &one) { return one.first == variable || mentions(one.second.place, variable); });
    if (holds)
      state.variables.push_back({variable, copy});
  }

  void report(const BinaryOperator &assignment, const Read &read) {
    if (!reported.insert(&assignment).second)
      return;
    const FunctionDecl *callee = read.crossed->getDirectCallee();
    const bool isYield = calledName(read.crossed) == "__charcoal_yield";
    unit.warnings.report(
        unit.compiler, assignment.getOperatorLoc(), Warning::LostUpdate,
        "what others write to this meanwhile is lost: it was read before %0, in which %1 may run; read "
        "it after that, or put the whole into 'atomic { … }'")
        << (isYield                             ? "'yield'"
            : callee && callee->getIdentifier() ? ("the call of '" + callee->getName() + "'").str()
                                                : "a call")
        << (isBranch || !sharing.hasActivities ? "other branches" : "other activities")
        << assignment.getLHS()->getSourceRange();
    note(unit.compiler, read.place->getExprLoc(), "it is read here") << read.place->getSourceRange();
    note(unit.compiler, unit.written(read.crossed->getBeginLoc()), "others may run here");
  }

  Unit &unit;
  const Sharing &sharing;
  bool isSpawned = false, isBranch = false;
  unsigned assertions = 0; // around the code at hand
  llvm::SmallPtrSet<const Stmt *, 8> reported;
};

} // namespace

void checkUpdates(Unit &unit, llvm::ArrayRef<const FunctionDecl *> functions) {
  Sharing sharing(unit);
  for (unsigned round = 0; round < 2; ++round) { // addresses are handed on from function to function
    sharing.begin();
    for (const FunctionDecl *function : functions)
      sharing.TraverseStmt(function->getBody());
  }
  if (sharing.hasActivities || sharing.hasBranches)
    for (const FunctionDecl *function : functions)
      Updates(unit, sharing).walk(function->getBody());
}

} // namespace charcoal::syntax
