// Warns about bodies of `activate` and `async` that use variables of the surrounding function too late.
//
// -Wcharcoal-loop-variable: a body uses, after it may have waited (that of `activate`: at all), a variable that the
// loop around the statement has changed by then. -Wcharcoal-dangling: it uses a variable whose block may have ended by
// then.
//
// Neither warning is given where the code shows that somebody waits for the body in time. For `async` that is a
// `do … finish` inside the loop or block. For `activate` it is a call after the statement that may wait, or, if the
// activity is spawned into a scope by ch_in, a `do … finish` inside the loop or block.
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

// The places at which a body uses variables late: after it may have waited. The state says whether it may.
class LateUses : public OrderedWalk<LateUses, bool> {
public:
  LateUses(Unit &unit, bool isLate) : unit(unit) { state = isLate; }

  llvm::DenseMap<const VarDecl *, const Expr *> found;
  llvm::SmallPtrSet<const VarDecl *, 4> copied;

  static bool join(bool &into, bool other) {
    const bool grows = other && !into;
    into |= other;
    return grows;
  }
  bool enter(const Stmt *s) {
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
  void use(const VarDecl *variable, const Expr *place) {
    if (state)
      found.try_emplace(variable, place);
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
        if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
          found.try_emplace(variable, reference);
    state = true;
  }

private:
  bool isSpawned = false;
  Unit &unit;
};

class Captures {
public:
  Captures(Unit &unit, const Body &whole) : unit(unit), whole(whole) {}
  void walk(const Stmt *s, size_t index = 0) {
    path.push_back({s, within, index, ++now});
    remember(s);
    onDeepStack([&] { walkParts(s); });
    path.pop_back();
  }

private:
  // What the walk is in.
  struct Around {
    const Stmt *statement;
    const Stmt *within; // the innermost body
    size_t index;       // among the parts of the statement around it
    unsigned begin;
  };
  // Those parts of a statement that may wait.
  struct Waiting {
    bool any = false;
    size_t first = 0, last = 0;
  };

  void walkParts(const Stmt *s) {
    const CallExpr *marker = nullptr;
    size_t index = 0;
    for (const Stmt *part : s->children()) {
      const llvm::StringRef name = calledName(part);
      if (name == "__charcoal_spawn" || name == "__charcoal_async")
        marker = cast<CallExpr>(part);
      else if (name == "__charcoal_scope_enter" && !flagOf(*cast<CallExpr>(part), 1))
        scopes.insert(s);
      auto *body = dyn_cast_or_null<CapturedStmt>(part);
      if (body && marker) {
        check(*body, index, *marker);
        marker = nullptr;
      }
      if (body) { // its own statements are another function's
        const Stmt *outside = within;
        within = body;
        path.push_back({body, within, index, ++now});
        walk(body->getCapturedStmt());
        path.pop_back();
        within = outside;
      } else if (part)
        walk(part, index);
      ++index;
    }
  }

  // Remembers what has been passed in the function or body at hand, so that no check has to search for it.
  void remember(const Stmt *s) {
    if (auto *declaration = dyn_cast<DeclStmt>(s); declaration && path.size() > 1) {
      const Stmt *around = path[path.size() - 2].statement;
      if (isa<CompoundStmt>(around) || isa<ForStmt>(around))
        for (const Decl *one : declaration->decls())
          blocks[one] = around;
    }
    // The result of a call, as in `c = accept(…)`.
    auto *assignment = dyn_cast<BinaryOperator>(s);
    if (assignment && assignment->getOpcode() == BO_Assign && isa<CallExpr>(assignment->getRHS()->IgnoreParenCasts()))
      if (const VarDecl *variable = variableOf(assignment->getLHS()))
        results[{variable, within}].push_back({now, assignment});
  }

  void check(const CapturedStmt &body, size_t index, const CallExpr &marker) {
    const bool isActivity = calledName(&marker) == "__charcoal_spawn";
    if (isActivity && isContained(marker))
      return; // the atomic block waits for it
    LateUses uses(unit, isActivity);
    uses.walk(body.getCapturedStmt());
    llvm::SmallVector<std::pair<const VarDecl *, const Expr *>> late;
    for (const CapturedStmt::Capture &capture : body.captures())
      if (capture.capturesVariable()) {
        const VarDecl *variable = capture.getCapturedVar();
        const auto use = uses.found.find(variable);
        if (use != uses.found.end() && !uses.copied.contains(variable) && !isOurs(*variable) &&
            variable->hasLocalStorage())
          late.push_back(*use);
        if (const DeclRefExpr *lent = isActivity ? lentTo(*variable) : nullptr)
          checkBlock(*cast<VarDecl>(lent->getDecl()), *lent, index, body, marker, isActivity,
                     "'%0' may be gone when the activity uses its address, for nothing waits for the activity before "
                     "the end of its block; pass its value, or wait");
      }
    for (const auto &[variable, use] : late)
      if (!checkLoops(*variable, *use, index, body, marker, isActivity))
        checkBlock(*variable, *use, index, body, marker, isActivity);
  }

  uint64_t flagOf(const CallExpr &marker, unsigned argument) const {
    Expr::EvalResult flags;
    return marker.getArg(argument)->EvaluateAsInt(flags, *unit.ast) ? flags.Val.getInt().getZExtValue() : 0;
  }
  bool isContained(const CallExpr &spawn) const { return flagOf(spawn, 2) == CH_SPAWN_CONTAINED; }
  // Whether a scope waits for the activity. Which one it is the code does not show; mostly it is one around it.
  static bool isMember(const CallExpr &spawn) { return calledName(spawn.getArg(1)->IgnoreParenCasts()) == "ch_in"; }

  // Where the walk outwards from the statement ends: at the scope of the branch, or the body or function around it.
  bool isBoundary(size_t i, const CallExpr &marker, bool isActivity) const {
    if (isa<CapturedStmt>(path[i].statement))
      return isActivity;
    if (isActivity || !isa<CompoundStmt>(path[i].statement))
      return false;
    const DeclRefExpr *scope = addressed(marker.getArg(1));
    return scope && declares(path[i].statement, scope->getDecl());
  }

  bool declares(const Stmt *block, const ValueDecl *variable) const { return blocks.lookup(variable) == block; }

  // What changes variables in the head of a loop, by the variable.
  using Changes = llvm::DenseMap<const VarDecl *, const Expr *>;
  const Changes &changesIn(const Stmt *loop) {
    const auto [known, isNew] = heads.try_emplace(loop);
    if (!isNew)
      return known->second;
    if (auto *one = dyn_cast<ForStmt>(loop)) {
      findChanges(one->getInc(), known->second);
      findChanges(one->getCond(), known->second);
    } else if (auto *one = dyn_cast<WhileStmt>(loop))
      findChanges(one->getCond(), known->second);
    else if (auto *one = dyn_cast<DoStmt>(loop))
      findChanges(one->getCond(), known->second);
    return known->second;
  }

  static void findChanges(const Stmt *s, Changes &changes) {
    if (!s || isa<CapturedStmt>(s))
      return;
    const VarDecl *variable = nullptr;
    if (auto *step = dyn_cast<UnaryOperator>(s); step && step->isIncrementDecrementOp())
      variable = variableOf(step->getSubExpr());
    else if (auto *assignment = dyn_cast<BinaryOperator>(s); assignment && assignment->isAssignmentOp())
      variable = variableOf(assignment->getLHS());
    if (variable)
      changes.try_emplace(variable, cast<Expr>(s));
    anyPart(s, [&](const Stmt *part) {
      findChanges(part, changes);
      return false;
    });
  }

  // Returns the assignment of a call's result to the variable in this loop before the statement; null if there is none.
  const Expr *readAnew(const Around &loop, const VarDecl &variable) const {
    const auto found = results.find({&variable, loop.within});
    if (found == results.end())
      return nullptr;
    const auto first =
        llvm::lower_bound(found->second, loop.begin, [](const auto &one, unsigned begin) { return one.first < begin; });
    return first == found->second.end() ? nullptr : first->second;
  }

  bool mayWait(const Stmt *s) {
    if (isa<Expr>(s))
      return findWait(s);
    const auto known = waits.find(s);
    return known != waits.end() ? known->second : waits[s] = findWait(s);
  }

  bool findWait(const Stmt *s) {
    if (auto *call = dyn_cast<CallExpr>(s)) {
      const FunctionDecl *callee = call->getDirectCallee();
      const llvm::StringRef name = calledName(call);
      if (name == "__charcoal_yield" || (name == "__charcoal_spawn" && isContained(*call)) ||
          (callee && callee->isNoReturn()) || unit.mayWait(*call))
        return true;
    }
    return !isa<CapturedStmt>(s) && anyPart(s, [&](const Stmt *part) { return mayWait(part); });
  }

  const Waiting &waitingParts(const Stmt *s) {
    const auto [known, isNew] = waiting.try_emplace(s);
    Waiting &result = known->second;
    size_t index = 0;
    if (isNew)
      for (const Stmt *part : s->children()) {
        if (part && mayWait(part)) {
          result.first = result.any ? result.first : index;
          result.last = index;
          result.any = true;
        }
        ++index;
      }
    return result;
  }

  // Whether something between the statement, which is that part of the innermost one, and the end of path[outermost]
  // may wait for the activity. In a loop inside the block that is also what precedes it.
  bool isWaitedFor(size_t outermost, size_t part, const CallExpr &spawn) {
    const bool member = isMember(spawn);
    for (size_t i = path.size(); i-- > outermost; part = path[i].index) {
      const Stmt *s = path[i].statement;
      if (member && scopes.contains(s))
        return true;
      if (isa<CapturedStmt>(s) || (isLoop(s) && i == outermost))
        continue;
      const Waiting &parts = waitingParts(s);
      if (parts.any && (parts.last > part || (isLoop(s) && parts.first != part)))
        return true;
    }
    return false;
  }

  bool checkLoops(const VarDecl &variable, const Expr &use, size_t index, const CapturedStmt &body,
                  const CallExpr &marker, bool isActivity) {
    for (size_t i = path.size(); i-- > 0 && !isBoundary(i, marker, isActivity);) {
      if (!isLoop(path[i].statement))
        continue;
      const Expr *change = changesIn(path[i].statement).lookup(&variable);
      if (!change)
        change = readAnew(path[i], variable);
      if (!change)
        continue;
      if (isActivity && i + 1 < path.size() && isWaitedFor(i + 1, index, marker))
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

  void checkBlock(const VarDecl &variable, const Expr &use, size_t index, const CapturedStmt &body,
                  const CallExpr &marker, bool isActivity,
                  llvm::StringRef textOfActivity =
                      "'%0' may be gone when the activity uses it, for nothing waits for the activity before the end "
                      "of its block; copy it: '%1', or wait") {
    if (!unit.warnings.isOn(unit.compiler, Warning::Dangling))
      return;
    size_t boundary = 0, block = 0;
    bool found = false;
    for (size_t i = path.size(); i-- > 0;) {
      if (!found && declares(path[i].statement, &variable)) {
        block = i;
        found = true;
      }
      if (isBoundary(i, marker, isActivity)) {
        boundary = i;
        break;
      }
    }
    if (isActivity) {
      const bool isParameter = isa<ParmVarDecl>(variable) && variable.getDeclContext() == whole.of;
      if (!found && !isParameter)
        return; // of an activity around this one, or of the function around a block literal, which keeps a copy
      if (isParameter && boundary != 0)
        return;
      if (isParameter)
        block = 0;
      if (block == 0 && whole.isMain())
        return; // its end is the program's
      // The variables of the `do` block itself live as long as its members, as they do for its branches.
      if (isWaitedFor(isMember(marker) && block > 0 && scopes.contains(path[block - 1].statement) ? block - 1 : block,
                      index, marker))
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

  void report(const Expr &use, Warning which, const CapturedStmt &body, const CallExpr &marker, const VarDecl &variable,
              llvm::StringRef text) {
    const bool isActivity = calledName(&marker) == "__charcoal_spawn";
    const std::string form = (isActivity ? "activate (" : "async (") + variable.getNameAsString() + ") { … }";
    unit.warnings.report(unit.compiler, use.getExprLoc(), which, text)
        << variable.getName() << form << use.getSourceRange();
    note(unit.compiler, unit.written(marker.getBeginLoc()), "in the body of this '%0'")
        << (isActivity ? "activate" : "async");
  }

  Unit &unit;
  const Body &whole;
  llvm::SmallVector<Around, 32> path;
  const Stmt *within = nullptr;
  unsigned now = 0;                                  // numbers what the walk passes
  llvm::DenseMap<const Decl *, const Stmt *> blocks; // that declare it
  llvm::SmallPtrSet<const Stmt *, 8> scopes;         // `do … finish`
  std::map<std::pair<const VarDecl *, const Stmt *>, llvm::SmallVector<std::pair<unsigned, const Expr *>, 1>>
      results; // of calls, assigned to a variable within a body
  std::map<const Stmt *, Changes> heads;
  llvm::DenseMap<const Stmt *, bool> waits;
  std::map<const Stmt *, Waiting> waiting;
};

// Reports `activate (v)` where v is a variable-length array. The number of bytes that the runtime copies has to be
// known when the program is compiled.
class Copies {
public:
  explicit Copies(Unit &unit) : unit(unit) {}
  void walk(const Stmt *s) {
    if (auto *declaration = dyn_cast<DeclStmt>(s))
      for (const Decl *one : declaration->decls())
        if (auto *pointer = dyn_cast<VarDecl>(one); pointer && isOurs(*pointer) && pointer->hasInit())
          if (auto *reference = addressed(pointer->getInit());
              reference && reference->getType()->isVariablyModifiedType() && reference->getType()->isArrayType())
            error(unit.compiler, reference->getLocation(),
                  "'%0' is a variable-length array, which cannot be copied; leave it out of the list and capture it by "
                  "reference, or copy it to memory of its own first")
                << reference->getDecl()->getName();
    anyPart(s, [&](const Stmt *part) {
      walk(part);
      return false;
    });
  }

private:
  Unit &unit;
};

} // namespace

void checkCaptures(Unit &unit, const Body &body) { Captures(unit, body).walk(body.statements); }
void checkCopies(Unit &unit, const Decl &declaration) {
  eachBody(declaration, [&](const Body &body) { Copies(unit).walk(body.statements); });
}

} // namespace charcoal::syntax
