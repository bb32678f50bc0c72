// What clang cannot know about a word that it does not understand: that it is a word of the dialect, or that a header
// beside charcoal.h declares it.
#ifndef CHARCOAL_SYNTAX_UNKNOWN_WORDS_H
#define CHARCOAL_SYNTAX_UNKNOWN_WORDS_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Preprocessor.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace charcoal::syntax {

// Each word is explained once.
class UnknownWords {
public:
  explicit UnknownWords(clang::Preprocessor &preprocessor)
      : preprocessor(preprocessor), isC(!preprocessor.getLangOpts().CPlusPlus) {}
  struct Note {
    clang::SourceLocation place;
    std::string text;
  };
  // Where clang does not know a word of the dialect, because the file does not have the dialect or because the word
  // stands in the wrong place, says what is missing. The word may be a mistake of another kind, so clang's own message
  // stays.
  std::optional<Note> ofDialect(const clang::Diagnostic &);
  // Where clang does not understand a line with the name of an object that a header of its own declares, and the
  // program has not declared the name, says which header does. What clang reports of `channel(T) c;` depends on where
  // it stands, and often names another place in the line.
  std::vector<Note> ofHeaders(const clang::Diagnostic &);

private:
  clang::Preprocessor &preprocessor;
  const bool isC;
  std::set<std::string> noted; // the words about which there was a note
};

} // namespace charcoal::syntax

#endif
