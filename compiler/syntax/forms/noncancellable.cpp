//   noncancellable S     becomes     { struct __charcoal_scope …; __charcoal_scope_enter(&…, 1u, "file:line"); S }
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesNoncancellable(bool sure) const { return matchesStatement(sure); }

void Translator::lowerNoncancellable(bool inList) {
  const size_t keyword = position;
  if (inList && startsDeclaration(position + 1)) {
    noncancellableSpecifier();
    simpleStatement();
    return;
  }
  text(keyword, "{");
  enterScope("__charcoal_barrier_" + std::to_string(nextScope++), true, keyword);
  drop();
  refuseList(position);
  open(Region::Barrier, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

// `noncancellable` before a function's declaration. If a body follows it gets the scope; callers need not know of it.
void Translator::noncancellableSpecifier() {
  if (!declaresFunction(position + 1))
    problem(position, "'noncancellable' applies to statements and functions; declare the variable first, then "
                      "'noncancellable x = …;'");
  for (size_t i = position + 1; regions.empty() && i < tokens.size() && at(i) != "{"; ++i)
    if (at(i) == "(") {
      const bool parameters = isName(i - 1);
      i = closing(i);
      if (parameters && startsDeclaration(i + 1)) // the body will come as a declaration of its own
        problem(
            position,
            "'noncancellable' needs a function whose parameters are declared in the parentheses; declare them so, or "
            "write 'noncancellable { … }' in the body");
      if (parameters)
        break;
    }
  drop();
}

} // namespace charcoal::syntax
