// Makes local variables that hold a rendezvous begin empty, and cancels what is outstanding at the end of their block.
//
//   rendezvous(int) r, *p;     becomes
//
//   rendezvous(int) r = {0}, *p;
//   struct __charcoal_span __charcoal_span_N __attribute__((cleanup(…leave))) = {&r, sizeof r, …enter(…)};
//
// So do arrays of them, and variables of a structure that was declared with one among its members.
#include "translator.h"

namespace charcoal::syntax {

size_t Translator::rendezvousType() const {
  size_t i = position;
  while (at(i) == "const" || at(i) == "volatile")
    ++i;
  size_t end = none;
  if (at(i) == "__typeof__" && at(i + 1) == "(") {
    for (size_t k = i + 2; k < closing(i + 1); ++k)
      if (at(k) == "ch_rendezvous")
        end = closing(i + 1) + 1;
  } else if ((at(i) == "struct" || at(i) == "union") && isName(i + 1) && isName(i + 2)) {
    if (names.holdsRendezvous && names.holdsRendezvous(at(i + 1), true))
      end = i + 2;
  } else if (isName(i) && isName(i + 1) && names.holdsRendezvous && names.holdsRendezvous(at(i), false))
    end = i + 1;
  const bool variables = end != none && (isName(end) || at(end) == "*") && at(end + 1) != "(";
  return variables ? end : none;
}

// Up to the ',' or ';' after it. The name, if it is a variable that holds a rendezvous itself.
size_t Translator::declarator() {
  const size_t name = position;
  if (!isName(name)) {
    while (!done() && here() != "," && here() != ";" && here() != "}")
      skim(position + 1);
    return none;
  }
  take();
  while (here() == "[")
    group();
  if (here() != "=")
    text(name, "= {0}");
  while (!done() && here() != "," && here() != ";" && here() != "}")
    skim(position + 1);
  return name;
}

void Translator::rendezvousDeclaration(size_t typeEnd) {
  std::vector<size_t> variables;
  skim(typeEnd);
  for (;;) {
    if (const size_t name = declarator(); name != none)
      variables.push_back(name);
    if (here() != ",")
      break;
    take();
  }
  if (here() == ";")
    take();
  for (size_t name : variables) {
    const std::string span = std::to_string(nextSpan++);
    text(name, "struct __charcoal_span __charcoal_span_" + span +
                   " __attribute__((__cleanup__(__charcoal_span_leave))) = {(void *)&");
    result.pieces.push_back({Piece::Original, name, {}});
    text(name, ", sizeof(");
    result.pieces.push_back({Piece::Original, name, {}});
    text(name, "), __charcoal_span_enter(&__charcoal_span_" + span + ")};");
  }
}

} // namespace charcoal::syntax
