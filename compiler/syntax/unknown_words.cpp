// See unknown_words.h.
#include "unknown_words.h"
#include "dialect.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <map>

using namespace clang;

namespace charcoal::syntax {

// Whether clang reports a name that it does not know, or a statement that it does not.
static bool isAboutName(unsigned id) {
  switch (id) {
  case diag::err_undeclared_var_use:
  case diag::err_undeclared_var_use_suggest:
  case diag::err_unknown_typename:
  case diag::err_unknown_typename_suggest:
  case diag::err_expected_while:
  case diag::ext_implicit_function_decl_c99:
  case diag::err_typecheck_call_not_function:
    return true;
  default:
    return false;
  }
}

// Names that headers beside charcoal.h declare, with what has to follow the name. The functions on these objects are
// not listed, because the declaration of the object is reported before them.
static constexpr struct {
  const char *name, *follows, *header;
} elsewhere[] = {
    {"channel", "(", "channel"},        {"future", "(", "future"},   {"broadcast", "(", "broadcast"},
    {"subscription", "(", "broadcast"}, {"watch", "(", "watch"},     {"event", "(", "events"},
    {"rendezvous", "(", "events"},      {"ch_mutex", "", "locks"},   {"ch_rwlock", "", "locks"},
    {"ch_permits", "", "locks"},        {"ch_cond", "", "locks"},    {"ch_barrier", "", "locks"},
    {"ch_latch", "", "locks"},          {"ch_once", "", "locks"},    {"ch_dial", "(", "client"},
    {"ch_listen", "(", "server"},       {"ch_serve", "(", "server"}, {"ch_server_prepare", "(", "server"},
    {"ch_hang_up", "(", "server"},      {"ch_output", "", "output"}, {"ch_waiter", "", "lowlevel"},
};

// Whether a type in parentheses has to follow the name.
static bool takesType(llvm::StringRef word) {
  return llvm::any_of(elsewhere, [&](const auto &entry) {
    const llvm::StringRef header = entry.header;
    return word == entry.name && *entry.follows && header != "client" && header != "server";
  });
}

// Words with which other languages say what Charcoal says otherwise.
static const char waits[] = "a call that waits lets others run by itself, and needs no word before it";
static const char begins[] = "an activity is begun by 'activate f(…);'";
static const char chooses[] = "to wait for one of several calls write 'waituntil (…) { … } or waituntil (…) { … }'";
static const std::map<std::string, const char *> ofOtherLanguages = {
    {"await", waits},   {"co_await", waits}, {"go", begins},   {"spawn", begins},
    {"launch", begins}, {"select", chooses}, {"alt", chooses}, {"choose", chooses}};

// What clang cannot know about this word, at which a diagnostic stands in a dialect file; "" if nothing.
static std::string misplaced(unsigned id, const std::string &word) {
  static const std::set<std::string> statements = {"yield",  "async",  "atomic",    "activate",       "finish",
                                                   "cancel", "within", "waituntil", "noncancellable", "twait"};
  if (id == diag::err_undeclared_var_use && statements.count(word))
    return "'" + word + "' is a statement, and cannot be part of an expression" +
           (word == "activate" ? "; a handle stands in brackets: 'activate [&handle] f(…);'" : "");
  if (id == diag::err_unknown_typename && word == "atomic")
    return "'atomic' stands before a statement or the declaration of a function; for a variable that is read and "
           "written in one step write '_Atomic'";
  if (id == diag::err_unknown_typename && statements.count(word))
    return "'" + word + "' stands before a statement in a function; the declaration of a function needs no word, " +
           "because each function may wait";
  if (const auto found = ofOtherLanguages.find(word); isAboutName(id) && found != ofOtherLanguages.end())
    return found->second;
  if (id == diag::err_capture_block_variable)
    return "the body of a statement of the dialect reaches such a variable through a pointer: '__typeof__(" + word +
           ") *pointer = &" + word + ";' before the statement";
  if (id == diag::err_expected_expression && word == "else")
    return "each 'if' and 'waituntil' before this either has its 'else' already or has ended without one";
  return "";
}

std::optional<UnknownWords::Note> UnknownWords::ofDialect(const Diagnostic &what) {
  const SourceManager &sources = what.getSourceManager();
  const SourceLocation place = sources.getFileLoc(what.getLocation());
  llvm::SmallString<32> buffer;
  const std::string word = Lexer::getSpelling(place, buffer, sources, preprocessor.getLangOpts()).str();
  if (noted.count(word))
    return std::nullopt;
  const bool isName = isAboutName(what.getID());
  std::string text;
  if (preprocessor.isMacroDefined("__CHARCOAL_DIALECT__"))
    text = misplaced(what.getID(), word);
  else if (isName && (isC || preprocessor.isMacroDefined("CHARCOAL_H")) && isDialectWord(word))
    text = "'" + word + "' is a word of Charcoal's dialect" +
           (isC ? "; if that is meant, write '#include <charcoal.h>'"
                : ", which C++ does not have; write a function in C, and declare it 'extern \"C\"' here");
  if (text.empty() && isName && takesType(word) && preprocessor.isMacroDefined(word))
    text = "'" + word + "' needs a type in parentheses behind it: '" + word + "(int)'";
  if (text.empty())
    return std::nullopt;
  noted.insert(word);
  return Note{place, text};
}

std::vector<UnknownWords::Note> UnknownWords::ofHeaders(const Diagnostic &what) {
  std::vector<Note> notes;
  if (!isC || !preprocessor.isMacroDefined("CHARCOAL_H"))
    return notes;
  const SourceManager &sources = what.getSourceManager();
  const auto [file, at] = sources.getDecomposedLoc(sources.getFileLoc(what.getLocation()));
  const llvm::StringRef text = sources.getBufferData(file);
  const size_t begin = text.rfind('\n', at) + 1; // 0 if there is none
  Lexer lexer(sources.getLocForStartOfFile(file), preprocessor.getLangOpts(), text.begin(), text.begin() + begin,
              text.end());
  Token token, after;
  lexer.LexFromRawLexer(token);
  for (bool ends = token.is(tok::eof); !ends; token = after) {
    lexer.LexFromRawLexer(after);
    ends = after.is(tok::eof) || after.isAtStartOfLine();
    if (token.isNot(tok::raw_identifier))
      continue;
    const std::string word = token.getRawIdentifier().str();
    for (const auto &[name, follows, header] : elsewhere) {
      if (word != name || (*follows && after.isNot(tok::l_paren)))
        continue;
      IdentifierInfo *known = preprocessor.getIdentifierInfo(word);
      if (known->hasMacroDefinition() || known->getFETokenInfo() || !noted.insert(word).second)
        continue;
      notes.push_back({token.getLocation(), "'" + word +
                                                "' is declared by a header of its own; if that is meant, write " +
                                                "'#include <charcoal/" + header + ".h>'"});
    }
  }
  return notes;
}

} // namespace charcoal::syntax
