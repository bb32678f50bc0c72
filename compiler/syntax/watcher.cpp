// See watcher.h.
#include "watcher.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/IdentifierResolver.h"
#include "clang/Sema/Sema.h"
#include <algorithm>

using namespace clang;

// Clang has a setter for the watcher, but no getter, and keeps its nesting of lexers to itself. An explicit
// instantiation may name private members.
namespace {
template <class Type, Type Member> struct Reveal {
  friend Type reveal(Type *) { return Member; }
};
using WatcherMember = llvm::unique_function<void(const Token &)> Preprocessor::*;
WatcherMember reveal(WatcherMember *);
template struct Reveal<WatcherMember, &Preprocessor::OnToken>;
using LevelMember = unsigned Preprocessor::*;
LevelMember reveal(LevelMember *);
template struct Reveal<LevelMember, &Preprocessor::LexLevel>;
} // namespace

namespace charcoal::syntax {

// Whether the type is the one that the macro `rendezvous` (charcoal/events.h) makes: an array of volatile pointers to
// functions that take a struct ch_rendezvous *; or an array or structure that contains one.
static bool holdsRendezvous(QualType type) {
  while (const ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  if (const auto *record = type->getAsRecordDecl()) {
    if (const RecordDecl *definition = record->getDefinition())
      for (const FieldDecl *field : definition->fields())
        if (holdsRendezvous(field->getType()))
          return true;
    return false;
  }
  const auto *pointer = type->getAs<PointerType>();
  const auto *function = pointer ? pointer->getPointeeType()->getAs<FunctionProtoType>() : nullptr;
  if (!function || !type.isVolatileQualified() || function->getNumParams() != 1)
    return false;
  const auto *parameter = function->getParamType(0)->getAs<PointerType>();
  const RecordDecl *object = parameter ? parameter->getPointeeType()->getAsRecordDecl() : nullptr;
  return object && object->getName() == "ch_rendezvous";
}

void Watcher::install(CompilerInstance &compiler) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  auto &slot = preprocessor.*reveal(static_cast<WatcherMember *>(nullptr));
  auto watcher = std::make_shared<Watcher>(compiler, std::move(slot));
  preprocessor.setTokenWatcher([watcher](const Token &token) { (*watcher)(token); });
}

Watcher::Watcher(CompilerInstance &compiler, llvm::unique_function<void(const Token &)> previous)
    : compiler(compiler), previous(std::move(previous)),
      marker(compiler.getPreprocessor().getIdentifierInfo("__charcoal_dialect")) {}

// The header declares `__charcoal_dialect`, and the watcher sees this declaration, also in preprocessed text. Of a
// precompiled header it sees only the macro of the same name in capitals.
bool Watcher::isDialectOn(const Token &token) {
  if (!on && !checkedMacro) {
    checkedMacro = true;
    on = compiler.getPreprocessor().isMacroDefined("__CHARCOAL_DIALECT__");
  }
  return on;
}

void Watcher::operator()(const Token &token) {
  if (previous)
    previous(token);
  Preprocessor &preprocessor = compiler.getPreprocessor();
  const bool inDirective = preprocessor.*reveal(static_cast<LevelMember *>(nullptr)) != 0;
  if (collecting || inDirective || token.isAnnotation() || token.is(tok::eof) || preprocessor.isBacktrackEnabled())
    return;
  if (!isDialectOn(token)) {
    on = token.getIdentifierInfo() == marker;
    return;
  }

  llvm::SmallVector<Token, 256> declaration;
  const bool inDialect = collect(token, declaration);
  std::vector<Token> output;
  if (inDialect) {
    const std::vector<SourceLocation> open = closeBraces(declaration);
    std::vector<Lexeme> lexemes;
    bool inPragma = false;
    for (const Token &one : declaration) {
      inPragma |= one.isOneOf(tok::annot_pragma_openmp, tok::annot_pragma_openacc);
      const IdentifierInfo *name = one.isAnnotation() ? nullptr : one.getIdentifierInfo();
      if (one.isOneOf(tok::annot_pragma_fp_contract, tok::annot_pragma_fp, tok::annot_pragma_fenv_access,
                      tok::annot_pragma_fenv_round, tok::annot_pragma_cx_limited_range,
                      tok::annot_pragma_float_control))
        lexemes.push_back({"", Kind::Opening});
      else if (one.isAnnotation() || inPragma || one.isOneOf(tok::eof, tok::code_completion))
        lexemes.push_back({"", Kind::Other});
      else if (one.is(tok::identifier))
        lexemes.push_back({name->getName(), Kind::Name});
      else if (name)
        lexemes.push_back({name->getName(), Kind::Keyword});
      else if (const char *spelling = tok::getPunctuatorSpelling(one.getKind()))
        lexemes.push_back({spelling, Kind::Punctuator});
      else
        lexemes.push_back({"0", Kind::Literal});
      if (one.isOneOf(tok::annot_pragma_openmp_end, tok::annot_pragma_openacc_end))
        inPragma = false;
    }
    IdentifierResolver &scope = compiler.getSema().IdResolver;
    // The parser looks at this token before it leaves the function before it, so it still knows that one's names. It
    // knows the parameters of this function if they are declared the old way, before the body.
    const bool isOldBody = declaration.front().is(tok::l_brace);
    auto isVisible = [&](const NamedDecl *one) {
      return isOldBody || one->getDeclContext()->getRedeclContext()->isFileContext();
    };
    auto declared = [&](std::string_view word) -> NamedDecl * { // a tag is no name by itself
      auto found = scope.begin(preprocessor.getIdentifierInfo(llvm::StringRef(word.data(), word.size())));
      found = std::find_if(found, scope.end(),
                           [&](const NamedDecl *one) { return !llvm::isa<TagDecl>(one) && isVisible(one); });
      return found == scope.end() ? nullptr : *found;
    };
    Names names;
    // A macro with parameters is a name where no '(' follows. A word of the dialect may be a macro as well.
    names.isDeclared = [&](std::string_view word) {
      const bool isOurs = isDialectWord(word) || isWordBeside(word);
      return declared(word) != nullptr ||
             (!isOurs && preprocessor.isMacroDefined(llvm::StringRef(word.data(), word.size())));
    };
    names.isType = [&](std::string_view word) { return llvm::isa_and_nonnull<TypedefNameDecl>(declared(word)); };
    names.isFunction = [&](std::string_view word) { return llvm::isa_and_nonnull<FunctionDecl>(declared(word)); };
    names.isFunctionType = [&](std::string_view word) {
      const auto *type = llvm::dyn_cast_or_null<TypedefNameDecl>(declared(word));
      return type && type->getUnderlyingType()->isFunctionType();
    };
    names.holdsRendezvous = [&](std::string_view word, bool isTag) {
      const IdentifierInfo *name = preprocessor.getIdentifierInfo(llvm::StringRef(word.data(), word.size()));
      for (auto found = scope.begin(name); found != scope.end(); ++found)
        if (auto *type = llvm::dyn_cast<TypeDecl>(*found); type && llvm::isa<TagDecl>(type) == isTag && isVisible(type))
          return charcoal::syntax::holdsRendezvous(compiler.getASTContext().getTypeDeclType(type));
      return false;
    };
    const Translation translation = translate(lexemes, names, nextUid);
    report(declaration, translation.problems);
    DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
    for (SourceLocation brace : open) {
      diagnostics.Report(declaration.back().getLocation(), diag::err_expected) << tok::r_brace;
      diagnostics.Report(brace, diag::note_matching) << tok::l_brace;
    }
    output = render(declaration, translation);
    const_cast<Token &>(token) = output.front(); // the parser has not seen it yet
  } else
    output.assign(declaration.begin(), declaration.end());
  const size_t rest = output.size() - 1;
  if (rest == 0)
    return;
  auto stream = std::make_unique<Token[]>(rest);
  std::copy(output.begin() + 1, output.end(), stream.get());
  preprocessor.EnterTokenStream(std::move(stream), rest, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
}

// Lexes to the end of the external declaration that begins with `first`: a ';' outside braces, or the '}' that
// closes the last brace. (What follows a struct's '}' then counts as a declaration of its own, which is harmless.)
// Returns whether a word of the dialect stands in it.
bool Watcher::collect(const Token &first, llvm::SmallVectorImpl<Token> &declaration) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  collecting = true;
  bool found = false;
  int braces = 0;
  Token token = first;
  for (;;) {
    declaration.push_back(token);
    if (token.is(tok::identifier) && concernsDialect(token.getIdentifierInfo()))
      found = true;
    if (token.is(tok::l_brace))
      ++braces;
    if ((token.is(tok::r_brace) && --braces <= 0) || (token.is(tok::semi) && braces == 0) || token.is(tok::eof))
      break;
    preprocessor.Lex(token);
  }
  collecting = false;
  return found;
}

// Closes the braces that are open at the end of the file, and returns their places, innermost first: clang would report
// each of them once for every block that it stands for in the new text.
std::vector<SourceLocation> Watcher::closeBraces(llvm::SmallVectorImpl<Token> &declaration) {
  std::vector<SourceLocation> open;
  if (declaration.back().isNot(tok::eof))
    return open;
  Token brace = declaration.pop_back_val();
  const Token end = brace;
  brace.setKind(tok::r_brace);
  for (const Token &token : declaration)
    if (token.is(tok::l_brace))
      open.push_back(token.getLocation());
    else if (token.is(tok::r_brace) && !open.empty())
      open.pop_back();
  declaration.append(open.size(), brace);
  declaration.push_back(end);
  std::reverse(open.begin(), open.end());
  return open;
}

bool Watcher::concernsDialect(const IdentifierInfo *name) {
  const auto [known, isNew] = words.try_emplace(name, false);
  if (isNew)
    known->second = charcoal::syntax::concernsDialect(name->getName());
  return known->second;
}

std::string Watcher::site(SourceLocation place) const {
  const SourceManager &sources = compiler.getSourceManager();
  PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(place));
  if (presumed.isInvalid())
    return "\"?\"";
  llvm::SmallString<256> file(presumed.getFilename());
  compiler.getLangOpts().remapPathPrefix(file);
  std::string result = "\"";
  for (char c : file) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + ':' + std::to_string(presumed.getLine()) + '"';
}

// The new text is spelled in a buffer of its own, which counts as a system header, so that clang does not warn about
// it. Each piece is an "expansion" of its anchor, where errors about it point.
std::vector<Token> Watcher::render(llvm::ArrayRef<Token> declaration, const Translation &translation) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  SourceManager &sources = compiler.getSourceManager();
  std::string text;
  std::vector<std::pair<size_t, size_t>> spans; // of each piece, in `text`
  for (const Piece &piece : translation.pieces) {
    const size_t begin = text.size();
    if (piece.what == Piece::Text)
      text += piece.text;
    else if (piece.what == Piece::Site)
      text += site(declaration[piece.index].getLocation());
    spans.push_back({begin, text.size()});
    text += '\n';
  }
  const FileID file = sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(text, "<charcoal>"), SrcMgr::C_System);
  const llvm::StringRef buffer = sources.getBufferData(file);
  const SourceLocation start = sources.getLocForStartOfFile(file);

  std::vector<Token> result;
  for (size_t i = 0; i < translation.pieces.size(); ++i) {
    const Piece &piece = translation.pieces[i];
    const SourceLocation anchor = declaration[piece.index].getLocation();
    if (piece.what == Piece::Original) {
      result.push_back(declaration[piece.index]);
      continue;
    }
    const auto [begin, end] = spans[i];
    const SourceLocation place =
        sources.createExpansionLoc(start.getLocWithOffset(begin), anchor, anchor, end - begin + 1);
    if (piece.what == Piece::Captured) {
      Token token;
      token.startToken();
      token.setKind(tok::annot_pragma_captured);
      token.setLocation(place);
      token.setAnnotationEndLoc(place);
      token.setAnnotationValue(nullptr);
      result.push_back(token);
      continue;
    }
    Lexer lexer(start, compiler.getLangOpts(), buffer.begin(), buffer.begin() + begin, buffer.end());
    for (Token token; lexer.getCurrentBufferOffset() < end;) {
      lexer.LexFromRawLexer(token);
      if (token.is(tok::eof))
        break;
      const unsigned offset = sources.getFileOffset(token.getLocation());
      if (offset >= end)
        break;
      token.setLocation(place.getLocWithOffset(offset - begin));
      if (token.is(tok::raw_identifier))
        preprocessor.LookUpIdentifierInfo(token);
      token.clearFlag(Token::NeedsCleaning);
      result.push_back(token);
    }
  }
  if (result.empty() || declaration.back().is(tok::eof)) {
    if (result.empty() || result.back().isNot(tok::eof))
      result.push_back(declaration.back());
  }
  return result;
}

void Watcher::report(llvm::ArrayRef<Token> declaration, const std::vector<Problem> &problems) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const unsigned error = diagnostics.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, "%0");
  const unsigned note = diagnostics.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Note, "%0");
  for (const Problem &problem : problems) {
    SourceLocation place = declaration[problem.index].getLocation();
    if (problem.danglingElse) {
      diagnostics.Report(place, diag::warn_dangling_else);
      continue;
    }
    FixItHint fix;
    if (!problem.insertion.empty()) {
      const SourceLocation end =
          Lexer::getLocForEndOfToken(place, 0, compiler.getSourceManager(), compiler.getLangOpts());
      if (end.isValid()) // otherwise the token comes from a macro
        place = end;
      fix = FixItHint::CreateInsertion(place, problem.insertion);
    } else if (!problem.replacement.empty())
      fix = FixItHint::CreateReplacement(place, problem.replacement);
    diagnostics.Report(place, error) << problem.message << fix;
    if (!problem.note.empty())
      diagnostics.Report(declaration[problem.noteIndex].getLocation(), note) << problem.note;
  }
}

} // namespace charcoal::syntax
