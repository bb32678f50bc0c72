// The position in the tokens, brackets and their partners, and what is copied to the output. See translator.h.
#include "translator.h"

namespace charcoal::syntax {

static char partner(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

// Where all brackets match, nobody has to search: groups in groups would be searched again and again.
void Translator::findPartners() {
  std::vector<size_t> open;
  std::vector<size_t> found(tokens.size(), none);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::Punctuator || tokens[i].text.size() != 1)
      continue;
    const char c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{')
      open.push_back(i);
    else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || partner(at(open.back())[0]) != c)
        return;
      found[open.back()] = i;
      found[i] = open.back();
      open.pop_back();
    }
  }
  if (open.empty())
    partners = std::move(found);
}

size_t Translator::closing(size_t open) const {
  if (open < partners.size() && partners[open] != none && partners[open] > open)
    return partners[open];
  std::string expected; // the closing brackets that are due, innermost last
  for (size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::Punctuator || tokens[i].text.size() != 1)
      continue;
    const char c = tokens[i].text[0];
    if (c == '(' || c == '[' || c == '{')
      expected += partner(c);
    else if (c == ')' || c == ']' || c == '}') {
      const size_t due = expected.rfind(c);
      if (due == std::string::npos) // closes a group around this one, which is never closed
        return i;
      expected.resize(due);
      if (expected.empty())
        return i;
    }
  }
  return tokens.size();
}

bool Translator::isClosed(size_t open) const {
  const size_t end = closing(open);
  return end < tokens.size() && at(end)[0] == partner(at(open)[0]);
}

void Translator::take() {
  if (!done())
    result.pieces.push_back({Piece::Original, position++, {}});
}

void Translator::take(size_t end) {
  while (position < end && !done())
    take();
}

void Translator::text(size_t anchor, std::string words) {
  result.pieces.push_back({Piece::Text, anchor, std::move(words)});
}

void Translator::piece(Piece::What what, size_t anchor) { result.pieces.push_back({what, anchor, {}}); }

void Translator::problem(size_t index, std::string message, size_t noteIndex, std::string note) {
  result.problems.push_back({index, std::move(message), noteIndex, std::move(note)});
}

} // namespace charcoal::syntax
