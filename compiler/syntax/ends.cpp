// Where a statement ends, found without translating it. See translator.h.
#include "waituntil.h"

namespace charcoal::syntax {

// Where statement() would stop, found without translating.
size_t Translator::statementEnd(size_t i, unsigned level) const {
  if (level > deepest)
    return tokens.size();
  auto behindGroup = [&](size_t open) { return at(open) == "(" ? closing(open) + 1 : open; };
  while (i < tokens.size() && at(i) != "}") {
    const std::string_view t = at(i);
    const bool isWord = isName(i);
    if (isPragma(i) || t == "else" || t == "_Defer")
      ++i;
    else if (isWord && at(i + 1) == ":")
      i += 2;
    else if (const size_t behind = attributesEnd(i); behind != i)
      i = behind;
    else if (t == "{")
      return closing(i) + 1;
    else if (startsWait(i))
      return parseWait(i, level + 1).end;
    else if (t == "case" || t == "default")
      i = caseEnd(i);
    else if (t == "for" || t == "while" || t == "switch")
      i = behindGroup(i + 1);
    else if (isWord && (t == "within" || t == "by") && at(i + 1) == "(" &&
             (at(closing(i + 1) + 1) == "do" || at(closing(i + 1) + 1) == "{"))
      i = behindGroup(i + 1);
    else if (isWord && t == "twait" && at(i + 1) == "{")
      return closing(i + 1) + 1;
    else if (isWord && t == "async" && at(i + 1) == "(" && at(closing(i + 1) + 1) == "{")
      return closing(closing(i + 1) + 1) + 1;
    else if (isWord && t == "atomic" && isName(i + 1) && at(i + 2) == "{") // with a policy
      i += 2;
    else if (isWord && (t == "async" || t == "atomic" || t == "noncancellable" || t == "assert_no_yield") &&
             at(i + 1) != ";")
      ++i;
    else if (t == "if") {
      i = statementEnd(behindGroup(i + 1), level + 1);
      if (at(i) != "else")
        return i;
    } else if (t == "do") {
      i = statementEnd(i + 1, level + 1);
      if (at(i) != "while" && at(i) != "finish" && !isMisspeltFinish(i))
        return i;
      return simpleEnd(i);
    } else if (isWord && t == "activate") {
      i += isSpawnPolicy(i + 1) ? 2 : 1;
      if (at(i) == "[")
        i = closing(i) + 1;
      if (at(behindGroup(i)) == "{")
        i = behindGroup(i);
      else
        return simpleEnd(i);
    } else
      return simpleEnd(i);
  }
  return i;
}

// After the attributes that begin at `index`, in either spelling; `index` if there are none.
size_t Translator::attributesEnd(size_t index) const {
  for (;;) {
    const bool isGnus = (at(index) == "__attribute__" || at(index) == "__attribute") && at(index + 1) == "(";
    if (!isGnus && !(at(index) == "[" && at(index + 1) == "["))
      return index;
    index = closing(isGnus ? index + 1 : index) + 1;
  }
}

// After the next ';', or at the '}' where that is missing.
size_t Translator::simpleEnd(size_t i) const {
  for (const size_t first = i; i < tokens.size() && at(i) != "}"; ++i) {
    if (at(i) == ";")
      return i + 1;
    if (i > first && isUnended(i))
      return i;
    if (at(i) == "(" || at(i) == "[" || at(i) == "{")
      i = closing(i);
  }
  return i;
}

// After the ':' of the label that begins at `index`, or where that is missing, at what ends the statement.
size_t Translator::caseEnd(size_t index) const {
  unsigned conditionals = 0; // case a ? b : c:
  for (size_t end = index + 1; end < tokens.size(); ++end) {
    std::string_view t = at(end);
    if (t == "(" || t == "[" || t == "{")
      end = closing(end);
    else if (t == "?")
      ++conditionals;
    else if (t == ":" && conditionals-- == 0)
      return end + 1;
    else if (t == ";" || t == "}")
      return end;
  }
  return tokens.size();
}

} // namespace charcoal::syntax
