// atomic statement, atomic POLICY { … }, atomic (expression), atomic declaration
//
//   atomic S          becomes   { int __charcoal_atomic __attribute__((cleanup(…leave))) = 0; …enter(); S }
//   ({ atomic f(x); })   becomes   ({ __extension__ ({ int __charcoal_atomic …; …enter(); f(x); }); })
//   atomic error {}   becomes   { …; unsigned __charcoal_before __attribute__((cleanup(…policy_leave))) =
//                                 (…enter(), __charcoal_policy(2u)); {} }
//
// The cleanup runs on every way out, and clang itself forbids jumps past it.
#include "translator.h"
#include <set>

namespace charcoal::syntax {

bool Translator::matchesAtomic(bool sure) const { return matchesStatement(sure); }

#define ATOMIC_LEAVE "int __charcoal_atomic __attribute__((__cleanup__(__charcoal_atomic_leave))) = 0;"
static const char atomicBegin[] = ATOMIC_LEAVE " __charcoal_atomic_enter();";
// No statement stands between the two declarations, of which some warn.
static const char policyBegin[] = ATOMIC_LEAVE " unsigned __charcoal_before"
                                               " __attribute__((__cleanup__(__charcoal_policy_leave))) ="
                                               " (__charcoal_atomic_enter(), __charcoal_policy(";

struct Translator::AtomicPolicy {
  std::string_view word;
  const char *number; // CH_POLICY_…
};
const Translator::AtomicPolicy Translator::atomicPolicies[4] = {
    {"delay", "0u"}, {"contained", "1u"}, {"error", "2u"}, {"free", "3u"}};

// Consumes the word between `atomic` and a block, and returns what it says; null if there is no such word.
const Translator::AtomicPolicy *Translator::atomicPolicy() {
  if (!isName(position) || next() != "{")
    return nullptr;
  const AtomicPolicy *found = nullptr;
  for (const AtomicPolicy &policy : atomicPolicies)
    if (here() == policy.word)
      found = &policy;
  if (!found) {
    const std::string_view right = misspelt(here(), {"delay", "contained", "free", "error"});
    problem(position, "unknown policy '" + std::string(here()) + "' of an 'atomic' block" +
                          (right.empty() ? "; it may be 'delay', 'contained', 'free' or 'error'"
                                         : "; did you mean '" + std::string(right) + "'?"));
    result.problems.back().replacement = right;
  }
  drop();
  return found;
}

// Spawning is an error in a block that says so, unless one inside it says otherwise.
void Translator::checkPolicy(size_t spawn) {
  for (size_t i = regions.size(); i-- > 0 && regions[i].what != Region::Function && regions[i].what != Region::Body;)
    if (!regions[i].policy.empty()) {
      if (regions[i].policy == "error")
        problem(spawn, "'activate' in a block that says 'atomic error'; put it after the block", regions[i].keyword,
                "the block begins here");
      return;
    }
}

void Translator::lowerAtomic(bool inList) {
  const size_t keyword = position;
  if (inList && startsDeclaration(position + 1)) {
    if (declaresFunction(position + 1)) {
      atomicSpecifier();
      simpleStatement();
      return;
    }
    text(keyword, "__charcoal_atomic_enter();"); // no block is opened, because the declared names must be visible
                                                 // afterwards
    drop();
    open(Region::Atomic, keyword);
    simpleStatement();
    close();
    text(position - 1, "__charcoal_atomic_leave(0);");
    return;
  }
  if (inList && isValueOfBlock()) {
    atomicExpression(simpleEnd(position + 1) - 1);
    return take(); // ;
  }
  drop();
  const AtomicPolicy *policy = atomicPolicy();
  text(keyword, policy ? std::string("{ ") + policyBegin + policy->number + "));" : std::string("{ ") + atomicBegin);
  refuseList(position);
  open(Region::Atomic, keyword);
  if (policy)
    regions.back().policy = policy->word;
  statement(false);
  close();
  text(position - 1, "}");
}

// Translates `atomic (` where an expression may begin. Where a statement may begin, form() has already translated it as
// a statement.
bool Translator::isAtomicExpression() {
  if (here() != "atomic" || !isName(position) || next() != "(" || position == 0 || isPlain("atomic"))
    return false;
  std::string_view before = at(position - 1);
  if (isName(position - 1) || before == "." || before == "->" || tokens[position - 1].kind == Kind::Literal)
    return false;
  return !isKeyword(position - 1) || before == "return" || before == "sizeof" || before == "__extension__" ||
         before == "else" || before == "case";
}

// An operand of an expression begins at the cursor.
bool Translator::isBehindOperator() const {
  static const std::set<std::string_view> operators = {"=", "(", ",", "+",  "-", "return", "&&", "||",
                                                       "?", ":", "!", "==", "<", ">",      "+=", "-="};
  return position > 0 && operators.count(at(position - 1)) != 0;
}

// `x = atomic f();`, which lacks the parentheses, or `for (atomic int i = f(); …)`.
bool Translator::isBareAtomicExpression() {
  if (here() != "atomic" || !isName(position) || !isBehindOperator() || isPlain("atomic"))
    return false;
  if (at(position - 1) == "(" && position > 1 && isKeyword(position - 2) && startsDeclaration(position + 1)) {
    const std::string head(at(position - 2));
    problem(position, "'atomic' cannot stand before a declaration in the head of '" + head +
                          "'; write it around the value: '" + head + " (int i = atomic (…); …)'");
    return true;
  }
  if (!(isName(position + 1) || isLiteral(position + 1)))
    return false;
  problem(position, "'atomic' in an expression needs parentheses; write 'atomic (…)'");
  return true;
}

// Whether an expression follows that ends a statement expression: `({ … atomic f(x); })` has the value of f(x).
bool Translator::isValueOfBlock() const {
  const size_t first = position + 1, end = simpleEnd(first);
  const bool isExpression = at(first) == "(" || (isName(first) && at(first + 1) == "(");
  return isExpression && !isDialectWord(at(first)) && at(end - 1) == ";" && at(end) == "}" && at(end + 1) == ")";
}

void Translator::atomicExpression(size_t end) {
  const size_t keyword = position;
  text(keyword, std::string("__extension__ ({ ") + atomicBegin);
  drop();
  open(Region::Atomic, keyword);
  skim(end);
  close();
  text(position - 1, "; })");
}

void Translator::atomicSpecifier() {
  // What follows a type's members comes as a declaration of its own.
  if (!declaresFunction(position + 1) && !(regions.empty() && closesMembers(tokens.size() - 1))) {
    problem(position,
            "'atomic' applies to functions, statements and expressions; for a variable that is read and written "
            "in one step write '_Atomic'");
    drop();
    return;
  }
  const size_t keyword = position;
  drop();
  take(attributesEnd(position)); // [[…]] stands before everything else
  text(keyword, "__attribute__((__annotate__(\"charcoal.atomic\")))");
}

} // namespace charcoal::syntax
