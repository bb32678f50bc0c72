// atomic statement, atomic (expression), atomic declaration
//
//   atomic S    becomes   { int __charcoal_atomic __attribute__((cleanup(…leave))) = 0; …enter(); S }
//
// The cleanup runs on every way out, and clang itself forbids jumps past it.
#include "translator.h"
#include <set>

namespace charcoal::syntax {

bool Translator::matchesAtomic(bool sure) const { return matchesStatement(sure); }

static const char atomicBegin[] = "int __charcoal_atomic __attribute__((__cleanup__(__charcoal_atomic_leave))) = 0;"
                                  " __charcoal_atomic_enter();";

void Translator::lowerAtomic(bool inList) {
  const size_t keyword = position;
  if (inList && startsDeclaration(position + 1)) {
    if (declaresFunction(position + 1)) {
      atomicSpecifier();
      simpleStatement();
      return;
    }
    text(keyword, "__charcoal_atomic_enter();"); // the names must stay in this block, so there is none to end
    drop();
    open(Region::Atomic, keyword);
    simpleStatement();
    close();
    text(position - 1, "__charcoal_atomic_leave(0);");
    return;
  }
  text(keyword, std::string("{ ") + atomicBegin);
  drop();
  refuseList(position);
  open(Region::Atomic, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

// `atomic (` where an expression may begin. Where a statement begins, form() has taken it as a statement.
bool Translator::isAtomicExpression() {
  if (here() != "atomic" || !isName(position) || next() != "(" || position == 0 || isPlain("atomic"))
    return false;
  std::string_view before = at(position - 1);
  if (isName(position - 1) || before == "." || before == "->" || tokens[position - 1].kind == Kind::Literal)
    return false;
  return !isKeyword(position - 1) || before == "return" || before == "sizeof" || before == "__extension__" ||
         before == "else" || before == "case";
}

// `x = atomic f();`, which lacks the parentheses.
bool Translator::isBareAtomicExpression() {
  if (here() != "atomic" || !isName(position) || position == 0 || isPlain("atomic"))
    return false;
  static const std::set<std::string_view> operators = {"=",  "(", ",", "+", "-",  "return", "&&",
                                                       "||", "?", ":", "!", "==", "<",      ">"};
  if (!operators.count(at(position - 1)) || !(isName(position + 1) || isLiteral(position + 1)))
    return false;
  problem(position, "'atomic' in an expression needs parentheses; write 'atomic (…)'");
  return true;
}

void Translator::atomicExpression() {
  const size_t keyword = position;
  text(keyword, std::string("__extension__ ({ ") + atomicBegin);
  drop();
  open(Region::Atomic, keyword);
  group();
  close();
  text(position - 1, "; })");
}

void Translator::atomicSpecifier() {
  if (!declaresFunction(position + 1)) {
    problem(position,
            "'atomic' applies to functions, statements and expressions; for a variable that is read and written "
            "in one step write '_Atomic'");
    drop();
    return;
  }
  text(position, "__attribute__((__annotate__(\"charcoal.atomic\")))");
  drop();
}

} // namespace charcoal::syntax
