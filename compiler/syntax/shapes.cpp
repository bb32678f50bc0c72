// Reports words of the dialect that are spelled right but stand in a wrong shape: one function for each word says what
// the form looks like. The statement is then translated as if it were right. See mistakes.cpp.
#include "translator.h"
#include <algorithm>

namespace charcoal::syntax {

// The word at the cursor, and what stands after it.
struct Translator::Shape {
  size_t keyword;
  std::string word;
  std::string_view follows;
  bool empty;    // nothing that could belong to it follows
  bool group;    // a bracketed group follows
  size_t behind; // the first token after the word, or after that group

  // With this number of words in brackets.
  bool isCall(size_t words) const { return group && behind == keyword + 3 + words; }
};

Translator::Mistake Translator::wrongShape() {
  struct Word {
    const char *word;
    Mistake (Translator::*wrong)(const Shape &);
  };
  static const Word words[] = {
      {"yield", &Translator::wrongYield},         {"cancel", &Translator::wrongCancel},
      {"finish", &Translator::wrongFinish},       {"within", &Translator::wrongDeadline},
      {"by", &Translator::wrongDeadline},         {"assert_no_yield", &Translator::wrongNoYield},
      {"contained", &Translator::wrongContained}, {"twait", &Translator::wrongTwait},
  };
  const bool group = next() == "(" && isClosed(position + 1);
  const Shape shape = {position, std::string(here()),
                       next(),   next() == ";" || next() == "}" || next().empty(),
                       group,    group ? closing(position + 1) + 1 : position + 1};
  for (const Word &entry : words)
    if (shape.word == entry.word)
      return (this->*entry.wrong)(shape);
  return wrongPrefix(shape);
}

// `yield();`: takes the statement as if the brackets were not there.
Translator::Mistake Translator::refuseCall(const Shape &shape, const std::string &right) {
  problem(shape.keyword, "'" + shape.word + "' is a statement, not a function; write '" + right + ";'");
  drop(shape.behind);
  take();
  return Mistake::Statement;
}

Translator::Mistake Translator::wrongYield(const Shape &shape) {
  if (shape.group && at(shape.behind) == ";")
    return refuseCall(shape, "yield");
  // Leaves an expression with an undeclared name to clang, which reports it.
  if (tokens.size() > position + 1 && tokens[position + 1].kind == Kind::Punctuator && shape.follows != "}" &&
      shape.follows != "{")
    return Mistake::None;
  drop();
  text(shape.keyword, "__charcoal_yield()");
  expectSemicolon("yield");
  return Mistake::Statement;
}

Translator::Mistake Translator::wrongCancel(const Shape &shape) {
  if (at(shape.behind) == ";" && shape.isCall(0))
    return refuseCall(shape, "cancel");
  if (at(shape.behind) == ";" && shape.isCall(1) && isName(position + 2))
    return refuseCall(shape, "cancel " + std::string(at(position + 2)));
  if ((isLiteral(position + 1) && at(position + 2) == ";") || (shape.group && at(shape.behind) == ";")) {
    problem(position + 1, "'cancel' takes the name of a 'do … finish'; write 'cancel;' or 'cancel name;'");
    text(shape.keyword, "(void)0");
    drop(shape.group ? shape.behind : position + 2);
    take();
    return Mistake::Statement;
  }
  if (shape.follows != "}" && shape.follows != "{" && !isName(position + 1) && !isKeyword(position + 1))
    return Mistake::None;
  bool label = false; // `cancel q }`, but not `cancel` and then the statement `q(…)`
  for (const Region &region : regions)
    label |= std::find(region.labels.begin(), region.labels.end(), shape.follows) != region.labels.end();
  drop(shape.keyword + (label ? 2 : 1));
  text(shape.keyword, "(void)0");
  expectSemicolon(label ? "cancel " + std::string(shape.follows) : "cancel");
  return Mistake::Statement;
}

Translator::Mistake Translator::wrongFinish(const Shape &shape) {
  if (shape.follows == "{" || shape.follows == "do" || isName(position + 1)) {
    problem(shape.keyword, "'finish' stands after the block that it waits for; write 'do { … } finish;'");
    drop(position + (shape.follows == "do" ? 2 : 1));
    enterScopeAnyway(shape.keyword);
    return Mistake::Statement;
  }
  if (shape.follows != "}")
    return Mistake::None;
  problem(shape.keyword, "'finish' without a 'do' before it; write 'do { … } finish;'");
  drop();
  text(shape.keyword, ";");
  return Mistake::Statement;
}

// Ends with the quote after the form.
std::string Translator::deadlineForm(std::string_view word) {
  return std::string(word) + (word == "by" ? " (time)" : " (nanoseconds)") + " do { … } finish;'";
}

// `within` and `by`, which stand before a `do … finish`.
Translator::Mistake Translator::wrongDeadline(const Shape &shape) {
  const auto &[keyword, word, follows, empty, group, behind] = shape;
  const std::string form = deadlineForm(word);
  if (group && at(behind) == "do") {
    problem(behind, "'" + word + "' needs 'finish;' after the block, not a loop; write '" + form, keyword,
            "for this '" + word + "'");
    drop(behind);
    return Mistake::Prefix;
  }
  if (group && position > 0 && at(position - 1) == "do") {
    problem(keyword, "'" + word + " (…)' stands before 'do'; write '" + form);
    drop(behind);
    return Mistake::Prefix;
  }
  size_t to = position + 1; // the `do`, not far away
  while (at(to) != "do" && at(to) != ";" && at(to) != "{" && at(to) != "}" && to < tokens.size())
    to = (at(to) == "(" && isClosed(to) ? closing(to) : to) + 1;
  if (at(to) == "do" && isFinish(to)) {
    if (isName(behind) && at(behind + 1) == ":") {
      problem(behind, "the name of a 'do … finish' stands before its deadline; write 'name: " + form);
      to = behind;
    } else if (group)
      problem(behind, "expected 'do' after '" + word + " (…)'; write '" + form);
    else if (follows == "(")
      problem(to, "expected ')' before 'do'", position + 1, "to match this '('");
    else
      problem(position + 1, "expected '(' after '" + word + "'; write '" + form);
    drop(to);
    return Mistake::Prefix;
  }
  if (group && (at(behind) == "{" || isName(behind) || isKeyword(behind))) {
    problem(behind, "expected 'do' after '" + word + " (…)'; write '" + form);
    drop(behind);
    enterScopeAnyway(keyword);
    return Mistake::Statement;
  }
  if (!empty && !(group && (at(behind) == ";" || at(behind) == "}")))
    return Mistake::None;
  problem(keyword, "'" + word + "' is a deadline for a 'do … finish'; write '" + form);
  drop(behind);
  if (here() != ";")
    text(keyword, ";");
  return Mistake::Prefix;
}

Translator::Mistake Translator::wrongNoYield(const Shape &shape) {
  const bool hasList = shape.group && at(shape.behind) == "{";
  const bool isCall = shape.group && at(shape.behind) == ";";
  if (!shape.empty && !hasList && !isCall && !isName(position + 1) && !isKeyword(position + 1))
    return Mistake::None;
  problem(shape.keyword, hasList ? "'assert_no_yield' copies no variables; write 'assert_no_yield { … }'"
                                 : "'assert_no_yield' needs a block; write 'assert_no_yield { … }'");
  drop(hasList || isCall ? shape.behind : position + 1);
  return Mistake::Prefix;
}

Translator::Mistake Translator::wrongContained(const Shape &shape) {
  if (shape.follows != "activate" && shape.follows != "{")
    return Mistake::None;
  problem(shape.keyword, shape.follows == "{"
                             ? "'contained' says how activities or an atomic block behave; write 'activate contained "
                               "{ … }' or 'atomic contained { … }'"
                             : "'contained' stands after 'activate'; write 'activate contained …'");
  drop();
  return Mistake::Prefix;
}

Translator::Mistake Translator::wrongTwait(const Shape &shape) {
  if (shape.follows == "(" || shape.follows == "{")
    return Mistake::None;
  problem(shape.keyword, "'twait' waits for the events of a block or of a rendezvous; write 'twait { … }' or "
                         "'twait(r, &id);'");
  drop(simpleEnd(position + 1));
  text(shape.keyword, ";");
  return Mistake::Statement;
}

// `activate [&a { … }`
Translator::Mistake Translator::wrongHandle() {
  const size_t open = position + 1;
  size_t to = open;
  while (at(to) != "{" && at(to) != "}" && at(to) != ";" && to < tokens.size())
    to = (at(to) == "(" ? closing(to) : to) + 1;
  problem(to - 1, "expected ']' after the handle; write 'activate [&handle] …'", open, "to match this '['");
  drop(to);
  if (here() != "{" && here() != ";")
    text(open, ";");
  return Mistake::Prefix;
}

// The words that stand before a statement: activate, async, atomic, noncancellable.
Translator::Mistake Translator::wrongPrefix(const Shape &shape) {
  const auto &[keyword, word, follows, empty, group, behind] = shape;
  const bool activates = word == "activate";
  static const char needsWork[] = "'activate' needs a block or a call: write 'activate { … }' or 'activate f(…);'";
  if (empty) {
    problem(keyword, activates ? needsWork
                               : "'" + word + "' needs a statement after it; write '" + word + " { … }' or '" + word +
                                     " f(…);'");
    drop();
    if (here() != ";")
      text(keyword, ";");
    return Mistake::Prefix;
  }
  if (follows == "&" && activates) {
    size_t block = position + 1;
    while (block < tokens.size() && at(block) != "{" && at(block) != ";" && at(block) != "}")
      ++block;
    if (at(block) != "{")
      return Mistake::None;
    problem(position + 1, "a handle stands in brackets; write 'activate [&handle] { … }'");
    drop(block);
    return Mistake::Prefix;
  }
  if (follows == "[" && !isClosed(position + 1) && activates)
    return wrongHandle();
  if (word == "async" && isName(position + 1) && at(position + 2) == "{") {
    problem(position + 1, "what is copied stands in brackets; write 'async (" + std::string(follows) + ") { … }'");
    drop(position + 2);
    return Mistake::Prefix;
  }
  if (follows != "[" || !isClosed(position + 1))
    return Mistake::None;
  if (activates)
    problem(keyword, needsWork);
  else
    problem(position + 1, "'" + word + "' takes no handle; only 'activate [&handle] …' does");
  drop(closing(position + 1) + 1);
  if (here() == "}" || done())
    text(keyword, ";");
  return Mistake::Prefix;
}

} // namespace charcoal::syntax
