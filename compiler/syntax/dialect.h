// The dialect, free of clang: tokens of one external declaration in, tokens of plain C with marker calls out.
//
//   in:   void f(int i) { activate (i) { g(i); } }
//   out:  the same tokens, with pieces of new text between them; each piece is anchored at the token that
//         caused it, or at the last one of a form that it closes: so every diagnostic, debugger and editor finds
//         the user's code.
//
// Invariants: a declaration in which no form of the dialect stands comes out as it went in. Outside
// the forms every token comes out once, in order.
#ifndef CHARCOAL_SYNTAX_DIALECT_H
#define CHARCOAL_SYNTAX_DIALECT_H

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace charcoal::syntax {

enum class Kind : unsigned char {
  Name,       // an identifier that is no keyword of C
  Keyword,    // a keyword of C
  Punctuator, //
  Literal,    // a number, character or string
  Other,      // belongs to a pragma, and is no part of a statement
  Opening,    // a pragma that may stand only at the beginning of a block
};

struct Lexeme {
  std::string_view text;
  Kind kind;
};

// One element of the output.
struct Piece {
  enum What : unsigned char {
    Original, // the token number `index` of the input
    Text,     // new text, anchored at token `index`
    Captured, // what follows is a block that becomes a function of its own
    Site,     // the place of token `index` as a string, "file:line"
  };
  What what;
  size_t index;
  std::string text; // of Text
};

struct Problem {
  size_t index; // the token at which it is reported
  std::string message;
  size_t noteIndex = 0; // another place that matters; meaningful if `note` is not empty
  std::string note;
  std::string replacement = {}; // what the token should be instead
  std::string insertion = {};   // what is missing after the token; the problem is reported there
  bool danglingElse = false;    // no error but clang's warning of this name, which has a text of its own
};

struct Translation {
  std::vector<Piece> pieces;
  std::vector<Problem> problems;
};

// What the dialect has to know about names that were declared before this declaration.
struct Names {
  std::function<bool(std::string_view)> isDeclared;     // as any name of the file scope
  std::function<bool(std::string_view)> isType;         // as a type
  std::function<bool(std::string_view)> isFunction;     // as a function
  std::function<bool(std::string_view)> isFunctionType; // as the type of functions: `typedef int name(int);`
  // As a type, or as the tag of one, whose variables hold a rendezvous.
  std::function<bool(std::string_view, bool isTag)> holdsRendezvous;
};

// Whether a name can begin a form of the dialect.
bool isDialectWord(std::string_view);
bool isWordBeside(std::string_view); // a word of the dialect only if it stands beside another: `or`, `when`,
                                     // `contained`, …
// One of these, or a word that may be misspelt. A declaration without such a name needs no translation.
bool concernsDialect(std::string_view);

// The word of the dialect for which this one may be a misspelling. Nothing if it is a word of the dialect itself, or
// resembles none.
std::string_view misspelt(std::string_view);
std::string_view misspelt(std::string_view, const std::vector<std::string_view> &words);

// `nextUid` numbers the spawn statements of a translation unit.
Translation translate(const std::vector<Lexeme> &, const Names &, unsigned &nextUid);

// The output as text, for tests and for reading; `tokens` as given to translate().
std::string print(const std::vector<Lexeme> &tokens, const Translation &);

} // namespace charcoal::syntax

#endif
