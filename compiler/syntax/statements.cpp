// Walks over the statements and expressions of plain C, and copies them. See translator.h.
#include "waituntil.h"
#include <algorithm>

namespace charcoal::syntax {

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
  const size_t open = position;
  take(); // {
  openingPragmas();
  blocks.push_back({open, result.pieces.size()});
  text(open, {});
}

// `#pragma STDC FP_CONTRACT OFF` and its like have to stand before everything else in a block.
void Translator::openingPragmas() {
  while (!done() && tokens[position].kind == Kind::Opening)
    take();
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
    if (isPragma(position))
      take();
    else if (isName(position) && next() == ":") { // a label
      label();
      continue;
    } else if (const size_t end = attributesEnd(position); end != position) { // attributes of the statement
      take(end);
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

// The '{' of the block, a function inside an expression, that begins at this '^': ^{…}, ^(int x) {…} or ^struct s *(int
// x) {…}. None if an operator stands there.
size_t Translator::blockBody(size_t caret) const {
  size_t i = caret + 1;
  while (isName(i) || isKeyword(i) || at(i) == "*" || at(i) == "(" || at(i) == "[")
    i = at(i) == "(" || at(i) == "[" ? closing(i) + 1 : i + 1;
  return at(i) == "{" ? i : none;
}

void Translator::skim(size_t end) {
  while (position < end && !done()) {
    std::string_view t = here();
    if (tokens[position].kind == Kind::Punctuator && (t == "(" || t == "[" || t == "{"))
      group();
    else if (isAtomicExpression())
      atomicExpression(closing(position + 1) + 1);
    else if (isBareAtomicExpression())
      drop();
    else if (refuseStatementInExpression())
      ;
    else if (isSlot())
      slot();
    else if (const size_t body = t == "^" ? blockBody(position) : none; body != none) {
      take();
      while (position < body)
        here() == "(" || here() == "[" ? group() : take();
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
