// Reads the list of variables that `activate (i, j) { … }` and `async (i, j) { … }` copy, and makes the copies.
#include "translator.h"
#include <algorithm>

namespace charcoal::syntax {

std::vector<size_t> Translator::namesToCopy(size_t keyword) {
  std::vector<size_t> result;
  const std::string word = "'" + std::string(at(keyword)) + "'";
  const size_t end = closing(position);
  for (size_t i = position + 1; i < end; i += 2) {
    if (isName(i) && at(i + 1) == "," && i + 2 == end) {
      problem(i + 1, "expected a name after ',' in the list of copies", keyword, "in this " + word);
    } else if (!isName(i) || (at(i + 1) != "," && i + 1 != end)) {
      problem(i,
              word + " copies variables: between '(' and ')' it takes names separated by commas; "
                     "store the expression in a variable first",
              keyword, "in this " + word);
      result.clear();
      break;
    }
    const auto earlier = std::find_if(result.begin(), result.end(), [&](size_t k) { return at(k) == at(i); });
    if (earlier == result.end())
      result.push_back(i);
    else
      problem(i, "'" + std::string(at(i)) + "' is named twice in this list of copies", *earlier, "here already");
  }
  drop(end + 1);
  return result;
}

// Names in parentheses before something that no operator joins to them: a list of copies, but not before a block.
bool Translator::isListBeforeStatement(size_t open) const {
  const size_t end = closing(open);
  return isList(open) && (isName(end + 1) || isKeyword(end + 1));
}

bool Translator::isList(size_t open) const {
  const size_t end = closing(open);
  if (at(open) != "(" || !isClosed(open) || (end - open) % 2 || names.isType(at(open + 1)))
    return false;
  for (size_t i = open + 1; i < end; ++i)
    if ((i - open) % 2 ? !isName(i) : at(i) != ",")
      return false;
  return true;
}

void Translator::refuseList(size_t open) {
  if (!isList(open) || !(isListBeforeStatement(open) || at(closing(open) + 1) == "{"))
    return;
  const std::string word(at(open - 1));
  problem(open, "'" + word + "' copies no variables; write '" + word + " { … }'");
  drop(closing(open) + 1);
}

// Declares variables of the same names, with the same values, in a block that it opens.
void Translator::copyVariables(const std::vector<size_t> &variables, size_t keyword) {
  std::string declarations, copies;
  for (size_t k = 0; k < variables.size(); ++k) {
    const std::string name(at(variables[k])), pointer = "__charcoal_" + std::to_string(k);
    text(keyword, "__extension__ __auto_type " + pointer + " = &");
    result.pieces.push_back({Piece::Original, variables[k], {}}); // an undeclared name is reported at its place in the
                                                                  // list
    text(keyword, ";");
    bool declared = names.isDeclared(name);
    for (size_t i = 0; i < keyword && !declared; ++i)
      declared = at(i) == name;
    if (declared) // in the specifiers `name` still means the variable outside; if that is undeclared, one error is
                  // enough
      declarations += " __attribute__((__aligned__(__alignof__(" + name + "))))";
    declarations += " __typeof_unqual__(*" + pointer + ") " + name + ";";
    copies += " __builtin_memcpy((void *)&" + name + ", (const void *)" + pointer + ", sizeof " + name + ");";
  }
  text(keyword, "{" + declarations + copies);
}

} // namespace charcoal::syntax
