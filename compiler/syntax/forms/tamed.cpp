// tamed
//
//   tamed f(int x) { S }     becomes
//
//   void f(int x) { struct __charcoal_tamed __charcoal_tamed; __charcoal_tamed_enter(&__charcoal_tamed);
//                   async (x) { S } }
//
// where the branch belongs to the scope that the caller stands in, whichever that is: __charcoal_tamed_enter finds it.
// The parameters are copied, since f's own are gone when it has returned to its caller.
#include "translator.h"
#include <set>

namespace charcoal::syntax {

// Before a function's declaration. `void` may be written, too, and nothing else.
void Translator::tamedSpecifier() {
  static const std::set<std::string_view> others = {"static", "extern", "inline", "__inline", "__inline__"};
  if (!declaresFunction(position + 1)) {
    problem(position, "'tamed' applies to functions; write 'tamed name(parameters) { … }'");
    drop();
    return;
  }
  const size_t keyword = position;
  if (!names.isDeclared("__charcoal_tamed_enter"))
    problem(keyword, "'tamed' needs '#include <charcoal/events.h>'");
  size_t i = position + 1;
  while (others.count(at(i)))
    ++i;
  drop();
  if (isName(i) && at(i + 1) == "(")
    text(keyword, "void");
  else if (at(i) != "void" || at(i + 1) == "*")
    problem(i,
            "a 'tamed' function returns nothing, since its caller goes on when it first waits; write 'tamed "
            "name(…, event(type) done)' and trigger the event",
            keyword, "it is declared here");
}

// The names between the brackets.
std::vector<size_t> Translator::parameters(size_t open) const {
  std::vector<size_t> result;
  const size_t end = closing(open);
  for (size_t i = open + 1; i < end; ++i) {
    size_t name = none;
    for (; i < end && at(i) != ","; ++i) {
      if (at(i) == "(" && at(i + 1) == "*") { // a pointer to a function
        for (++i; i < end && !isName(i); ++i)
          ;
        name = i;
        while (i < end && at(i) != ",")
          i = at(i) == "(" ? closing(i) + 1 : i + 1;
        break;
      }
      if (at(i) == "(" || at(i) == "[")
        i = closing(i);
      else if (isName(i))
        name = i;
    }
    if (name != none)
      result.push_back(name);
  }
  return result;
}

void Translator::tamedBody(size_t keyword) {
  size_t list = keyword + 1;
  while (list < position && !(at(list) == "(" && isName(list - 1)))
    list = at(list) == "(" ? closing(list) + 1 : list + 1;
  const std::string uid = std::to_string(nextUid++);
  const size_t block = position, end = closing(position);
  take(); // {
  text(keyword, "struct __charcoal_tamed __charcoal_tamed; __charcoal_tamed_enter(&__charcoal_tamed);"
                " { __charcoal_async(" +
                    uid + "u, (struct __charcoal_scope *)&__charcoal_tamed);");
  piece(Piece::Captured, keyword);
  text(keyword, "{ __charcoal_body(" + uid + "u); {");
  openingPragmas();
  copyVariables(parameters(list), keyword);
  open(Region::Tamed, keyword, nextUid - 1);
  blocks.push_back({block, result.pieces.size()}); // as beginBlock does
  text(keyword, {});
  statements(end);
  if (close().hasReturn)
    text(position - 1, "charcoal_end_" + uid + ": ;");
  text(position - 1, "} } } }");
  if (here() == "}")
    take();
}

} // namespace charcoal::syntax
