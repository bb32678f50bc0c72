// Walks over the statements of plain C, and copies them. See translator.h.
#include "waituntil.h"
#include <algorithm>
#include <set>

namespace charcoal::syntax {

// ---- the cursor ----

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

bool Translator::closesMembers(size_t close) const {
  if (at(close) != "}")
    return false;
  size_t open = close;
  for (unsigned level = 0; open > 0; --open) {
    level += at(open) == "}";
    if (at(open) == "{" && --level == 0)
      break;
  }
  for (size_t i = open; i-- > 0 && (isName(i) || at(i) == ")" || at(i) == "(" || isKeyword(i));)
    if (at(i) == "struct" || at(i) == "union" || at(i) == "enum")
      return true;
  return false;
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

// ---- declarations ----

// One external declaration, or a part of one: the caller splits at ';' and '}' that close everything, so that
// a list of declarators after a '}' comes as a declaration of its own.
void Translator::declaration() {
  bool tagged = false;              // struct, union or enum: the next '{' opens its members
  size_t noncancellable = none;     // the word, if the function is declared so
  size_t tamed = none;              // likewise
  const bool alone = here() == "{"; // the body of a function whose parameters are declared the old way
  if (refuseOutsideFunctions())
    return;
  for (size_t i = 1; i < tokens.size(); ++i)
    if (isName(i) && at(i - 1) == "cancel")
      cancelledNames.insert(at(i));
  while (!done()) {
    std::string_view t = here();
    bool isPunctuator = tokens[position].kind == Kind::Punctuator;
    if (isSpecifier("atomic"))
      atomicSpecifier();
    else if (isSpecifier("noncancellable")) {
      noncancellable = position;
      noncancellableSpecifier();
    } else if (isSpecifier("tamed")) {
      tamed = position;
      tamedSpecifier();
    } else if (t == "struct" || t == "union" || t == "enum") {
      tagged = true;
      take();
    } else if (t == "__attribute__" || t == "__attribute" || t == "_Alignas" || t == "alignas" || t == "__declspec") {
      take();
      if (here() == "(")
        group();
    } else if (isPunctuator && t == "{" && (alone || (!tagged && position > 0 && at(position - 1) != "="))) {
      open(Region::Function, position);
      if (tamed != none)
        tamedBody(tamed);
      else
        compound(noncancellable);
      close();
    } else if (isPunctuator && (t == "{" || t == "(" || t == "[")) {
      if (t != "[")
        tagged = false;
      group();
    } else {
      if (t == "=" || t == "*" || t == ";")
        tagged = false;
      if (t == "=") { // an initializer may hold forms in expressions
        take();
        if (here() != "{")
          skim(tokens.size());
      } else
        take();
    }
  }
}

static const std::set<std::string_view> typeWords = {"void",
                                                     "char",
                                                     "short",
                                                     "int",
                                                     "long",
                                                     "float",
                                                     "double",
                                                     "signed",
                                                     "unsigned",
                                                     "_Bool",
                                                     "bool",
                                                     "_Complex",
                                                     "struct",
                                                     "union",
                                                     "enum",
                                                     "const",
                                                     "volatile",
                                                     "restrict",
                                                     "_Atomic",
                                                     "static",
                                                     "extern",
                                                     "register",
                                                     "auto",
                                                     "typedef",
                                                     "inline",
                                                     "__inline",
                                                     "__inline__",
                                                     "_Thread_local",
                                                     "thread_local",
                                                     "__thread",
                                                     "_Alignas",
                                                     "alignas",
                                                     "typeof",
                                                     "__typeof__",
                                                     "__typeof",
                                                     "typeof_unqual",
                                                     "__typeof_unqual__",
                                                     "__auto_type",
                                                     "__int128",
                                                     "_BitInt",
                                                     "_Float16",
                                                     "__fp16",
                                                     "__bf16",
                                                     "_Float128",
                                                     "__float128",
                                                     "_Noreturn",
                                                     "constexpr",
                                                     "__const",
                                                     "__const__",
                                                     "__volatile",
                                                     "__volatile__",
                                                     "__restrict",
                                                     "__restrict__",
                                                     "__signed",
                                                     "__signed__",
                                                     "__extension__"};

// Whether the tokens at `index` begin a declaration rather than an expression.
bool Translator::startsDeclaration(size_t index) const {
  if (isKeyword(index))
    return typeWords.count(at(index)) && at(index) != "__extension__";
  if (!isName(index))
    return false;
  if (isName(index + 1)) // `size_t n`
    return (!isDialectWord(at(index)) && !isWordBeside(at(index))) || isPlain(at(index));
  return at(index + 1) == "*" && names.isType(at(index));
}

// Whether this declaration declares `word`: an ordinary name, and no form begins with it.
bool Translator::declaredInside(std::string_view word) const {
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != word || tokens[i].kind != Kind::Name)
      continue;
    std::string_view before = at(i - 1), after = at(i + 1);
    if (before == "struct" || before == "union" || before == "enum")
      continue; // a tag
    bool afterType = before == "*" || (isKeyword(i - 1) && typeWords.count(before)) ||
                     (isName(i - 1) && !isDialectWord(before) && !isWordBeside(before)) || closesMembers(i - 1);
    bool declarator = after == "=" || after == ";" || after == "," || after == ")" || after == "[";
    if (afterType && declarator && before != "__extension__")
      return true;
    if (afterType && after == "(" && before != "*" && closing(i + 1) + 1 < tokens.size() &&
        (at(closing(i + 1) + 1) == ";" || at(closing(i + 1) + 1) == "{") && isKeyword(i - 1))
      return true; // int word(…);
  }
  return false;
}

bool Translator::isPlain(std::string_view word) const {
  for (const auto &[known, plain] : plainWords)
    if (known == word)
      return plain;
  const bool plain = names.isDeclared(word) || declaredInside(word);
  plainWords.push_back({word, plain});
  return plain;
}

// ---- statements ----

// Deeper nesting than this is beyond what clang parses (-fbracket-depth is 256 there), so it may stay as it is.
static constexpr unsigned deepest = 2000;

void Translator::compound(size_t noncancellable) {
  size_t end = closing(position);
  beginBlock();
  if (noncancellable != none)
    enterScope("__charcoal_barrier_" + std::to_string(nextScope++), true, noncancellable);
  statements(end);
  if (here() == "}")
    take();
}

// Leaves room for what may turn out to be needed in the block.
void Translator::beginBlock() {
  take(); // {
  blocks.push_back({position - 1, result.pieces.size()});
  text(position - 1, {});
}

void Translator::statements(size_t end) {
  while (position < end && !done()) {
    size_t before = position;
    statement(true);
    if (position == before)
      take(); // a token that does not belong here: clang will complain
  }
}

void Translator::statement(bool inList) {
  if (++depth > deepest)
    take(tokens.size());
  size_t begin = labels.size(); // labels before the statement are appended there
  for (;;) {
    std::string_view t = here();
    if (done() || t == "}")
      break;
    firstLabel = begin;
    if (tokens[position].kind == Kind::Other)
      take();
    else if (isName(position) && next() == ":") { // a label
      label();
      continue;
    } else if (t == "[" && next() == "[") { // attributes of the statement
      take(closing(position) + 1);
      continue;
    } else if (tokens[position].kind == Kind::Name && form(inList))
      break;
    else if (const Mistake found = isName(position) ? mistake(inList) : Mistake::None; found != Mistake::None) {
      if (found == Mistake::Statement)
        break;
      continue;
    } else if (tokens[position].kind == Kind::Punctuator && t == "{") {
      compound();
      break;
    } else if (t == "(" && startsWait(position)) {
      lowerWaituntil(inList);
      break;
    } else if (t == "if") {
      take();
      if (here() == "(")
        group();
      afterIf = position;
      statement(false);
      if (here() != "else")
        break;
      take(); // and on with what `else` controls, in this loop: a chain of a thousand is not nested
      inList = false;
      begin = labels.size();
    } else if (t == "else" || t == "_Defer") {
      take();
      inList = false;
    } else if (t == "for" || t == "while") {
      controlled(Region::Loop);
      break;
    } else if (t == "switch") {
      controlled(Region::Switch);
      break;
    } else if (isFinish(position)) {
      lowerFinish(inList);
      break;
    } else if (t == "do") {
      open(Region::Loop, position);
      take();
      statement(false);
      close();
      if (here() == "while") {
        take();
        simpleStatement();
      }
      break;
    } else if (t == "case" || t == "default") {
      caseOrDefault();
      continue;
    } else if (t == "break" || t == "continue") {
      breakOrContinue();
      break;
    } else if (t == "goto") {
      gotoStatement();
      break;
    } else if (t == "return") {
      returnStatement();
      break;
    } else {
      const size_t typeEnd = inList ? rendezvousType() : none;
      if (typeEnd != none)
        rendezvousDeclaration(typeEnd);
      else
        simpleStatement();
      break;
    }
  }
  --depth;
}

void Translator::label() {
  labels.push_back({here(), regions, position, result.pieces.size(), 0});
  const bool cancelled = cancelledNames.count(here()) != 0;
  take();
  take();        // :
  if (cancelled) // a use that clang does not see
    text(position - 1, "__attribute__((__unused__))");
  labels.back().pieceEnd = result.pieces.size();
}

// Where statement() would stop, found without translating.
size_t Translator::statementEnd(size_t i, unsigned level) const {
  if (level > deepest)
    return tokens.size();
  auto behindGroup = [&](size_t open) { return at(open) == "(" ? closing(open) + 1 : open; };
  while (i < tokens.size() && at(i) != "}") {
    const std::string_view t = at(i);
    const bool isWord = isName(i);
    if (tokens[i].kind == Kind::Other || t == "else" || t == "_Defer")
      ++i;
    else if (isWord && at(i + 1) == ":")
      i += 2;
    else if (t == "[" && at(i + 1) == "[")
      i = closing(i) + 1;
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

void Translator::controlled(Region::What what) {
  size_t keyword = position;
  take();
  if (here() == "(")
    group();
  open(what, keyword);
  statement(false);
  close();
}

void Translator::simpleStatement() {
  for (const size_t first = position; !done() && here() != "}";) {
    if (position > first && isUnended(position))
      return expectSemicolonBefore(here());
    bool last = here() == ";";
    if (last) {
      take();
      return;
    }
    skim(position + 1);
  }
}

// ---- what statements are made of ----

void Translator::skim(size_t end) {
  while (position < end && !done()) {
    std::string_view t = here();
    if (tokens[position].kind == Kind::Punctuator && (t == "(" || t == "[" || t == "{"))
      group();
    else if (isAtomicExpression())
      atomicExpression();
    else if (isBareAtomicExpression())
      drop();
    else if (refuseStatementInExpression())
      ;
    else if (isSlot())
      slot();
    else if (t == "^" && next() == "{") { // a block: a function inside an expression
      take();
      open(Region::Function, position);
      compound();
      close();
    } else if (t == "^" && next() == "(" && at(closing(position + 1) + 1) == "{") {
      take();
      group();
      open(Region::Function, position);
      compound();
      close();
    } else
      take();
  }
}

void Translator::group() {
  size_t end = closing(position);
  const bool closed = isClosed(position);
  if (++depth > deepest)
    take(end);
  if (here() == "(" && next() == "{") { // a statement expression
    take();
    compound();
  } else
    take();
  skim(end);
  if (closed)
    take();
  --depth;
}

// ---- the whole ----

Translation translate(const std::vector<Lexeme> &tokens, const Names &names, unsigned &nextUid) {
  bool jumps = false;
  for (const Lexeme &token : tokens)
    jumps |= token.text == "goto";
  std::vector<Label> labels;
  if (jumps) { // a `goto` may stand before its label
    Translator first(tokens, names, nextUid);
    first.declaration();
    labels = std::move(first.labels);
  }
  Translator translator(tokens, names, nextUid);
  translator.known = &labels;
  translator.declaration();
  nextUid = translator.nextUid;
  // What is missing at the end of the input is reported at the last token.
  const size_t last = tokens.empty() ? 0 : tokens.size() - 1;
  for (Piece &piece : translator.result.pieces)
    piece.index = std::min(piece.index, last);
  for (Problem &problem : translator.result.problems) {
    problem.index = std::min(problem.index, last);
    problem.noteIndex = std::min(problem.noteIndex, last);
  }
  return std::move(translator.result);
}

std::string print(const std::vector<Lexeme> &tokens, const Translation &translation) {
  std::string result;
  for (const Piece &piece : translation.pieces) {
    if (piece.what == Piece::Text && piece.text.empty())
      continue;
    if (!result.empty())
      result += ' ';
    switch (piece.what) {
    case Piece::Original:
      result += tokens[piece.index].text;
      break;
    case Piece::Text:
      result += piece.text;
      break;
    case Piece::Captured:
      result += "<captured>";
      break;
    case Piece::Site:
      result += "<site>";
      break;
    }
  }
  return result;
}

} // namespace charcoal::syntax
