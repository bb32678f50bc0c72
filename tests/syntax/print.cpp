// Prints what the dialect's core makes of a file: for the tests in core/, without clang.
//
// The file is split into tokens in the simplest way that serves: no preprocessor, no trigraphs.
#include "dialect.h"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

using namespace charcoal::syntax;

static const std::set<std::string> keywords = {
    "auto",   "break",   "case",          "char",         "const",  "continue", "default", "do",
    "double", "else",    "enum",          "extern",       "float",  "for",      "goto",    "if",
    "inline", "int",     "long",          "register",     "return", "short",    "signed",  "sizeof",
    "static", "struct",  "switch",        "typedef",      "union",  "unsigned", "void",    "volatile",
    "while",  "_Atomic", "__attribute__", "__extension__"};

// A line for each statement, so that a difference is easy to see. The braces of an initializer are like parentheses.
static std::string layOut(const std::string &text) {
  std::string result;
  int parentheses = 0, indent = 0, initializers = 0;
  bool atStart = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (atStart && c == ' ')
      continue;
    if (c == '}' && parentheses == 0 && indent > 0)
      --indent;
    if (atStart)
      result.append(2 * indent, ' ');
    result += c;
    parentheses += (c == '(') - (c == ')');
    if (c == '{' && (initializers > 0 || (i > 1 && text.compare(i - 2, 2, "= ") == 0)))
      ++initializers, ++parentheses;
    const bool inInitializer = initializers > 0;
    if (c == '}' && inInitializer)
      --initializers, --parentheses;
    atStart = parentheses <= 0 && (c == '{' || (c == '}' && !inInitializer) || c == ';');
    if (atStart)
      result += '\n';
    if (c == '{' && parentheses <= 0)
      ++indent;
  }
  return result;
}

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "/dev/stdin");
  const std::string source{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<Lexeme> all;
  std::vector<unsigned> lines;
  unsigned line = 1;
  for (size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      line += c == '\n';
      ++i;
      continue;
    }
    size_t end = i + 1;
    Kind kind = Kind::Punctuator;
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      while (end < source.size() && (std::isalnum(static_cast<unsigned char>(source[end])) || source[end] == '_'))
        ++end;
      kind = keywords.count(source.substr(i, end - i)) ? Kind::Keyword : Kind::Name;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (end < source.size() && std::isalnum(static_cast<unsigned char>(source[end])))
        ++end;
      kind = Kind::Literal;
    } else if (c == '"') {
      end = std::min(source.find('"', end), source.size() - 1) + 1;
      kind = Kind::Literal;
    } else
      for (const char *two : {"++", "--", "->", "==", "+=", "&&", "||", "<=", ">="})
        if (source.compare(i, 2, two) == 0)
          end = i + 2;
    all.push_back({std::string_view(source).substr(i, end - i), kind});
    lines.push_back(line);
    i = end;
  }

  // External declarations, split as the watcher does.
  const std::set<std::string_view> functions = {"f", "g", "printf"}, types = {"size_t", "point"},
                                   functionTypes = {"listener"};
  Names names;
  names.isFunctionType = [&](std::string_view word) { return functionTypes.count(word) != 0; };
  names.isFunction = [&](std::string_view word) { return functions.count(word) != 0; };
  names.isType = [&](std::string_view word) { return types.count(word) != 0; };
  // `f` and `g` can be waited for; `g` holds something behind the statement, and `f` for the length of the body.
  const std::set<std::string_view> forms = {"f__clause", "g__clause", "f__leaves", "g__held"};
  names.isDeclared = [&](std::string_view word) {
    return functions.count(word) || types.count(word) || forms.count(word);
  };
  unsigned uid = 0;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    for (int braces = 0; end < all.size(); ++end) {
      braces += (all[end].text == "{") - (all[end].text == "}");
      if (braces <= 0 && (all[end].text == "}" || all[end].text == ";"))
        break;
    }
    end = std::min(end + 1, all.size());
    const std::vector<Lexeme> declaration(all.begin() + begin, all.begin() + end);
    const Translation translation = translate(declaration, names, uid);
    std::cout << layOut(print(declaration, translation));
    for (const Problem &problem : translation.problems) {
      std::cout << "error: line " << lines[begin + problem.index] << ": " << problem.message << '\n';
      if (!problem.note.empty())
        std::cout << "note: line " << lines[begin + problem.noteIndex] << ": " << problem.note << '\n';
    }
    begin = end;
  }
}
