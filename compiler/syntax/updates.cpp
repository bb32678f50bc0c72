// -Wcharcoal-lost-update warns where shared data is read, a call follows in which other activities may run, and then
// the value is changed and written back. Values that the others have written meanwhile are lost:
//
//   v = *p; may_wait(p); *p = v + 1;          x = x + may_wait(p);          e->next = list; may_wait(e); list = e;
//
// What data is shared, see sharing.h. There is no warning about code that holds a lock (as far as the names of
// functions tell), that has read the data again in between, or that stands in `assert_no_yield`, where it would be an
// error that others run; and none in a file that starts no activities or branches.
//
// The walk takes linear time because what it knows at one place is limited: to `most` reads and variables there, and to
// places of `largest` parts.
#include "order.h"
#include "sharing.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/FoldingSet.h"

using namespace clang;

namespace charcoal::syntax {

namespace {

constexpr size_t most = 64, largest = 64;

// Whether the expression has at most `largest` parts, and the test holds for each of them.
bool isMadeOf(const Expr *whole, llvm::function_ref<bool(const Stmt &)> test) {
  llvm::SmallVector<const Stmt *> parts = {whole};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > largest || !test(*parts[i]))
      return false;
    llvm::copy_if(parts[i]->children(), std::back_inserter(parts), [](const Stmt *part) { return part != nullptr; });
  }
  return true;
}

bool mentions(const Expr *place, const VarDecl *variable) {
  return !isMadeOf(place, [&](const Stmt &s) {
    auto *reference = dyn_cast<DeclRefExpr>(&s);
    return !reference || reference->getDecl() != variable;
  });
}

// `assert_no_yield { … }`: the front end has put a variable in front of its statements.
bool isAssertion(const Stmt *s) {
  auto *block = dyn_cast<CompoundStmt>(s);
  auto *first = block && !block->body_empty() ? dyn_cast<DeclStmt>(block->body_front()) : nullptr;
  auto *variable = first && first->isSingleDecl() ? dyn_cast<NamedDecl>(first->getSingleDecl()) : nullptr;
  return variable && variable->getName() == "__charcoal_asserted";
}

// The clock of a walk numbers its steps.
using Time = unsigned;

struct Read {
  const Expr *place;
  unsigned id; // equal for equal places
  Time time;
  const CallExpr *crossed; // the call after it in which others may have run
};

struct State {
  llvm::SmallVector<Read, 4> loads;                                 // in the value that is being computed
  llvm::SmallVector<std::pair<const VarDecl *, Read>, 4> variables; // that hold what was read
  llvm::SmallVector<std::pair<const VarDecl *, Read>, 4> pointers;  // to objects that hold it
  bool locked = false;
};

class Updates : public OrderedWalk<Updates, State> {
public:
  Updates(Unit &unit, const Sharing &sharing) : unit(unit), sharing(sharing) {}

  // What both have read is listed once.
  static bool join(State &into, const State &other) {
    bool grows = other.locked && !into.locked;
    into.locked |= other.locked;
    const auto add = [&](auto &list, const auto &one, auto key, auto read) {
      const auto known = llvm::find_if(list, [&](const auto &old) { return key(old) == key(one); });
      if (known == list.end()) {
        if (list.size() < most) {
          list.push_back(one);
          grows = true;
        }
      } else if (!read(*known).crossed && read(one).crossed) {
        *known = one;
        grows = true;
      }
    };
    for (const Read &load : other.loads)
      add(into.loads, load, [](const Read &one) { return one.place; }, [](const Read &one) { return one; });
    const auto second = [](const auto &one) { return one.second; };
    for (const auto &variable : other.variables)
      add(into.variables, variable, [](const auto &one) { return one.first; }, second);
    for (const auto &pointer : other.pointers)
      add(into.pointers, pointer, [](const auto &one) { return std::pair(one.first, one.second.id); }, second);
    return grows;
  }

  bool enter(const Stmt *s) {
    if (auto *block = dyn_cast<CompoundStmt>(s)) {
      enterBlock(*block);
      return false;
    }
    if (auto *body = dyn_cast<CapturedStmt>(s)) {
      enterBody(*body);
      return false;
    }
    if (auto *declaration = dyn_cast<DeclStmt>(s)) {
      for (const Decl *one : declaration->decls())
        if (auto *variable = dyn_cast<VarDecl>(one)) {
          declared[variable] = now;
          if (const Expr *initializer = variable->getInit())
            evaluate(initializer, [&](Time since) { hold(variable, since); });
        }
      return false;
    }
    if (auto *assignment = dyn_cast<BinaryOperator>(s); assignment && assignment->isAssignmentOp()) {
      evaluate(assignment->getRHS(), [&](Time since) {
        if (assignment->getOpcode() == BO_Assign)
          assign(*assignment, since);
      });
      walk(assignment->getLHS());
      return false;
    }
    auto *load = dyn_cast<ImplicitCastExpr>(s);
    if (load && load->getCastKind() == CK_LValueToRValue && isPlace(load->getSubExpr()))
      enterLoad(load->getSubExpr());
    return true;
  }

  void use(const VarDecl *variable, const Expr *) { used[variable] = ++now; }

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
      for (auto *list : {&state.variables, &state.pointers})
        for (auto &[variable, read] : *list)
          if (!read.crossed)
            read.crossed = call;
    }
    if (isLock || isUnlock)
      state.locked = isLock;
  }

  // What the statements before it in its block have read is no part of a value.
  void statement() {
    llvm::erase_if(state.loads, [&](const Read &load) { return load.time > blockBegan; });
  }

private:
  void enterBlock(const CompoundStmt &block) {
    const Time outside = blockBegan;
    blockBegan = ++now;
    assertions += isAssertion(&block);
    walkParts(&block);
    assertions -= isAssertion(&block);
    for (auto *list : {&state.variables, &state.pointers})
      llvm::erase_if(*list, [&](const auto &one) {
        const auto known = declared.find(one.first);
        return known != declared.end() && known->second >= blockBegan;
      });
    blockBegan = outside;
  }

  void enterBody(const CapturedStmt &body) {
    State before = std::move(state);
    state = {};
    const bool outside = isBranch;
    const unsigned around = values;
    isBranch = !isSpawned;
    isSpawned = false;
    values = 0;
    walkParts(&body);
    values = around;
    isBranch = outside;
    state = std::move(before);
  }

  void enterLoad(const Expr *place) {
    const Read read{place, identity(place), ++now, nullptr};
    for (auto *list : {&state.variables, &state.pointers})
      llvm::erase_if(*list, [&](const auto &one) { return one.second.crossed && one.second.id == read.id; });
    if (state.locked || values == 0)
      return;
    llvm::erase_if(state.loads, [&](const Read &load) { return load.place == place; });
    if (state.loads.size() < most)
      state.loads.push_back(read);
  }

  // Walks over a value that is assigned. Of what has been read and used, `then` can tell by the time what it is made
  // of.
  void evaluate(const Expr *value, llvm::function_ref<void(Time since)> then) {
    const Time since = ++now;
    ++values;
    walk(value);
    --values;
    then(since);
    if (values == 0)
      state.loads.clear();
  }

  bool isUsed(const VarDecl *variable, Time since) const {
    const auto last = used.find(variable);
    return last != used.end() && last->second > since;
  }

  void assign(const BinaryOperator &assignment, Time since) {
    const Expr *place = assignment.getLHS();
    if (isPlace(place) && !state.locked) {
      const unsigned id = identity(place);
      for (const Read &read : state.loads)
        if (read.crossed && read.id == id && read.time > since)
          return report(assignment, read);
      for (const auto &[variable, read] : state.variables)
        if (read.crossed && read.id == id && isUsed(variable, since))
          return report(assignment, read);
      for (const auto &[variable, read] : state.pointers)
        if (read.crossed && read.id == id && variableIn(assignment.getRHS()) == variable)
          return report(assignment, read);
    }
    if (const VarDecl *variable = variableIn(place))
      hold(variable, since);
    else if (const VarDecl *pointer = pointerTo(place))
      holdBehind(pointer, since);
  }

  static const VarDecl *variableIn(const Expr *e) {
    auto *reference = dyn_cast<DeclRefExpr>(e->IgnoreParenCasts());
    return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  }

  // The local pointer p of `*p`, `p->member` and `p->member.part`.
  static const VarDecl *pointerTo(const Expr *place) {
    const Expr *e = place->IgnoreParens();
    const Expr *pointer = nullptr;
    while (auto *member = dyn_cast<MemberExpr>(e)) {
      e = member->getBase()->IgnoreParens();
      if (member->isArrow()) {
        pointer = e;
        break;
      }
    }
    if (auto *indirection = dyn_cast<UnaryOperator>(e); !pointer && indirection && indirection->getOpcode() == UO_Deref)
      pointer = indirection->getSubExpr();
    const VarDecl *variable = pointer ? variableIn(pointer) : nullptr;
    return variable && variable->hasLocalStorage() ? variable : nullptr;
  }

  bool isPlace(const Expr *e) const {
    return e->getType()->isScalarType() && isMadeOf(e, [](const Stmt &s) { return !isa<CallExpr>(s); }) &&
           sharing.isShared(e);
  }

  unsigned identity(const Expr *place) {
    llvm::FoldingSetNodeID id;
    place->IgnoreParens()->Profile(id, *unit.ast, /*Canonical=*/true);
    return places.try_emplace(id, places.size()).first->second;
  }

  // The variable has a new value.
  void hold(const VarDecl *variable, Time since) {
    const Read *read = nullptr;
    for (const Read &load : state.loads)
      if (load.time > since)
        read = &load;
    for (const auto &[other, known] : state.variables)
      if (!read && isUsed(other, since))
        read = &known;
    const bool holds = read != nullptr && variable->hasLocalStorage() && variable->getType()->isScalarType();
    const Read copy = holds ? *read : Read{};
    // Forgets its old value, and what was found by way of that value.
    for (auto *list : {&state.variables, &state.pointers})
      llvm::erase_if(*list,
                     [&](const auto &one) { return one.first == variable || mentions(one.second.place, variable); });
    if (holds && state.variables.size() < most)
      state.variables.push_back({variable, copy});
  }

  // An object has a new value, or a new part. Of what it holds only pointers matter, because they make it a part of a
  // list or tree.
  void holdBehind(const VarDecl *pointer, Time since) {
    const auto add = [&](const Read &read) {
      if (!read.place->getType()->isPointerType())
        return;
      llvm::erase_if(state.pointers, [&](const auto &one) { return one.first == pointer && one.second.id == read.id; });
      if (state.pointers.size() < most)
        state.pointers.push_back({pointer, read});
    };
    for (const Read &load : state.loads)
      if (load.time > since)
        add(load);
    for (const auto &[variable, read] : state.variables)
      if (isUsed(variable, since))
        add(read);
  }

  void report(const BinaryOperator &assignment, const Read &read) {
    if (!reported.insert(&assignment).second)
      return;
    const std::string crossed = unit.nameAsWritten(*read.crossed);
    unit.warnings.report(
        unit.compiler, assignment.getOperatorLoc(), Warning::LostUpdate,
        "what others write to this meanwhile is lost: it was read before %0, in which %1 may run; read "
        "it after that, or put the whole into 'atomic { … }'")
        << (crossed == "yield" || crossed == "waituntil" ? "'" + crossed + "'"
            : crossed.empty()                            ? "a call"
                                                         : "the call of '" + crossed + "'")
        << (isBranch || !sharing.hasActivities ? "other branches" : "other activities")
        << assignment.getLHS()->getSourceRange();
    note(unit.compiler, read.place->getExprLoc(), "it is read here") << read.place->getSourceRange();
    note(unit.compiler, unit.written(read.crossed->getBeginLoc()), "others may run here");
  }

  Unit &unit;
  const Sharing &sharing;
  bool isSpawned = false, isBranch = false;
  unsigned assertions = 0, values = 0; // around the code at hand
  Time now = 0, blockBegan = 0;
  llvm::DenseMap<const VarDecl *, Time> declared, used; // the last time
  std::map<llvm::FoldingSetNodeID, unsigned> places;
  llvm::SmallPtrSet<const Stmt *, 8> reported;
};

} // namespace

void checkUpdates(Unit &unit, llvm::ArrayRef<Body> bodies) {
  const Sharing sharing(unit, bodies);
  if (sharing.hasActivities || sharing.hasBranches)
    for (const Body &body : bodies)
      Updates(unit, sharing).walk(body.statements);
}

} // namespace charcoal::syntax
