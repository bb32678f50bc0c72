// Finds the parts of a `waituntil` statement and what is wrong with its shape, without translating anything.
// forms/waituntil.cpp translates it.
//
//   statement:  clauses [else BODY]
//   clauses:    clause, or two `clauses` with `or` or `and` between them, perhaps in brackets
//   clause:     [when (condition)] waituntil [fair] (call) BODY
#include "waituntil.h"

namespace charcoal::syntax {

static const char howTo[] = "write 'waituntil (call(…)) { … }'";

static bool isOr(std::string_view word) { return word == "or" || word == "||"; }
static bool isOperator(std::string_view word) { return isOr(word) || word == "and" || word == "&&"; }
static bool isNoOperator(std::string_view word) { return word == "|" || word == "&" || word == ","; }
static std::string spelling(std::string_view op) { return isOr(op) ? "or" : "and"; }

// A clause begins there: `waituntil (`, `when (…) waituntil`, or one of these after brackets.
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

class Translator::WaitParser {
public:
  WaitParser(const Translator &source, size_t keyword, unsigned level) : source(source), i(keyword), level(level) {
    wait.keyword = keyword;
  }
  Wait parse();

private:
  std::string_view at(size_t index) const { return source.at(index); }
  size_t closing(size_t open) const { return source.closing(open); }
  void wrong(size_t index, std::string message) { wait.problems.push_back({index, std::move(message), 0, {}, {}, {}}); }
  void clause(Wait::Operator);
  void call(Wait::Clause &);
  size_t body(size_t begin);
  bool wrongWord(size_t index);
  void closeBrackets(Wait::Clause &);
  bool otherwise();
  void danglingOperator();
  void heldBesideAnd();
  std::string holdsForBody(std::string name) const;

  const Translator &source;
  size_t i; // the token at which the parser stands
  const unsigned level;
  std::vector<size_t> brackets; // those that are open
  Wait wait;
};

Wait Translator::parseWait(size_t keyword, unsigned level) const { return WaitParser(*this, keyword, level).parse(); }

Wait Translator::WaitParser::parse() {
  for (Wait::Operator op = Wait::First;;) {
    clause(op);
    if (at(i) == "else" && otherwise())
      break;
    if (isNoOperator(at(i)) && source.startsClause(i + 1))
      wrong(i, "clauses are joined by 'or' or 'and'; write 'waituntil (…) { … } or waituntil (…) { … }'");
    else if (!isOperator(at(i)))
      break;
    if (!source.startsClause(i + 1)) {
      danglingOperator();
      break;
    }
    op = isOr(at(i)) || isNoOperator(at(i)) ? Wait::Or : Wait::And;
    ++i;
    (op == Wait::Or ? wait.hasOr : wait.hasAnd) = true;
  }
  if (!brackets.empty()) {
    wrong(i ? i - 1 : i, "expected ')' after the clauses in brackets");
    wait.problems.back().noteIndex = brackets.back();
    wait.problems.back().note = "to match this '('";
    wait.clauses.back().closes += brackets.size();
  }
  if (wait.hasAnd)
    heldBesideAnd();
  wait.end = i;
  return std::move(wait);
}

// From the brackets before it to those after its body.
void Translator::WaitParser::clause(Wait::Operator op) {
  Wait::Clause clause;
  clause.op = op;
  for (; at(i) == "(" && source.startsClause(i); ++i) {
    brackets.push_back(i);
    ++clause.opens;
  }
  if (at(i) == "when" && at(i + 1) == "(") {
    clause.guard = i + 1;
    i = closing(i + 1) + 1;
  }
  clause.keyword = i++;
  if (at(i) == "fair" && at(i + 1) == "(") {
    if (op != Wait::First)
      wrong(i, "'fair' is about the whole statement, and stands in its first clause");
    wait.fair = true;
    ++i;
  }
  clause.open = i;
  clause.close = closing(i);
  call(clause);
  i = clause.close + 1;
  if (at(i) == "when" && at(i + 1) == "(" && source.isClosed(i + 1)) {
    wrong(i, "a guard stands before its clause; write 'when (…) waituntil (…)'");
    i = closing(i + 1) + 1;
  }
  clause.body = i;
  if (at(i) == "}" || at(i) == "else" || i >= source.tokens.size() || (isOperator(at(i)) && source.startsClause(i + 1)))
    wrong(i - 1, std::string("a clause needs a body; ") + howTo);
  else
    i = body(i);
  clause.end = i;
  closeBrackets(clause);
  wait.clauses.push_back(clause);
}

// The end of the body that begins there.
size_t Translator::WaitParser::body(size_t begin) {
  const bool isNamed = source.isName(begin) && source.isName(begin + 1) && source.names.isType(at(begin));
  if (isNamed || (source.isKeyword(begin) && source.startsDeclaration(begin)))
    wrong(begin, "a body is a statement, not a declaration; write '{ … }' around it");
  return source.statementEnd(begin, level + 1);
}

// Reports a word that stands in the brackets of a clause but does not belong there.
bool Translator::WaitParser::wrongWord(size_t index) {
  const std::string word(at(index));
  if (word == "if" || (word == "when" && !source.isPlain(word)))
    wrong(index, "a guard stands before its clause; write 'when (…) waituntil (f(…)) { … }'");
  else if (word == "fair" && source.isName(index + 1) && !source.isPlain(word))
    wrong(index, "'fair' stands before the brackets; write 'waituntil fair (f(…)) { … }'");
  else if (source.isName(index) && isDialectWord(word) && !source.isPlain(word))
    wrong(index, "'" + word +
                     "' does not belong between the brackets, where the call of a function stands; write "
                     "'waituntil (f(…)) { … }'");
  else
    return false;
  return true;
}

// What stands in the brackets of a clause: `f(…)`, or `place = f(…)`, both perhaps in brackets of their own.
void Translator::WaitParser::call(Wait::Clause &clause) {
  size_t begin = clause.open + 1, end = clause.close;
  auto strip = [&] {
    while (at(begin) == "__extension__" || (at(begin) == "(" && closing(begin) == end - 1))
      at(begin) == "(" ? (void)(++begin, --end) : (void)++begin;
  };
  strip();
  if (begin == end)
    return wrong(clause.open, "expected a call between '(' and ')'; write 'waituntil (f(…)) { … }'");
  for (size_t k = begin; k < end; ++k) {
    const std::string_view t = at(k);
    if (wrongWord(k))
      return;
    if (t == "(" || t == "[" || t == "{")
      k = closing(k);
    else if (t == "=" && !clause.assigns) {
      clause.place = begin;
      clause.assigns = k;
    } else if (isOperator(t))
      return wrong(k, "a clause waits for one call; write 'waituntil (…) { … } " + spelling(t) +
                          " waituntil (…) { … }', each with a body of its own");
  }
  if (clause.assigns) {
    if (source.startsDeclaration(begin) && source.isName(clause.assigns - 1))
      return wrong(begin, "a clause declares no variable; declare '" + std::string(at(clause.assigns - 1)) +
                              "' before the statement");
    if (begin == clause.assigns)
      return wrong(clause.assigns, "expected a variable before '='");
    begin = clause.assigns + 1;
    strip();
  }
  if (!source.isName(begin) || at(begin + 1) != "(" || closing(begin + 1) != end - 1)
    return wrong(begin, "what is waited for is the call of a function by its name, perhaps with a variable for its "
                        "result; write 'waituntil (f(…))' or 'waituntil (x = f(…))'");
  const std::string name(at(begin));
  if (!source.names.isDeclared(name + "__clause"))
    return wrong(begin, "'" + name +
                            "' cannot be waited for, for it has no clause form; call it in an activity of its own and "
                            "wait for that ('ch_activity_wait'), or give it a form (CH_CLAUSE_FORM in "
                            "<charcoal/clause.h>)");
  clause.function = begin;
}

void Translator::WaitParser::closeBrackets(Wait::Clause &clause) {
  for (; !brackets.empty() && at(i) == ")"; ++i) {
    brackets.pop_back();
    ++clause.closes;
  }
}

// Whether the statement ends with this `else`. One in the wrong place is reported, and the clauses go on after it.
bool Translator::WaitParser::otherwise() {
  if (!brackets.empty())
    wrong(i, "'else' belongs to the whole statement, and stands after the last ')'");
  const size_t keyword = i, end = body(keyword + 1);
  size_t behind = end;
  for (size_t open = brackets.size(); open > 0 && at(behind) == ")"; --open)
    ++behind;
  const bool goesOn = isOperator(at(behind)) && source.startsClause(behind + 1);
  if (goesOn)
    wrong(keyword, "'else' stands after the last clause");
  i = end;
  if (!goesOn && brackets.empty()) {
    wait.otherwise = keyword;
    return true;
  }
  wait.misplaced.push_back({keyword, wait.clauses.size()});
  closeBrackets(wait.clauses.back());
  return false;
}

// Reports an `or` or `and` without a clause after it. The tokens that were meant to be the clause are left out.
void Translator::WaitParser::danglingOperator() {
  const std::string word = spelling(at(i));
  if (source.isName(i) && source.isPlain(at(i)))
    return;
  if (at(i + 1) == "else") {
    wrong(i, "'else' follows the last body without '" + word + "'");
    wait.otherwise = ++i;
    i = source.statementEnd(i + 1, level + 1);
    return;
  }
  const bool isMisspelt = misspelt(at(i + 1)) == "waituntil" && at(i + 2) == "(";
  if (isMisspelt) {
    wrong(i + 1, "unknown word '" + std::string(at(i + 1)) + "'; did you mean 'waituntil'?");
    wait.problems.back().replacement = "waituntil";
  } else if (at(i + 1) == "when" && at(i + 2) == "(" && source.startsClause(closing(i + 2) + 1))
    wrong(i + 1, "a guard stands before a single clause, not before a bracket; write it before each 'waituntil' in it");
  else if (at(i + 1) == "when" && at(i + 2) != "(")
    wrong(i + 1, "expected '(' after 'when'; write 'when (condition) waituntil (…) { … }'");
  else if (at(i + 1) == "when")
    wrong(i + 1, "expected 'waituntil' after 'when (…)'; write 'when (condition) waituntil (…) { … }'");
  else if (at(i + 1) == "waituntil")
    wrong(i + 1, std::string("expected '(' after 'waituntil'; ") + howTo);
  else if (at(i + 1) == "(") {
    wrong(i, "expected 'waituntil' after '" + word + "'; write '" + word + " waituntil (…) { … }'");
    wait.problems.back().insertion = " waituntil";
  } else
    wrong(i, "expected a clause after '" + word + "'; write '" + word + " waituntil (…) { … }'");
  ++i;
  if (at(i) == "when")
    i = at(i + 1) == "(" ? closing(i + 1) + 1 : i + 1;
  if (at(i) == "waituntil" || at(i) == "else" || isMisspelt)
    ++i;
  if (at(i) == "(")
    i = closing(i) + 1;
}

// What to call instead of a function that takes a lock and keeps it: `ch_hold` for `ch_lock`.
std::string Translator::WaitParser::holdsForBody(std::string name) const {
  if (const size_t last = name.rfind("lock"); last != std::string::npos)
    name.replace(last, 4, "hold");
  if (name == "pthread_mutex_hold")
    name = "ch_pthread_hold";
  if (!source.names.isDeclared(name + "__leaves"))
    return "wait for a form of it that holds for the body only";
  return "call '" + name + "', which holds for the body only";
}

void Translator::WaitParser::heldBesideAnd() {
  for (const Wait::Clause &clause : wait.clauses)
    if (clause.function != none && source.names.isDeclared(std::string(at(clause.function)) + "__held"))
      wrong(clause.function, "'" + std::string(at(clause.function)) +
                                 "' in a statement with 'and' would still be held while the other clauses are waited "
                                 "for; " +
                                 holdsForBody(std::string(at(clause.function))));
}

} // namespace charcoal::syntax
