// Walks over external declarations, and tells the names that a program declares from the dialect's words. See
// translator.h.
#include "translator.h"

namespace charcoal::syntax {

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
  index = attributesEnd(index);
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
    if (before == "," && isDeclarator(i, false)) // int a, word;
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

// Whether the declaration at `index` declares or defines a function, rather than variables. In brackets the declarator
// goes on: a function that returns a pointer to one is `int (*name(int))(int)`, and a pointer `int (*name)(int)`. The
// type may also be one of functions: `fn name;`.
bool Translator::declaresFunction(size_t index) const {
  static const std::set<std::string_view> withOperand = {
      "__attribute__", "__attribute", "__declspec",    "_Alignas", "alignas", "typeof",
      "__typeof__",    "__typeof",    "typeof_unqual", "_Atomic",  "_BitInt", "__typeof_unqual__"};
  bool isPointer = false; // what the innermost brackets declare
  size_t behind = none;   // after the operand of one of these words
  for (size_t i = index; i < tokens.size() && at(i) != ";" && at(i) != "=" && at(i) != "{"; ++i) {
    if (at(i) == "[")
      i = closing(i);
    isPointer |= at(i) == "*" || at(i) == "^";
    if (isName(i) && isName(i + 1) && names.isFunctionType(at(i)))
      return true;
    if (at(i) != "(")
      continue;
    const std::string_view before = i > index ? at(i - 1) : std::string_view(), after = at(i + 1);
    const bool isInner = after == "*" || after == "^" || after == "(" || (!isName(i - 1) && at(i + 2) == ")");
    if (withOperand.count(before)) {
      i = closing(i);
      behind = i + 1;
    } else if (before == ")" && i != behind)
      return !isPointer;
    else if (isInner)
      isPointer = false;
    else if (i > index && isName(i - 1))
      return true;
    else
      i = closing(i);
  }
  return false;
}

} // namespace charcoal::syntax
