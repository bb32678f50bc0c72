// Recognizes statements that were meant for a form of the dialect but have a misspelt word or a wrong shape.
//
// It is called where a statement begins that is no form. clang would report an undeclared identifier; the message here
// says what the form looks like. The statement is then translated as if it were right, so that the mistake is reported
// only once.
#include "translator.h"
#include <algorithm>
#include <map>
#include <set>

namespace charcoal::syntax {

static const std::vector<std::string_view> words = {"activate", "assert_no_yield", "async",     "atomic", "cancel",
                                                    "finish",   "noncancellable",  "waituntil", "within", "yield"};

bool isWordBeside(std::string_view word) {
  static const std::set<std::string_view> words = {"and", "contained", "fair", "or", "when"};
  return words.count(word) != 0;
}

bool concernsDialect(std::string_view word) {
  return isDialectWord(word) || isWordBeside(word) || !misspelt(word).empty();
}

// Letters to insert, delete, change or swap with their neighbour to get from one word to the other.
static size_t distance(std::string_view from, std::string_view to) {
  std::vector<size_t> before, above, row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    before = std::move(above);
    above = row;
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::string_view misspelt(std::string_view word) { return misspelt(word, words); }

static std::string withoutUnderscores(std::string_view word) {
  std::string result(word);
  result.erase(std::remove(result.begin(), result.end(), '_'), result.end());
  return result;
}

std::string_view misspelt(std::string_view word, const std::vector<std::string_view> &words) {
  const std::string letters = withoutUnderscores(word);
  if (letters.size() < 4 || letters.size() > 16 || word.find_first_of("0123456789") != word.npos ||
      std::find(words.begin(), words.end(), word) != words.end())
    return {};
  std::string_view nearest;
  size_t best = letters.size() < 6 ? 2 : 3; // too many differences: it is another word
  for (std::string_view right : words) {
    const std::string wanted = withoutUnderscores(right);
    if (std::max(wanted.size(), letters.size()) - std::min(wanted.size(), letters.size()) >= best)
      continue;
    if (const size_t d = distance(letters, wanted); d < best) {
      best = d;
      nearest = right;
    }
  }
  return nearest;
}

bool Translator::isKnown(std::string_view word) const { return names.isDeclared(word) || declaredInside(word); }

// Whether the current word would begin a form of the dialect if it were spelt `right`. The shapes that are looked for
// do not occur in C with a name that the program has not declared.
bool Translator::wouldBe(std::string_view right) const {
  const size_t behind = next() == "(" ? closing(position + 1) + 1 : position + 1;
  if (right == "yield")
    return next() == ";";
  if (right == "cancel")
    return next() == ";" || (isName(position + 1) && at(position + 2) == ";");
  if (right == "finish")
    return next() == ";" && position > 0 && at(position - 1) == "}";
  if (right == "within")
    return next() == "(" && at(behind) == "do";
  if (right == "activate" && next() == "[")
    return isClosed(position + 1);
  static const std::set<std::string_view> statements = {"if", "for", "while", "do", "switch", "return"};
  if (right == "waituntil" && next() == "(" && (isName(behind) || isKeyword(behind)))
    return true;
  return at(behind) == "{" || (isName(position + 1) && (at(position + 2) == "(" || isKnown(next()))) ||
         statements.count(next()) != 0;
}

bool Translator::isMisspeltFinish(size_t index) const {
  return isName(index) && at(index + 1) == ";" && misspelt(at(index)) == "finish" && !isPlain(at(index));
}

void Translator::correct(std::string_view right) {
  problem(position, "unknown word '" + std::string(here()) + "'; did you mean '" + std::string(right) + "'?");
  result.problems.back().replacement = right;
  tokens[position].text = right;
}

Translator::Mistake Translator::mistake(bool inList) {
  if (const std::string_view right = misspelt(here()); !right.empty()) {
    if (isPlain(here()) || !wouldBe(right))
      return Mistake::None;
    correct(right);
    return form(inList) ? Mistake::Statement : wrongShape();
  }
  if (const Mistake found = wrongWait(); found != Mistake::None)
    return found;
  const bool isOurs = isDialectWord(here()) || here() == "contained";
  return isOurs && !isPlain(here()) ? wrongShape() : Mistake::None;
}

static const char clauseForm[] = "'waituntil (…) { … }'";

// Recognizes what was meant for a clause of `waituntil`.
Translator::Mistake Translator::wrongWait() {
  const std::string word(here());
  static const std::set<std::string_view> ofClauses = {"waituntil", "when", "or", "and", "fair"};
  if (ofClauses.count(word) == 0 || isPlain(here()))
    return Mistake::None;
  if (word == "when")
    return wrongGuard();
  if (word == "waituntil")
    return wrongBrackets();
  if (position == behindBroken && word != "fair" && startsClause(position + 1)) {
    drop(); // it would be right if the clause before it were
    return Mistake::Prefix;
  }
  const bool alone = word != "fair" && (next() == ";" || next() == "{" || next() == "waituntil");
  if (word == "fair" ? next() != "waituntil" : !alone && !startsClause(position + 1))
    return Mistake::None;
  problem(position,
          word == "fair"
              ? "'fair' stands after the word; write 'waituntil fair (…) { … }'"
              : "'" + word + "' stands between two clauses, and there is none before it; each ends with its body");
  drop();
  return Mistake::Prefix;
}

// `when` without its condition, or without the clause after it.
Translator::Mistake Translator::wrongGuard() {
  const bool group = next() == "(" && isClosed(position + 1);
  const size_t behind = group ? closing(position + 1) + 1 : position + 1;
  size_t to = position + 1; // the `waituntil`, not far away
  while (!group && isName(to) && at(to) != "waituntil")
    ++to;
  if (group && at(behind) == "(" && startsClause(behind))
    problem(position,
            "a guard stands before a single clause, not before a bracket; write it before each 'waituntil' in it");
  else if (group && at(behind) == "waituntil")
    problem(behind, std::string("expected '(' after 'waituntil'; write ") + clauseForm);
  else if (group && (at(behind) == "{" || isName(behind) || isKeyword(behind)))
    problem(behind - 1, "expected 'waituntil' after 'when (…)'; write 'when (condition) waituntil (…) { … }'");
  else if (!group && (at(to) == "waituntil" || next() == "{" || next() == ";"))
    problem(position + 1, "expected '(' after 'when'; write 'when (condition) waituntil (…) { … }'");
  else
    return Mistake::None;
  drop(group ? behind + (at(behind) == "waituntil") : at(to) == "waituntil" ? to : position + 1);
  behindBroken = statementEnd(position);
  return Mistake::Prefix;
}

// `waituntil` without brackets, or with one that is not closed.
Translator::Mistake Translator::wrongBrackets() {
  if (next() == "(" && isClosed(position + 1))
    return Mistake::None;
  const size_t keyword = position, open = position + 1;
  const bool fair = next() == "fair", block = next() == "{";
  if (next() != "(")
    problem(fair ? open : keyword,
            "expected '(' after '" + std::string(fair ? "fair" : "waituntil") + "'; write " + clauseForm);
  drop(fair ? open + 1 : open);
  if (block) { // with clauses, perhaps, in the way of other languages
    drop(isClosed(position) ? closing(position) + 1 : position + 1);
    text(keyword, ";");
    return Mistake::Statement;
  }
  const bool unclosed = here() == "(" && !isClosed(position);
  if (unclosed)
    drop();
  while (!done() && here() != "{" && here() != ";" && here() != "}") // what was meant for the call
    drop(here() == "(" ? closing(position) + 1 : position + 1);
  if (unclosed && open + 1 < position) {
    problem(position - 1, "expected ')' after what is waited for; write " + std::string(clauseForm), open,
            "to match this '('");
    result.problems.back().insertion = ")";
  }
  if (here() == "}")
    text(position - 1, ";");
  behindBroken = statementEnd(position);
  return Mistake::Prefix;
}

// A statement of the dialect where an expression is expected, as in `x = async f();`.
bool Translator::refuseStatementInExpression() {
  static const std::map<std::string_view, const char *> rightForms = {{"async", "async x = f(…);"},
                                                                      {"activate", "activate { x = f(…); }"},
                                                                      {"atomic", "atomic { x = f(…); }"},
                                                                      {"noncancellable", "noncancellable x = f(…);"},
                                                                      {"waituntil", "waituntil (x = f(…)) { … }"}};
  const auto right = rightForms.find(here());
  if (right == rightForms.end() || !isBehindOperator() || isPlain(here()))
    return false;
  const bool group = next() == "(" && isClosed(position + 1);
  const size_t behind = group ? closing(position + 1) + 1 : position + 1;
  if (at(behind) != "{" && !isName(behind) && !(group && here() == "waituntil"))
    return false;
  problem(position, "'" + std::string(here()) + "' begins a statement and has no value; write '" + right->second + "'");
  drop();
  if (at(behind) == "{") {
    text(position - 1, "0");
    drop(isClosed(behind) ? closing(behind) + 1 : behind);
  }
  return true;
}

// Whether a statement of the dialect begins at a token where the one before it goes on.
bool Translator::isUnended(size_t i) const {
  const std::string_view t = at(i), before = at(i - 1), after = at(i + 1);
  const bool isEnd = isName(i - 1) || isLiteral(i - 1) || before == ")" || before == "]" || before == "++" ||
                     before == "--"; // of an expression
  if (!isEnd || !isName(i) || !(isDialectWord(t) || isWordBeside(t)) || isPlain(t))
    return false;
  if (t == "waituntil" || t == "when")
    return startsClause(i);
  if (t == "or" || t == "and")
    return startsClause(i + 1);
  if (t == "cancel" || t == "yield")
    return after == ";" || (t == "cancel" && isName(i + 1) && at(i + 2) == ";");
  if (t == "within" || t == "by")
    return after == "(" && at(closing(i + 1) + 1) == "do";
  if (t == "async" || t == "activate")
    return after == "{" || (isName(i + 1) && (at(i + 2) == "(" || at(i + 2) == "="));
  return (t == "atomic" || t == "noncancellable" || t == "assert_no_yield" || t == "twait") && after == "{";
}

void Translator::expectSemicolonBefore(std::string_view word) {
  problem(position - 1, "expected ';' before '" + std::string(word) + "'");
  result.problems.back().insertion = ";";
  text(position - 1, ";");
}

size_t Translator::openBrace() const {
  unsigned level = 1;
  size_t i = position;
  while (i > 0 && level > 0)
    level += at(--i) == "}" ? 1 : at(i) == "{" ? -1 : 0;
  return i;
}

// A statement of the dialect where a declaration is expected: probably a '}' before it has ended the function.
bool Translator::refuseOutsideFunctions() {
  static const std::set<std::string_view> beforeBlocks = {"activate", "assert_no_yield", "async",
                                                          "atomic",   "noncancellable",  "twait"};
  const std::string word(here());
  const bool isStatement = startsWait(position) ||
                           ((word == "cancel" || word == "finish" || word == "yield") && next() == ";") ||
                           (beforeBlocks.count(word) != 0 && next() == "{") || matchesDeadline(true);
  if (!isName(position) || !isStatement || isPlain(here()))
    return false;
  problem(position,
          "'" + word + "' is a statement, and stands outside all functions; is there a '}' too many before it?");
  text(position, ";");
  drop(tokens.size());
  return true;
}

// The ';' after the token before this one is missing.
void Translator::expectSemicolon(std::string_view behind) {
  problem(position - 1, "expected ';' after '" + std::string(behind) + "'");
  result.problems.back().insertion = ";";
  text(position - 1, ";");
}

// The statement gets a scope all the same, so that the `async` and `cancel` statements in it are not reported as well.
void Translator::enterScopeAnyway(size_t keyword) {
  Region finish{Region::Finish, keyword, nextRegion++, nextScope++};
  text(keyword, "{");
  enterScope("__charcoal_finish_" + std::to_string(finish.uid), false, keyword);
  regions.push_back(std::move(finish));
  statement(false);
  close();
  if (here() == "finish") {
    drop();
    if (here() == ";")
      drop();
  }
  text(position - 1, "}");
}

} // namespace charcoal::syntax
