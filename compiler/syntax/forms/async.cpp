// async
//
//   async S     becomes   { __charcoal_async(uid, &__charcoal_finish_0); <captured> { __charcoal_body(uid); S } }
//
// S becomes a function that takes the addresses of the variables that it uses, and is called at once. If S starts
// branches itself it gets a scope, and waits for them at its end, because they may use its variables. In
// `async (i) { … }` the body itself begins by copying i. That is early enough, because the body begins at once.
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesAsync(bool sure) const {
  if (isName(position + 1) && at(position + 2) == "{" && !isDialectWord(next()))
    return false; // a list of copies without brackets
  return matchesStatement(sure) || (next() == "(" && at(closing(position + 1) + 1) == "{");
}

void Translator::lowerAsync(bool) {
  const size_t keyword = position;
  const Region *scope = scopeAround("async");
  if (scope)
    for (auto region = regions.rbegin(); region->number != scope->number; ++region)
      if (region->what == Region::Barrier) {
        problem(keyword,
                "'async' in a 'noncancellable' block cannot belong to the 'do … finish' outside it; write 'async "
                "noncancellable …' instead, or a 'do … finish' inside the block",
                region->keyword, "the block begins here");
        scope = nullptr;
        break;
      }
  drop();
  if (startsDeclaration(position)) {
    problem(keyword,
            "'async' stands before a statement, not a declaration; declare the variable first, then 'async x = "
            "…;'");
    scope = nullptr;
  }
  std::vector<size_t> copies;
  bool hasList = here() == "(" && at(closing(position) + 1) == "{";
  if (isListBeforeStatement(position)) {
    problem(position, "'async' with a list of copies needs a block; write 'async (…) { … }'");
    hasList = true;
  }
  if (hasList)
    copies = namesToCopy(keyword);
  if (!scope) {
    statement(false);
    return;
  }
  const std::string uid = std::to_string(nextUid++);
  text(keyword, "{ __charcoal_async(" + uid + "u, &__charcoal_finish_" + std::to_string(scope->uid) + ");");
  piece(Piece::Captured, keyword);
  text(keyword, "{ __charcoal_body(" + uid + (hasList ? "u); {" : "u);"));
  if (hasList)
    copyVariables(copies, keyword);
  const size_t begin = result.pieces.size(); // the position in the output where the scope is entered if the body turns
                                             // out to need one
  for (size_t i = 0; i < scopePieces({}, false, keyword).size(); ++i)
    text(keyword, {});
  open(Region::Async, keyword);
  statement(false);
  std::string end = hasList ? "} } } }" : "} }";
  if (const Region region = close(); region.startsBranches) {
    std::vector<Piece> pieces = scopePieces("__charcoal_finish_" + std::to_string(region.uid), false, keyword);
    pieces.front().text.insert(0, "{ ");
    std::move(pieces.begin(), pieces.end(), result.pieces.begin() + begin);
    end += " }";
  }
  text(position - 1, end);
}

} // namespace charcoal::syntax
