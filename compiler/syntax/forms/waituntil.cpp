// waituntil
//
//   waituntil (r = f(a)) BODY0 or when (g) waituntil (h(b)) BODY1     becomes
//
//   { _Bool __charcoal_when_0_1 = (g);                                         (all guards, then all arguments)
//     struct f__clause __charcoal_clause_0_0; struct h__clause __charcoal_clause_0_1;
//     struct __charcoal_wait __charcoal_wait_0;
//     __charcoal_wait_enter(&__charcoal_wait_0, flags, "file:line");
//     f__clause(&__charcoal_clause_0_0, a), __charcoal_wait_add(&__charcoal_wait_0, &__charcoal_clause_0_0, 0);
//     (void)(__charcoal_when_0_1 && (h__clause(&__charcoal_clause_0_1, b), …add(…, 1), 1));
//     switch (__charcoal_wait_any(&__charcoal_wait_0)) { case 0: goto charcoal_body_0_0; … }
//     charcoal_body_0_0: { r = (f__result)__charcoal_clause_result(&__charcoal_clause_0_0); BODY0 } goto …end;
//     … }
//
// The jumps leave the user's `break` and `continue` their meaning. With `else`, each clause is tried in turn and there
// is no wait: see waitTries() below; but `fair` calls __charcoal_wait_try. With `and` in it, the statement is a loop
// over the clauses that complete: see waitLoop(). There a cleanup withdraws what is still open, on every way out.
//
// A function can be waited for if `f__clause` is declared beside it (charcoal/clause.h). Three more names may be
// declared: `f__result` is the type of the result; `f__leaves` says that f holds something until the end of the body;
// `f__held` says that it goes on holding it after that.
#include "waituntil.h"
#include <algorithm>

namespace charcoal::syntax {

bool Translator::matchesWaituntil(bool) const { return startsWait(position); }

static std::string number(size_t n) { return std::to_string(n); }

void Translator::lowerWaituntil(bool) {
  Wait wait = parseWait(position, 0);
  const std::string id = number(nextUid++), self = "__charcoal_wait_" + id;
  std::stable_sort(wait.problems.begin(), wait.problems.end(),
                   [](const Problem &a, const Problem &b) { return a.index < b.index; });
  for (Problem &one : wait.problems)
    result.problems.push_back(std::move(one));

  const bool hasElse = wait.otherwise != none;
  const size_t keyword = wait.keyword;
  if (hasElse && afterIf == keyword) {
    problem(wait.otherwise, "add explicit braces to avoid dangling else");
    result.problems.back().danglingElse = true;
  }
  text(keyword, "{");
  waitGuards(wait, id);
  std::string clauses;
  for (size_t k = 0; k < wait.clauses.size(); ++k)
    if (wait.clauses[k].function != none)
      clauses += " struct " + std::string(at(wait.clauses[k].function)) + "__clause __charcoal_clause_" + id + "_" +
                 number(k) + ";";
  text(keyword, clauses);
  const bool triesEach = hasElse && !wait.hasAnd && !wait.fair;
  if (!triesEach) {
    text(keyword, "struct __charcoal_wait " + self +
                      (wait.hasAnd ? " __attribute__((__cleanup__(__charcoal_wait_leave)));" + waitState(wait, id)
                                   : std::string(";")) +
                      " __charcoal_wait_enter(&" + self + ", " + number((wait.hasAnd ? 1 : 0) | (wait.fair ? 2 : 0)) +
                      "u,");
    piece(Piece::Site, keyword);
    text(keyword, ");");
  }
  waitArguments(wait, id, !triesEach);
  if (wait.hasAnd)
    waitLoop(wait, id);
  else if (triesEach)
    waitTries(wait, id);
  else
    text(keyword,
         waitJumps(wait, id,
                   "__charcoal_wait_" + std::string(wait.otherwise == none ? "any" : "try") + "(&" + self + ")"));
  waitBodies(wait, id);
  text(wait.end - 1, "charcoal_end_" + id + ": __attribute__((__unused__)); }");
  position = wait.end;
}

// Goes to the body of the clause that a function of the wait has returned.
std::string Translator::waitJumps(const Wait &wait, const std::string &id, const std::string &result) {
  std::string jumps = "switch (" + result + ") {";
  for (size_t k = 0; k < wait.clauses.size(); ++k)
    if (wait.clauses[k].function != none)
      jumps += " case " + number(k) + ": goto charcoal_body_" + id + "_" + number(k) + ";";
  if (wait.otherwise != none)
    jumps += " case __charcoal_wait_none: " +
             (wait.hasAnd ? "if (__charcoal_nodes_" + id + "[0].__left == 0) goto charcoal_end_" + id + "; " : "") +
             "goto charcoal_else_" + id + ";";
  return jumps + " default: goto charcoal_end_" + id + "; }";
}

// All guards are evaluated before anything else.
void Translator::waitGuards(const Wait &wait, const std::string &id) {
  for (size_t k = 0; k < wait.clauses.size(); ++k)
    if (const Wait::Clause &clause = wait.clauses[k]; clause.guard != none) {
      text(clause.guard, "_Bool __charcoal_when_" + id + "_" + number(k) + " =");
      position = clause.guard;
      group();
      text(clause.guard, ";");
    }
}

// The arguments of the enabled clauses, in order. They stand in expressions and not in blocks of their own: a compound
// literal among them has to live as long as the statement.
void Translator::waitArguments(const Wait &wait, const std::string &id, bool areJoined) {
  for (size_t k = 0; k < wait.clauses.size(); ++k) {
    const Wait::Clause &clause = wait.clauses[k];
    if (clause.function == none)
      continue;
    const std::string name(at(clause.function)), own = "__charcoal_clause_" + id + "_" + number(k);
    const size_t open = clause.function + 1, close = closing(open);
    const std::string guard = clause.guard == none ? "" : "(void)(__charcoal_when_" + id + "_" + number(k) + " && (";
    text(clause.function, guard + name + "__clause(&" + own + (open + 1 < close ? "," : ""));
    position = open + 1;
    skim(close);
    const std::string add = ", __charcoal_wait_add(&__charcoal_wait_" + id + ", &" + own + ", " + number(k) + "u)";
    text(close, ")" + (areJoined ? add : "") + (clause.guard == none ? ";" : ", 1));"));
  }
}

// The statement with `else` and without `and`: each clause is tried in order, and none is enlisted.
void Translator::waitTries(const Wait &wait, const std::string &id) {
  std::string tries = "if (__charcoal_wait_may_begin()) goto charcoal_end_" + id + ";";
  for (size_t k = 0; k < wait.clauses.size(); ++k)
    if (wait.clauses[k].function != none) {
      const std::string guard = wait.clauses[k].guard == none ? "" : "__charcoal_when_" + id + "_" + number(k) + " && ";
      tries += " if (" + guard + "__charcoal_clause_try(&__charcoal_clause_" + id + "_" + number(k) +
               ")) goto charcoal_body_" + id + "_" + number(k) + ";";
    }
  text(wait.keyword, tries + " goto charcoal_else_" + id + ";");
}

// The condition of a statement with `and`, as clause.h has it.
static std::string conditionOf(const Wait &wait) {
  std::string result;
  for (const Wait::Clause &clause : wait.clauses) {
    if (clause.op != Wait::First)
      result += clause.op == Wait::Or ? '|' : '&';
    result += std::string(clause.opens, '(') + "." + std::string(clause.closes, ')');
  }
  return result;
}

// Its tree, which is the same each time if the clauses have no guards. With guards, the runtime makes it from the text.
static std::string treeOf(const Wait &wait) {
  struct Node {
    size_t above, left;
  };
  std::vector<Node> nodes(wait.clauses.size() + 1, {0, 1});
  std::vector<size_t> brackets{0}, alternatives{0}; // those that are open, and the last alternative in each
  auto join = [&](Wait::Operator op) {
    if (op != Wait::And) {
      alternatives.back() = nodes.size();
      nodes.push_back({brackets.back(), 0});
    }
    ++nodes[alternatives.back()].left;
    return alternatives.back();
  };
  for (size_t k = 0; k < wait.clauses.size(); ++k) {
    Wait::Operator op = wait.clauses[k].op;
    for (unsigned n = 0; n < wait.clauses[k].opens; ++n, op = Wait::First) {
      const size_t above = join(op);
      brackets.push_back(nodes.size());
      alternatives.push_back(0);
      nodes.push_back({above, 1});
    }
    nodes[k + 1].above = join(op);
    const size_t open = brackets.size() - std::min<size_t>(wait.clauses[k].closes, brackets.size() - 1);
    brackets.resize(open);
    alternatives.resize(open);
  }
  std::string result;
  for (const Node &node : nodes)
    result += (result.empty() ? "{{" : ", {") + number(node.above) + ", " + number(node.left) + "}";
  return result + "}";
}

// A statement with `else` makes the tree twice: for what is ready, and for what has completed.
static bool isTreeConstant(const Wait &wait) {
  return wait.otherwise == Wait::none && std::none_of(wait.clauses.begin(), wait.clauses.end(),
                                                      [](const Wait::Clause &one) { return one.guard != Wait::none; });
}

// The variables of the loop.
std::string Translator::waitState(const Wait &wait, const std::string &id) {
  size_t nodes = wait.clauses.size() + 2;
  for (const Wait::Clause &clause : wait.clauses)
    nodes += (clause.op == Wait::Or) + 2 * clause.opens;
  return " struct __charcoal_wait_node __charcoal_nodes_" + id + "[" + number(nodes) + "]" +
         (isTreeConstant(wait) ? " = " + treeOf(wait) : "") + "; int __charcoal_k_" + id + ";";
}

// The statement with `and`. First the clauses are begun, in order; those that are ready at once have completed, and as
// soon as the condition is true no further one is begun. Then the bodies of those that have completed run, in textual
// order among those complete at the time; when the condition is true after one of them, the clauses that are still open
// are withdrawn. What had completed before that still gets its body.
void Translator::waitLoop(const Wait &wait, const std::string &id) {
  const std::string self = "&__charcoal_wait_" + id, k = "__charcoal_k_" + id, nodes = "__charcoal_nodes_" + id;
  const size_t anchor = wait.keyword;
  const bool hasElse = wait.otherwise != none;
  // Without __extension__, -Wpedantic would warn about a text of more than 4,095 characters.
  const std::string condition =
                        isTreeConstant(wait) ? "(const char *)0" : "__extension__ \"" + conditionOf(wait) + "\"",
                    of = "(" + self + ", " + nodes + ", " + number(wait.clauses.size()) + "u, " + condition + ")";
  if (hasElse)
    text(anchor, k + " = __charcoal_wait_try_all" + of + "; if (" + k +
                     " == __charcoal_wait_none) goto charcoal_else_" + id + "; if (" + k + " < 0) goto charcoal_end_" +
                     id + ";");
  else
    text(anchor, "__charcoal_wait_begin_all" + of + ";");
  text(anchor, "charcoal_next_" + id + ": " + k + " = __charcoal_wait_next(" + self + "); " + waitJumps(wait, id, k) +
                   "charcoal_complete_" + id + ": __charcoal_wait_complete(" + self + ", " + nodes + ", " + k +
                   "); goto charcoal_next_" + id + ";");
}

void Translator::waitBodies(const Wait &wait, const std::string &id) {
  const std::string behind = std::string(wait.hasAnd ? "charcoal_complete_" : "charcoal_end_") + id;
  auto misplaced = wait.misplaced.begin();
  for (size_t k = 0; k < wait.clauses.size(); ++k) {
    const Wait::Clause &clause = wait.clauses[k];
    const std::string own = "__charcoal_clause_" + id + "_" + number(k);
    text(clause.keyword, "charcoal_body_" + id + "_" + number(k) + ": __attribute__((__unused__)); {");
    open(Region::Clause, clause.keyword);
    if (clause.function != none) {
      const std::string name(at(clause.function));
      if (names.isDeclared(name + "__leaves"))
        text(clause.keyword, "__attribute__((__cleanup__(__charcoal_clause_leave))) void *__charcoal_leaves_" + id +
                                 "_" + number(k) + " = &" + own + ";");
      if (clause.assigns) {
        position = clause.place;
        skim(clause.assigns + 1);
        if (names.isType(name + "__result"))
          text(clause.function, "(" + name + "__result)");
      } else
        text(clause.keyword, "(void)");
      text(clause.function, "__charcoal_clause_result(&" + own + ");");
    }
    position = clause.body;
    if (clause.body < clause.end)
      statement(false);
    close();
    text(clause.end - 1, "} goto " + behind + ";");
    for (; misplaced != wait.misplaced.end() && misplaced->behind == k + 1; ++misplaced)
      waitElse(misplaced->keyword, clause.end - 1);
  }
  if (wait.otherwise != none) {
    text(wait.otherwise, "charcoal_else_" + id + ": __attribute__((__unused__));");
    waitElse(wait.otherwise, wait.otherwise);
  }
}

void Translator::waitElse(size_t keyword, size_t anchor) {
  text(anchor, "{");
  position = keyword + 1;
  open(Region::Clause, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

} // namespace charcoal::syntax
