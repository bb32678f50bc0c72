// waituntil
//
//   waituntil (r = f(a)) BODY0 or when (g) waituntil (h(b)) BODY1 else BODY2     becomes
//
//   { _Bool __charcoal_when_0_1 = (g);                                         (all guards, then all arguments)
//     struct __charcoal_wait __charcoal_wait_0 __attribute__((cleanup(…leave)));
//     struct f__clause __charcoal_clause_0_0; struct h__clause __charcoal_clause_0_1;
//     __charcoal_wait_enter(&__charcoal_wait_0, flags, "file:line");
//     f__clause(&__charcoal_clause_0_0, a), __charcoal_wait_add(&__charcoal_wait_0, &__charcoal_clause_0_0, 0);
//     (void)(__charcoal_when_0_1 && (h__clause(&__charcoal_clause_0_1, b), …add(…, 1), 1));
//     switch (__charcoal_wait_try(&__charcoal_wait_0)) { case 0: goto charcoal_body_0_0; … }
//     charcoal_body_0_0: { r = (f__result)__charcoal_clause_result(&__charcoal_clause_0_0); BODY0 } goto …end;
//     … }
//
// The jumps leave the user's `break` and `continue` their meaning. With `and` in it, the statement is a loop over the
// clauses that complete; waitLoop() below has its text. The cleanup withdraws what is still open, on every way out.
//
// A function can be waited for if `f__clause` is declared beside it (charcoal/clause.h). What else may be declared:
// `f__result`, its type; `f__leaves`, it holds something for the length of the body; `f__held`, it goes on holding it.
#include "waituntil.h"
#include <algorithm>

namespace charcoal::syntax {

static const char howTo[] = "write 'waituntil (call(…)) { … }'";

// ---- the shape ----

static bool isOr(std::string_view word) { return word == "or" || word == "||"; }
static bool isAnd(std::string_view word) { return word == "and" || word == "&&"; }

// A clause begins there: `waituntil (`, `when (…) waituntil`, or one of these behind brackets.
bool Translator::startsClause(size_t i) const {
  const size_t first = i;
  while (at(i) == "(")
    ++i;
  if (at(i) == "when" && at(i + 1) == "(")
    return at(closing(i + 1) + 1) == "waituntil";
  if (at(i) != "waituntil")
    return false;
  const size_t open = at(i + 1) == "fair" && at(i + 2) == "(" ? i + 2 : i + 1;
  return at(open) == "(" && isClosed(open) && (!isPlain("waituntil") || at(closing(open) + 1) == "{" || first < i);
}

bool Translator::startsWait(size_t i) const {
  const std::string_view t = at(i);
  return ((isName(i) && (t == "waituntil" || t == "when")) || t == "(") && startsClause(i);
}

bool Translator::matchesWaituntil(bool) const { return startsWait(position); }

// What stands in the brackets of a clause: `f(…)`, or `place = f(…)`, both perhaps in brackets of their own.
void Translator::parseCall(Wait &wait, size_t number) const {
  Wait::Clause &clause = wait.clauses[number];
  auto wrong = [&](size_t index, std::string message) {
    wait.problems.push_back({index, std::move(message), 0, {}, {}, {}});
  };
  size_t begin = clause.open + 1, end = clause.close;
  auto strip = [&] {
    while (at(begin) == "__extension__" || (at(begin) == "(" && closing(begin) == end - 1))
      at(begin) == "(" ? (void)(++begin, --end) : (void)++begin;
  };
  strip();
  if (begin == end)
    return wrong(clause.open, "expected a call between '(' and ')'; write 'waituntil (f(…)) { … }'");
  for (size_t i = begin; i < end; ++i) {
    const std::string_view t = at(i);
    if (t == "(" || t == "[" || t == "{")
      i = closing(i);
    else if (t == "=" && !clause.assigns) {
      clause.place = begin;
      clause.assigns = i;
    } else if (isOr(t) || isAnd(t)) {
      const std::string word = isOr(t) ? "or" : "and";
      return wrong(i, "a clause waits for one call; write 'waituntil (…) { … } " + word +
                          " waituntil (…) { … }', each with a body of its own");
    }
  }
  if (clause.assigns) {
    if (startsDeclaration(begin) && isName(clause.assigns - 1))
      return wrong(begin, "a clause declares no variable; declare '" + std::string(at(clause.assigns - 1)) +
                              "' before the statement");
    if (begin == clause.assigns)
      return wrong(clause.assigns, "expected a variable before '='");
    begin = clause.assigns + 1;
    strip();
  }
  if (!isName(begin) || at(begin + 1) != "(" || closing(begin + 1) != end - 1)
    return wrong(begin, "what is waited for is the call of a function by its name, perhaps with a variable for its "
                        "result; write 'waituntil (f(…))' or 'waituntil (x = f(…))'");
  const std::string name(at(begin));
  if (!names.isDeclared(name + "__clause"))
    return wrong(begin, "'" + name +
                            "' cannot be waited for, for it has no clause form; call it in an activity of its own and "
                            "wait for that ('ch_activity_wait'), or give it a form (CH_CLAUSE_FORM in "
                            "<charcoal/clause.h>)");
  clause.function = begin;
}

// The statement that begins at `i`, without translating anything.
Wait Translator::parseWait(size_t i, unsigned level) const {
  Wait wait;
  std::vector<size_t> groups; // the brackets that are open
  auto wrong = [&](size_t index, std::string message) {
    wait.problems.push_back({index, std::move(message), 0, {}, {}, {}});
  };
  wait.keyword = i;
  for (size_t op = none;;) {
    Wait::Clause clause;
    clause.op = op == none ? Wait::First : isOr(at(op)) ? Wait::Or : Wait::And;
    for (; at(i) == "(" && startsClause(i); ++i) {
      groups.push_back(i);
      ++clause.opens;
    }
    if (at(i) == "when" && at(i + 1) == "(") {
      clause.guard = i + 1;
      i = closing(i + 1) + 1;
    }
    clause.keyword = i++;
    if (at(i) == "fair" && at(i + 1) == "(") {
      if (op != none)
        wrong(i, "'fair' is about the whole statement, and stands in its first clause");
      wait.fair = true;
      ++i;
    }
    clause.open = i;
    clause.close = closing(i);
    wait.clauses.push_back(clause);
    parseCall(wait, wait.clauses.size() - 1);
    clause = wait.clauses.back();
    i = clause.close + 1;
    if (at(i) == "when" && at(i + 1) == "(" && isClosed(i + 1)) {
      wrong(i, "a guard stands before its clause; write 'when (…) waituntil (…)'");
      i = closing(i + 1) + 1;
    }
    clause.body = i;
    if (at(i) == "}" || i >= tokens.size())
      wrong(i - 1, std::string("a clause needs a body; ") + howTo);
    i = clause.end = statementEnd(i, level + 1);
    for (; !groups.empty() && at(i) == ")"; ++i) {
      groups.pop_back();
      ++clause.closes;
    }
    wait.clauses.back() = clause;

    // What stands behind the clause.
    const bool isElse = at(i) == "else";
    if (isElse) {
      if (!groups.empty())
        wrong(i, "'else' belongs to the whole statement, and stands behind the last ')'");
      const size_t body = i + 1, end = statementEnd(body, level + 1);
      size_t behind = end;
      for (size_t open = groups.size(); open > 0 && at(behind) == ")"; --open)
        ++behind;
      const bool goesOn = (isOr(at(behind)) || isAnd(at(behind))) && startsClause(behind + 1);
      if (goesOn)
        wrong(i, "'else' stands behind the last clause");
      wait.otherwise = i;
      i = end;
      if (!goesOn && groups.empty())
        break;
      wait.misplaced.push_back({wait.otherwise, wait.clauses.size()});
      wait.otherwise = none;
      for (; !groups.empty() && at(i) == ")"; ++i) {
        groups.pop_back();
        ++wait.clauses.back().closes;
      }
    }
    if (!isOr(at(i)) && !isAnd(at(i)))
      break;
    if (startsClause(i + 1)) {
      op = i++;
      continue;
    }
    // An operator that no clause follows.
    const std::string word = isOr(at(i)) ? "or" : "and";
    if (tokens[i].kind == Kind::Name && isPlain(at(i)))
      break;
    if (at(i + 1) == "else") {
      wrong(i, "'else' follows the last body without '" + word + "'");
      ++i;
      wait.otherwise = i;
      i = statementEnd(i + 1, level + 1);
      break;
    }
    if (at(i + 1) == "when" && at(i + 2) == "(" && startsClause(closing(i + 2) + 1))
      wrong(i + 1,
            "a guard stands before a single clause, not before a bracket; write it before each 'waituntil' in it");
    else if (at(i + 1) == "when" && at(i + 2) != "(")
      wrong(i + 1, "expected '(' after 'when'; write 'when (condition) waituntil (…) { … }'");
    else if (at(i + 1) == "when")
      wrong(i + 1, "expected 'waituntil' behind 'when (…)'; write 'when (condition) waituntil (…) { … }'");
    else if (at(i + 1) == "waituntil")
      wrong(i + 1, std::string("expected '(' after 'waituntil'; ") + howTo);
    else if (at(i + 1) == "(") {
      wrong(i, "expected 'waituntil' behind '" + word + "'; write '" + word + " waituntil (…) { … }'");
      wait.problems.back().insertion = " waituntil";
    } else
      wrong(i, "expected a clause behind '" + word + "'; write '" + word + " waituntil (…) { … }'");
    // Leaves out what was meant for a clause.
    ++i;
    if (at(i) == "when")
      i = at(i + 1) == "(" ? closing(i + 1) + 1 : i + 1;
    if (at(i) == "waituntil")
      ++i;
    if (at(i) == "(")
      i = closing(i) + 1;
    break;
  }
  if (!groups.empty()) {
    wrong(i ? i - 1 : i, "expected ')' behind the clauses in brackets");
    wait.problems.back().noteIndex = groups.back();
    wait.problems.back().note = "to match this '('";
    wait.clauses.back().closes += groups.size();
  }
  wait.end = i;
  return wait;
}

// ---- the text ----

static std::string number(size_t n) { return std::to_string(n); }

void Translator::lowerWaituntil(bool) {
  Wait wait = parseWait(position, 0);
  const std::string id = number(nextUid++), self = "__charcoal_wait_" + id;
  for (const Wait::Clause &clause : wait.clauses) {
    wait.hasAnd |= clause.op == Wait::And;
    wait.hasOr |= clause.op == Wait::Or;
  }
  for (const Wait::Clause &clause : wait.clauses)
    if (wait.hasAnd && clause.function != none && names.isDeclared(std::string(at(clause.function)) + "__held"))
      wait.problems.push_back({clause.function,
                               "'" + std::string(at(clause.function)) +
                                   "' in a statement with 'and' would still be held while the other clauses are waited "
                                   "for; wait for a form of it that holds for the body only",
                               0,
                               {},
                               {},
                               {}});
  std::stable_sort(wait.problems.begin(), wait.problems.end(),
                   [](const Problem &a, const Problem &b) { return a.index < b.index; });
  for (Problem &one : wait.problems)
    result.problems.push_back(std::move(one));

  const bool hasElse = wait.otherwise != none;
  const size_t keyword = wait.keyword;
  text(keyword, "{");
  waitGuards(wait, id);
  std::string clauses;
  for (size_t k = 0; k < wait.clauses.size(); ++k)
    if (wait.clauses[k].function != none)
      clauses += " struct " + std::string(at(wait.clauses[k].function)) + "__clause __charcoal_clause_" + id + "_" +
                 number(k) + ";";
  text(keyword, "struct __charcoal_wait " + self + " __attribute__((__cleanup__(__charcoal_wait_leave)));" + clauses +
                    (wait.hasAnd ? waitState(wait, id) : "") + " __charcoal_wait_enter(&" + self + ", " +
                    number((wait.hasAnd ? 1 : 0) | (wait.fair ? 2 : 0) | (hasElse ? 4 : 0)) + "u,");
  piece(Piece::Site, keyword);
  text(keyword, ");");
  waitArguments(wait, id);
  if (wait.hasAnd)
    waitLoop(wait, id);
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
void Translator::waitArguments(const Wait &wait, const std::string &id) {
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
    text(close, "), __charcoal_wait_add(&__charcoal_wait_" + id + ", &" + own + ", " + number(k) +
                    (clause.guard == none ? "u);" : "u), 1));"));
  }
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
// order among those complete at the time; behind each the predicate is looked at, and when it holds, the clauses that
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

  if (hasElse) { // nobody else runs between the question whether the predicate would hold and the answer
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
    if (position < tokens.size() && here() != "}")
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
