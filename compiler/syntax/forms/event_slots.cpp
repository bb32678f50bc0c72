// Finds out in which block the variables are declared that are slots of a `mkevent`.
//
//   { int x; … __charcoal_slot(&x) … }     becomes
//
//   { struct ch_event_anchor __charcoal_anchor_N __attribute__((cleanup(…leave))) = {{0}, …enter(…)};
//     int x; … &__charcoal_anchor_N, &x, sizeof(x) … }
//
// The cleanup makes events that are still outstanding forget the slot. By `enter` the runtime knows of the block, in
// case that a longjmp leaves it. For a slot that is no part of a local variable the arguments are 0, 0, 0. Whether
// `x[i]` is a part of x, or of what x points to, is decided when the event is made.
#include "translator.h"
#include <set>

namespace charcoal::syntax {

bool Translator::isSlot() const { return here() == "__charcoal_slot" && next() == "("; }

// The bracket that this one closes.
size_t Translator::opening(size_t close) const {
  if (close < partners.size() && partners[close] < close)
    return partners[close];
  unsigned level = 0;
  for (size_t i = close + 1; i-- > 0;) {
    const std::string_view t = at(i);
    if (t == ")" || t == "]" || t == "}")
      ++level;
    else if ((t == "(" || t == "[" || t == "{") && --level == 0)
      return i;
  }
  return 0;
}

// Whether the name at `index` is the one that a declaration declares: as a local variable, or as anything.
bool Translator::isDeclarator(size_t index, bool asLocal) const {
  static const std::set<std::string_view> behind = {"=", ";", ",", ")", "["};
  static const std::set<std::string_view> unknown = {"static", "extern", "typedef"};
  if (!isName(index) || index == 0 || !behind.count(at(index + 1)))
    return false;
  const std::string_view before = at(index - 1);
  if (before == ")" && at(opening(index - 1) - 1) != "__typeof__" && at(opening(index - 1) - 1) != "typeof")
    return false;
  if (before != "*" && before != "," && before != ")" && before != "}" && !isName(index - 1) && !isKeyword(index - 1))
    return false;
  size_t start = index;
  bool initializer = false;
  for (bool same = true; start > 0; --start) {
    const std::string_view t = at(start - 1);
    if (t == ";" || t == "{" || t == "(" || (t == "}" && at(start) != "*" && !isName(start)))
      break;
    same &= t != ",";
    initializer |= same && t == "=";
    if (t == ")" || t == "]" || t == "}")
      start = opening(start - 1) + 1;
  }
  return !initializer && startsDeclaration(start) && !(asLocal && unknown.count(at(start)));
}

// The block is the body of an `activate (name) { … }` or the like.
bool Translator::isCopiedInto(size_t block, std::string_view name) const {
  if (block == 0 || at(block - 1) != ")")
    return false;
  const size_t list = opening(block - 1);
  const std::string_view word = list > 0 ? at(list - 1) : std::string_view();
  const bool afterPolicy = list > 1 && isSpawnPolicy(list - 1) && at(list - 2) == "activate";
  if (word != "activate" && word != "async" && word != "]" && !afterPolicy)
    return false;
  for (size_t i = list; i < block; ++i)
    if (at(i) == name)
      return true;
  return false;
}

// The '{' of the block that a local variable belongs to; or none.
size_t Translator::blockOf(size_t variable) const {
  const std::string_view name = at(variable);
  size_t found = none;
  for (size_t i = position; i-- > 0;) {
    const std::string_view t = at(i);
    if (t == name && found == none && isDeclarator(i, true))
      found = i;
    if (t == ")" || t == "]" || t == "}")
      i = opening(i);
    else if (t == "{") {
      if (found == none && i > 0 && at(i - 1) == ")" && !isCopiedInto(i, name))
        for (size_t k = opening(i - 1); k < i && found == none; ++k) // of a loop, or a parameter
          if (at(k) == name && isDeclarator(k, true))
            found = k;
      if (found != none || isCopiedInto(i, name))
        for (const auto &[block, piece] : blocks)
          if (block == i)
            return i;
    }
  }
  return none;
}

// The variable that the expression between the brackets names, or names a part of; or none.
size_t Translator::slotVariable(size_t open) const {
  size_t i = open + 1;
  while (at(i) == "(" || at(i) == "&")
    ++i;
  const std::string_view behind = at(i + 1);
  return isName(i) && (behind == ")" || behind == "." || behind == "[") ? i : none;
}

void Translator::slot() {
  const size_t keyword = position, open = position + 1, variable = slotVariable(open);
  const size_t block = variable == none ? none : blockOf(variable);
  drop(closing(open) + 1);
  if (block == none) {
    text(keyword, "0, 0, 0");
    return;
  }
  const std::string anchor = "__charcoal_anchor_" + std::to_string(block);
  for (const auto &[begin, piece] : blocks)
    if (begin == block && piece < result.pieces.size() && result.pieces[piece].what == Piece::Text)
      result.pieces[piece].text = "struct ch_event_anchor " + anchor +
                                  " __attribute__((__cleanup__(__charcoal_anchor_leave))) = {{0}, "
                                  "__charcoal_anchor_enter(&" +
                                  anchor + ")};";
  const std::string name(at(variable));
  text(keyword, "&" + anchor + ", (const void *)&" + name + ", sizeof(__typeof__(" + name +
                    "))"); // an array as a parameter is a pointer
}

} // namespace charcoal::syntax
