// The dialect's forms: how each is recognized, and the plain C it becomes.
//
// A new form is a line in the table, a match and a lowering. Its word stays an ordinary name wherever the
// shape of the form does not follow, and wherever the program has declared it.
#include "translator.h"
#include <algorithm>
#include <set>

namespace charcoal::syntax {

const Translator::Form Translator::forms[] = {
    {"atomic", &Translator::matchesAtomic, &Translator::lowerAtomic},
    {"assert_no_yield", &Translator::matchesNoYield, &Translator::lowerNoYield},
    {"activate", &Translator::matchesActivate, &Translator::lowerActivate},
    {"yield", &Translator::matchesYield, &Translator::lowerYield},
    {"async", &Translator::matchesAsync, &Translator::lowerAsync},
    {"cancel", &Translator::matchesCancel, &Translator::lowerCancel},
    {"noncancellable", &Translator::matchesNoncancellable, &Translator::lowerNoncancellable},
    {"within", &Translator::matchesDeadline, &Translator::lowerFinish},
    {"by", &Translator::matchesDeadline, &Translator::lowerFinish},
    {"finish", &Translator::matchesLoneFinish, &Translator::lowerLoneFinish},
    {"waituntil", &Translator::matchesWaituntil, &Translator::lowerWaituntil},
    {"when", &Translator::matchesWaituntil, &Translator::lowerWaituntil},
    {"twait", &Translator::matchesTwait, &Translator::lowerTwait},
};

bool isDialectWord(std::string_view word) {
  static const std::set<std::string_view> words = {
      "atomic", "activate",  "yield",           "async", "finish", "cancel",          "noncancellable", "within",
      "by",     "waituntil", "assert_no_yield", "twait", "tamed",  "__charcoal_slot", "ch_rendezvous"};
  return words.count(word) != 0;
}

bool Translator::form(bool inList) {
  for (const Form &form : forms)
    if (here() == form.word && (this->*form.matches)(!isPlain(form.word))) {
      (this->*form.lower)(inList);
      return true;
    }
  return false;
}

static const std::set<std::string_view> statementWords = {
    "if",       "for",  "while", "do",      "switch", "case",          "default", "return",  "break",
    "continue", "goto", "asm",   "__asm__", "__asm",  "__extension__", "sizeof",  "_Generic"};

// A statement stands after the word.
bool Translator::matchesStatement(bool sure) const {
  if (next() == "{")
    return true;
  if (!sure)
    return false;
  return isName(position + 1) || startsDeclaration(position + 1) || statementWords.count(next()) || next() == "(" ||
         next() == "*" || next() == "&" || attributesEnd(position + 1) != position + 1 ||
         (next() == "++" && at(position + 2) != ";") || (next() == "--" && at(position + 2) != ";");
}

// `atomic` or `noncancellable` among the specifiers of a function's declaration.
bool Translator::isSpecifier(std::string_view word) const {
  if (here() != word || !isName(position) || names.isDeclared(word))
    return false;
  if (position == 0 && attributesEnd(1) != 1) // `atomic [[nodiscard]] int f(void);`
    return true;
  return (isName(position + 1) || (isKeyword(position + 1) && next() != "asm") || next() == "*") &&
         (position == 0 || at(position - 1) != "*");
}

} // namespace charcoal::syntax
