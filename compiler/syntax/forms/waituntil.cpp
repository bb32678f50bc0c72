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
  else {
    std::string jumps = "switch (__charcoal_wait_" + std::string(hasElse ? "try" : "any") + "(&" + self + ")) {";
    for (size_t k = 0; k < wait.clauses.size(); ++k)
      if (wait.clauses[k].function != none)
        jumps += " case " + number(k) + ": goto charcoal_body_" + id + "_" + number(k) + ";";
    if (hasElse)
      jumps += " case __charcoal_wait_none: goto charcoal_else_" + id + ";";
    text(keyword, jumps + " default: goto charcoal_end_" + id + "; }");
  }
  waitBodies(wait, id);
  text(wait.end - 1, "charcoal_end_" + id + ": __attribute__((__unused__)); }");
  position = wait.end;
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

// Sets __charcoal_holds_ID: whether the predicate holds for the clauses that are marked in __charcoal_is_ID (0: its
// guard is false; 1: open; 3: completed). It reads the clauses from left to right, as if those with false guards and
// the operators before them were not there: so `and` and `or` bind as the rest of the text says. Of each bracket that
// is open, `any` says whether it has a clause, `sum` whether one of the alternatives before the last `or` holds, and
// `all` whether everything since then does.
std::string Translator::waitPredicate(const Wait &wait, const std::string &id) {
  std::string result;
  std::vector<Wait::Operator> operators; // before the brackets that are open
  auto name = [&](const char *what, size_t level) {
    return "__charcoal_" + std::string(what) + "_" + id + "_" + number(level);
  };
  auto begin = [&](size_t level) {
    result += name("any", level) + " = 0; " + name("sum", level) + " = 0; " + name("all", level) + " = 1; ";
  };
  auto join = [&](Wait::Operator op, const std::string &value) {
    const size_t level = operators.size();
    const std::string any = name("any", level), sum = name("sum", level), all = name("all", level);
    if (op == Wait::Or)
      result += sum + " |= " + any + " & " + all + "; " + all + " = " + value + "; " + any + " = 1; ";
    else
      result += all + " &= " + value + "; " + any + " = 1; ";
  };
  begin(0);
  for (size_t k = 0; k < wait.clauses.size(); ++k) {
    const Wait::Clause &clause = wait.clauses[k];
    if (clause.function == none && !clause.opens && !clause.closes)
      continue;
    Wait::Operator op = clause.op;
    for (unsigned n = 0; n < clause.opens; ++n) {
      operators.push_back(op);
      begin(operators.size());
      op = Wait::First;
    }
    const std::string is = "__charcoal_is_" + id + "[" + number(k) + "]";
    if (clause.guard != none)
      result += "if (" + is + ") { ";
    join(op, "(" + is + " >> 1)");
    if (clause.guard != none)
      result += "} ";
    for (unsigned n = 0; n < clause.closes && !operators.empty(); ++n) {
      const size_t level = operators.size();
      const Wait::Operator outer = operators.back();
      operators.pop_back();
      result += "if (" + name("any", level) + ") { ";
      join(outer, "(" + name("sum", level) + " | " + name("all", level) + ")");
      result += "} ";
    }
  }
  return result + "__charcoal_holds_" + id + " = " + name("any", 0) + " & (" + name("sum", 0) + " | " + name("all", 0) +
         ");";
}

// The variables of the loop.
std::string Translator::waitState(const Wait &wait, const std::string &id) {
  size_t levels = 0, level = 0;
  for (const Wait::Clause &clause : wait.clauses) {
    levels = std::max(levels, level += clause.opens);
    level -= std::min<size_t>(level, clause.closes);
  }
  std::string result = " unsigned char __charcoal_is_" + id + "[" + number(wait.clauses.size()) +
                       "]; int __charcoal_k_" + id + " = 0, __charcoal_holds_" + id + " = 0, " +
                       (wait.otherwise != none ? "__charcoal_missed_" + id + " = 0, __charcoal_asked_" + id + ";"
                                               : "__charcoal_begins_" + id + " = 1;");
  if (!wait.hasOr)
    return result + " unsigned __charcoal_left_" + id + " = 0;";
  for (size_t l = 0; l <= levels; ++l)
    for (const char *what : {"any", "sum", "all"})
      result += " int __charcoal_" + std::string(what) + "_" + id + "_" + number(l) + ";";
  return result;
}

// The statement with `and`. First the clauses are begun, in order; those that are ready at once have completed, and as
// soon as the predicate holds no further one is begun. Then the bodies of those that have completed run, in textual
// order among those complete at the time; after each the predicate is looked at, and when it holds, the clauses that
// are still open are withdrawn. What had completed before that still gets its body.
void Translator::waitLoop(const Wait &wait, const std::string &id) {
  const std::string self = "&__charcoal_wait_" + id, is = "__charcoal_is_" + id, k = "__charcoal_k_" + id,
                    begins = "__charcoal_begins_" + id, holds = "__charcoal_holds_" + id,
                    left = "__charcoal_left_" + id;
  const size_t n = wait.clauses.size(), anchor = wait.keyword;
  const bool hasElse = wait.otherwise != none;
  std::string marks;
  for (size_t i = 0; i < n; ++i) {
    const Wait::Clause &clause = wait.clauses[i];
    const std::string one = is + "[" + number(i) + "]";
    const std::string enabled = clause.function == none ? "0"
                                : clause.guard != none  ? "__charcoal_when_" + id + "_" + number(i)
                                                        : "1";
    marks += one + " = " + enabled + ";";
    if (!wait.hasOr)
      marks += " " + left + " += " + enabled + ";";
    marks += " ";
  }
  text(anchor, marks);

  const std::string begin = k + " = __charcoal_wait_begin(" + self + ");",
                    mark = "if (" + is + "[" + k + "] == 1) { " + is + "[" + k + "] = 3;" +
                           (wait.hasOr ? "" : " --" + left + ";") + " }";
  auto look = [&] { text(anchor, wait.hasOr ? waitPredicate(wait, id) : holds + " = " + left + " == 0;"); };

  if (hasElse) { // nobody else runs between the test of the predicate and what follows from it
    const std::string asked = "__charcoal_asked_" + id;
    text(anchor, asked + " = __charcoal_wait_ask(" + self + "); __charcoal_atomic_enter(); if (" + asked + " == 0) {");
    for (size_t i = 0; i < n; ++i)
      if (wait.clauses[i].function != none) {
        const std::string one = is + "[" + number(i) + "]";
        text(anchor, "if (" + one + " && __charcoal_clause_ready(&__charcoal_clause_" + id + "_" + number(i) + ")) { " +
                         one + " = 3;" + (wait.hasOr ? "" : " --" + left + ";") + " }");
      }
    look();
    text(anchor, "if (" + holds + ") { " + asked + " = 1; " + holds + " = 0;");
    if (!wait.hasOr)
      text(anchor, left + " = 0;");
    text(anchor, marks + "while (!" + holds + ") { " + begin + " if (" + k + " < 0) break; " + mark);
    look();
    text(anchor, "} } } __charcoal_atomic_leave(0); if (" + asked + " == 0 || " + asked +
                     " == __charcoal_wait_none) goto charcoal_else_" + id + "; if (" + asked +
                     " < 0) goto charcoal_end_" + id + "; __charcoal_missed_" + id + " = !" + holds + " && " + k +
                     " == __charcoal_wait_none; goto charcoal_close_" + id + ";");
  } else
    text(anchor, "charcoal_begin_" + id + ": " + begin + " if (" + k + " >= 0) { " + mark + " goto charcoal_look_" +
                     id + "; } if (" + k + " == __charcoal_wait_none) { " + begins + " = 0; goto charcoal_next_" + id +
                     "; } goto charcoal_close_" + id + ";");

  std::string jumps;
  for (size_t i = 0; i < n; ++i)
    if (wait.clauses[i].function != none)
      jumps += " case " + number(i) + ": goto charcoal_body_" + id + "_" + number(i) + ";";
  text(anchor, "charcoal_next_" + id + ": " + k + " = __charcoal_wait_next(" + self + "); if (" + k + " >= 0) { " +
                   mark + " } switch (" + k + ") {" + jumps + " case __charcoal_wait_none:" +
                   (hasElse ? " if (__charcoal_missed_" + id + ") goto charcoal_else_" + id + ";" : "") +
                   " goto charcoal_end_" + id + "; default: if (" + holds + ") goto charcoal_end_" + id + "; }");
  text(anchor, "charcoal_close_" + id + ": " + holds + " = 1; __charcoal_wait_close(" + self +
                   "); goto charcoal_next_" + id + ";");
  text(anchor, "charcoal_look_" + id + ": if (" + holds + ") goto charcoal_next_" + id + ";");
  look();
  text(anchor, "if (" + holds + ") goto charcoal_close_" + id + ";" +
                   (hasElse ? "" : " if (" + begins + ") goto charcoal_begin_" + id + ";") + " goto charcoal_next_" +
                   id + ";");
}

void Translator::waitBodies(const Wait &wait, const std::string &id) {
  const std::string behind = std::string(wait.hasAnd ? "charcoal_look_" : "charcoal_end_") + id;
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
