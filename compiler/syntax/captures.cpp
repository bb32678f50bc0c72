// Warns about bodies of `activate` and `async` that use variables of the surrounding function too late.
//
// -Wcharcoal-loop-variable: a body uses, after it may have waited (that of `activate`: at all), a variable that the
// loop around the statement has changed by then. -Wcharcoal-dangling: it uses a variable whose block may have ended by
// then.
//
// Neither warning is given where the code shows that somebody waits for the body in time. For `async` that is a
// `do … finish` inside the loop or block; for `activate` it is a call after the statement that may wait.
#include "order.h"
#include "charcoal_abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace charcoal::syntax {

static const VarDecl *variableOf(const Expr *e) {
  auto *reference = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

// The variable whose address, or that of a part of it, the argument is.
static const DeclRefExpr *addressed(const Expr *argument) {
  const Expr *e = argument->IgnoreParenCasts();
  bool isAddress = e->getType()->isArrayType();
  if (auto *address = dyn_cast<UnaryOperator>(e); address && address->getOpcode() == UO_AddrOf) {
    isAddress = true;
    e = address->getSubExpr()->IgnoreParenCasts();
  }
  for (;;) {
    if (auto *member = dyn_cast<MemberExpr>(e); member && !member->isArrow())
      e = member->getBase()->IgnoreParenCasts();
    else if (auto *element = dyn_cast<ArraySubscriptExpr>(e);
             element && element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      e = element->getBase()->IgnoreParenCasts();
    else
      break;
  }
  return isAddress ? dyn_cast<DeclRefExpr>(e) : nullptr;
}

// A spawned call gets its arguments from variables that the front end has made. Returns the local whose address, or the
// address of a part of it, this variable holds.
static const DeclRefExpr *lentTo(const VarDecl &argument) {
  const Expr *e = isOurs(argument) && argument.hasInit() ? argument.getInit()->IgnoreParenImpCasts() : nullptr;
  if (auto *comma = dyn_cast_or_null<BinaryOperator>(e); comma && comma->getOpcode() == BO_Comma)
    e = comma->getRHS();
  const DeclRefExpr *lent = e ? addressed(e) : nullptr;
  auto *variable = lent ? dyn_cast<VarDecl>(lent->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() ? lent : nullptr;
}

namespace {

// The places at which a body uses variables late: after it may have waited.
class LateUses : public OrderedWalk<LateUses> {
public:
  LateUses(Unit &unit, bool isLate) : state(isLate), unit(unit) {}

  bool state; // it may have waited
  llvm::DenseMap<const VarDecl *, const DeclRefExpr *> found;
  llvm::SmallPtrSet<const VarDecl *, 4> copied;

  void join(bool other) { state |= other; }
  bool enter(const Stmt *s) {
    if (auto *block = dyn_cast<CompoundStmt>(s))
      return !block->body_empty();
    auto *captured = dyn_cast<CapturedStmt>(s);
    if (!captured)
      return true;
    const bool before = state; // a body inside: the code after it does not wait for it
    state |= isSpawned;
    isSpawned = false;
    walk(captured->getCapturedStmt());
    state = before;
    return false;
  }
  void use(const DeclRefExpr *reference) {
    if (state)
      remember(reference);
  }
  void call(const CallExpr *call, bool inAtomic) {
    const llvm::StringRef name = calledName(call);
    if (name == "__charcoal_value")
      if (auto *reference = addressed(call->getArg(0)))
        copied.insert(dyn_cast<VarDecl>(reference->getDecl()));
    isSpawned = name == "__charcoal_spawn";
    if (inAtomic || !unit.mayWait(*call))
      return;
    for (const Expr *argument : call->arguments())
      if (auto *reference = addressed(argument))
        remember(reference);
    state = true;
  }
  void assign(const BinaryOperator *) {}
  void declare(const VarDecl *) {}
  void statement() {}

private:
  void remember(const DeclRefExpr *reference) {
    if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      found.try_emplace(variable, reference);
  }
  bool isSpawned = false;
  Unit &unit;
};

class Captures {
public:
  Captures(Unit &unit, const FunctionDecl &function) : unit(unit), function(function) {}
  void walk(const Stmt *s) {
    if (!s)
      return;
    path.push_back(s);
    const CallExpr *marker = nullptr;
    for (const Stmt *part : s->children()) {
      const llvm::StringRef name = calledName(part);
      if (name == "__charcoal_spawn" || name == "__charcoal_async")
        marker = cast<CallExpr>(part);
      auto *body = dyn_cast_or_null<CapturedStmt>(part);
      if (body && marker) {
        check(*body, *marker);
        marker = nullptr;
      }
      if (body) { // its own statements are another function's
        path.push_back(body);
        walk(body->getCapturedStmt());
        path.pop_back();
      } else
        walk(part);
    }
    path.pop_back();
  }

private:
  static bool isLoop(const Stmt *s) { return isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s); }

  void check(const CapturedStmt &body, const CallExpr &marker) {
    const bool isActivity = calledName(&marker) == "__charcoal_spawn";
    if (isActivity && isContained(marker))
      return; // the atomic block waits for it
    LateUses uses(unit, isActivity);
    uses.walk(body.getCapturedStmt());
    llvm::SmallVector<std::pair<const VarDecl *, const DeclRefExpr *>> late;
    for (const CapturedStmt::Capture &capture : body.captures())
      if (capture.capturesVariable()) {
        const VarDecl *variable = capture.getCapturedVar();
        const auto use = uses.found.find(variable);
        if (use != uses.found.end() && !uses.copied.contains(variable) && !isOurs(*variable) &&
            variable->hasLocalStorage())
          late.push_back(*use);
        if (const DeclRefExpr *lent = isActivity ? lentTo(*variable) : nullptr)
          checkBlock(*cast<VarDecl>(lent->getDecl()), *lent, body, marker, isActivity,
                     "'%0' may be gone when the activity uses its address, for nothing waits for the activity before "
                     "the end of its block; pass its value, or wait");
      }
    for (const auto &[variable, use] : late)
      if (!checkLoops(*variable, *use, body, marker, isActivity))
        checkBlock(*variable, *use, body, marker, isActivity);
  }

  bool isContained(const CallExpr &spawn) const {
    Expr::EvalResult flags;
    return spawn.getArg(2)->EvaluateAsInt(flags, *unit.ast) && flags.Val.getInt() == CH_SPAWN_CONTAINED;
  }

  // Where the walk outwards from the statement ends: at the scope of the branch, or the body or function around it.
  bool isBoundary(size_t i, const CallExpr &marker, bool isActivity) const {
    if (isa<CapturedStmt>(path[i]))
      return isActivity;
    if (isActivity || !isa<CompoundStmt>(path[i]))
      return false;
    const DeclRefExpr *scope = addressed(marker.getArg(1));
    return scope && declares(path[i], scope->getDecl());
  }

  static bool declares(const Stmt *block, const ValueDecl *variable) {
    auto holds = [&](const Stmt *s) {
      auto *declaration = dyn_cast_or_null<DeclStmt>(s);
      return declaration && llvm::is_contained(declaration->decls(), variable);
    };
    if (auto *loop = dyn_cast<ForStmt>(block))
      return holds(loop->getInit());
    if (auto *compound = dyn_cast<CompoundStmt>(block))
      return llvm::any_of(compound->body(), holds);
    return false;
  }

  static const Expr *changes(const Stmt *s, const VarDecl &variable) {
    if (!s || isa<CapturedStmt>(s))
      return nullptr;
    if (auto *step = dyn_cast<UnaryOperator>(s);
        step && step->isIncrementDecrementOp() && variableOf(step->getSubExpr()) == &variable)
      return step;
    if (auto *assignment = dyn_cast<BinaryOperator>(s);
        assignment && assignment->isAssignmentOp() && variableOf(assignment->getLHS()) == &variable)
      return assignment;
    for (const Stmt *part : s->children())
      if (const Expr *found = changes(part, variable))
        return found;
    return nullptr;
  }

  // Returns the assignment of a call's result to the variable in the body of a loop before the statement, as in
  // `c = accept(…)`; null if there is none.
  const Expr *readAnew(const Stmt *s, const VarDecl &variable, SourceLocation before) const {
    if (!s || isa<CapturedStmt>(s))
      return nullptr;
    if (auto *assignment = dyn_cast<BinaryOperator>(s);
        assignment && assignment->getOpcode() == BO_Assign && variableOf(assignment->getLHS()) == &variable &&
        isa<CallExpr>(assignment->getRHS()->IgnoreParenCasts()) && assignment->getBeginLoc() < before)
      return assignment;
    for (const Stmt *part : s->children())
      if (const Expr *found = readAnew(part, variable, before))
        return found;
    return nullptr;
  }

  bool mayWait(const Stmt *s) const {
    if (!s)
      return false;
    if (auto *call = dyn_cast<CallExpr>(s)) {
      const FunctionDecl *callee = call->getDirectCallee();
      const llvm::StringRef name = calledName(call);
      if (name == "__charcoal_yield" || (name == "__charcoal_spawn" && isContained(*call)) ||
          (callee && callee->isNoReturn()) || unit.mayWait(*call))
        return true;
    }
    if (isa<CapturedStmt>(s))
      return false;
    return llvm::any_of(s->children(), [&](const Stmt *part) { return mayWait(part); });
  }

  // Whether something between the statement and the end of path[outermost] may wait for the activity.
  bool isWaitedFor(size_t outermost, const Stmt *statement) const {
    const Stmt *inner = statement;
    for (size_t i = path.size(); i-- > outermost; inner = path[i]) {
      bool behind = false;
      for (const Stmt *part : path[i]->children()) {
        if (part == inner)
          behind = !isLoop(path[i]) || i != outermost; // what follows; in a loop inside the block, also what precedes
        else if ((behind || (isLoop(path[i]) && i != outermost)) && mayWait(part))
          return true;
      }
    }
    return false;
  }

  bool checkLoops(const VarDecl &variable, const DeclRefExpr &use, const CapturedStmt &body, const CallExpr &marker,
                  bool isActivity) {
    for (size_t i = path.size(); i-- > 0 && !isBoundary(i, marker, isActivity);) {
      const Expr *change = nullptr;
      if (auto *loop = dyn_cast<ForStmt>(path[i])) {
        change = changes(loop->getInc(), variable);
        if (!change)
          change = changes(loop->getCond(), variable);
      } else if (auto *loop = dyn_cast<WhileStmt>(path[i]))
        change = changes(loop->getCond(), variable);
      else if (auto *loop = dyn_cast<DoStmt>(path[i]))
        change = changes(loop->getCond(), variable);
      if (!change && isLoop(path[i]))
        change = readAnew(path[i], variable, unit.written(marker.getBeginLoc()));
      if (!change)
        continue;
      if (isActivity && i + 1 < path.size() && isWaitedFor(i + 1, &body))
        return true;
      if (!unit.warnings.isOn(unit.compiler, Warning::LoopVariable))
        return true;
      report(use, Warning::LoopVariable, body, marker, variable,
             isActivity ? "the loop has changed '%0' when the activity uses it; copy it: '%1'"
                        : "the loop may have changed '%0' when the branch uses it after a wait; copy it: '%1'");
      note(unit.compiler, change->getExprLoc(), "it is changed here") << change->getSourceRange();
      return true;
    }
    return false;
  }

  void checkBlock(const VarDecl &variable, const DeclRefExpr &use, const CapturedStmt &body, const CallExpr &marker,
                  bool isActivity,
                  llvm::StringRef textOfActivity =
                      "'%0' may be gone when the activity uses it, for nothing waits for the activity before the end "
                      "of its block; copy it: '%1', or wait") {
    if (!unit.warnings.isOn(unit.compiler, Warning::Dangling))
      return;
    size_t boundary = 0, block = 0;
    bool found = false;
    for (size_t i = path.size(); i-- > 0;) {
      if (!found && declares(path[i], &variable)) {
        block = i;
        found = true;
      }
      if (isBoundary(i, marker, isActivity)) {
        boundary = i;
        break;
      }
    }
    if (isActivity) {
      const bool isParameter = isa<ParmVarDecl>(variable);
      if (!found && !isParameter)
        return; // of an activity around this one
      if (isParameter && boundary != 0)
        return;
      if (isParameter)
        block = 0;
      if (block == 0 && function.isMain())
        return; // its end is the program's
      if (isWaitedFor(block, &body))
        return;
      report(use, Warning::Dangling, body, marker, variable, textOfActivity);
    } else {
      // At the end of the `do` block itself the branches are waited for.
      if (!found || block <= boundary + 1)
        return;
      report(
          use, Warning::Dangling, body, marker, variable,
          "'%0' may be gone when the branch uses it after a wait, for its block ends before the 'finish'; declare it "
          "outside, or in the branch, or copy it: '%1'");
    }
    note(unit.compiler, variable.getLocation(), "it is declared here");
  }

  void report(const DeclRefExpr &use, Warning which, const CapturedStmt &body, const CallExpr &marker,
              const VarDecl &variable, llvm::StringRef text) {
    const bool isActivity = calledName(&marker) == "__charcoal_spawn";
    const std::string form = (isActivity ? "activate (" : "async (") + variable.getNameAsString() + ") { … }";
    unit.warnings.report(unit.compiler, use.getLocation(), which, text)
        << variable.getName() << form << use.getSourceRange();
    note(unit.compiler, unit.written(marker.getBeginLoc()), "in the body of this '%0'")
        << (isActivity ? "activate" : "async");
  }

  Unit &unit;
  const FunctionDecl &function;
  llvm::SmallVector<const Stmt *, 32> path;
};

// Reports `activate (v)` where v is a variable-length array. The number of bytes that the runtime copies has to be
// known when the program is compiled.
class Copies {
public:
  explicit Copies(Unit &unit) : unit(unit) {}
  void walk(const Stmt *s) {
    if (!s)
      return;
    if (auto *declaration = dyn_cast<DeclStmt>(s))
      for (const Decl *one : declaration->decls())
        if (auto *pointer = dyn_cast<VarDecl>(one); pointer && isOurs(*pointer) && pointer->hasInit())
          if (auto *reference = addressed(pointer->getInit());
              reference && reference->getType()->isVariablyModifiedType() && reference->getType()->isArrayType())
            error(unit.compiler, reference->getLocation(),
                  "'%0' is a variable-length array, which cannot be copied; leave it out of the list and capture it by "
                  "reference, or copy it to memory of its own first")
                << reference->getDecl()->getName();
    if (auto *body = dyn_cast<CapturedStmt>(s))
      return walk(body->getCapturedStmt());
    for (const Stmt *part : s->children())
      walk(part);
  }

private:
  Unit &unit;
};

} // namespace

void checkCaptures(Unit &unit, const FunctionDecl &function) { Captures(unit, function).walk(function.getBody()); }
void checkCopies(Unit &unit, const FunctionDecl &function) { Copies(unit).walk(function.getBody()); }

} // namespace charcoal::syntax
