// See typed_macros.h.
#include "typed_macros.h"
#include "unknown_words.h"
#include "written_types.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include <memory>
#include <optional>
#include <string>

using namespace clang;

namespace charcoal::syntax {

namespace {

// What the arguments of a macro are. In `wrong`, $T is the type that the macro wants and $U the argument's; $P and $Q
// are what these point to.
struct Macro {
  const char *name;
  const char *wrong;
  const char *object; // what its first argument has to be
};

constexpr const char *channelMessage = "the messages of this channel are of type $P: $U does not point to one";
constexpr const char *broadcastMessage = "the messages of this broadcast are of type $P: $U does not point to one";
constexpr const char *futureSlot = "the value of this future is of type $P: $U does not point to one";
constexpr const char *watchSlot = "the value that is watched is of type $P: $U does not point to one";
constexpr const char *wrongEvent = "an $T is wanted here, and this is an $U";
constexpr const char *aChannel = "a pointer to a channel(T)", *anEvent = "an event(T...)",
                     *aFuture = "a pointer to a future(T)", *aBroadcast = "a pointer to a broadcast(T)",
                     *aSubscription = "a pointer to a subscription(T)", *aWatch = "a pointer to a watch(T)",
                     *aRendezvous = "a rendezvous(I)";

const Macro macros[] = {
    {"mkevent", "the ids of this rendezvous are of type $T, and this is of type $U: write mkevent(r, id, &slot...)",
     "a rendezvous(I) or &slot"},
    {"twait", "the ids of this rendezvous are of type $P, and $U does not point to one: write twait(r, &id)",
     aRendezvous},
    {"ch_twait_all", nullptr, aRendezvous},
    {"ch_rendezvous_cancel", nullptr, aRendezvous},
    {"ch_rendezvous_destroy", nullptr, aRendezvous},
    {"ch_outstanding", nullptr, aRendezvous},
    {"ch_triggered", nullptr, aRendezvous},
    {"ch_trigger", "this event carries a value of type $T, and this is of type $U", anEvent},
    {"ch_event_cancel", nullptr, anEvent},
    {"ch_event_is_outstanding", nullptr, anEvent},
    {"ch_event_wait", nullptr, anEvent},
    {"ch_trigger_after", wrongEvent, anEvent},
    {"ch_trigger_at", wrongEvent, anEvent},
    {"ch_trigger_on_fd", wrongEvent, anEvent},
    {"ch_trigger_on_signal", wrongEvent, anEvent},
    {"ch_trigger_on_child", wrongEvent, anEvent},
    {"ch_trigger_on_end", wrongEvent, anEvent},
    {"ch_trigger_on_future", wrongEvent, anEvent},
    {"ch_trigger_offload", wrongEvent, anEvent},
    {"ch_add_signal", wrongEvent, anEvent},
    {"ch_tee", wrongEvent, anEvent},
    {"ch_bind", "this event carries a value of type $T, and this is of type $U", anEvent},
    {"ch_map", wrongEvent, anEvent},
    {"ch_all", wrongEvent, anEvent},
    {"ch_any", wrongEvent, anEvent},
    {"ch_callback_data", wrongEvent, anEvent},
    {"ch_add_timeout", wrongEvent, anEvent},
    {"ch_event_argument",
     "this event is an $U, and not an $T: write ch_event_argument(e, T...) with the types of its values", anEvent},
    {"ch_event_for_future", nullptr, aFuture},
    {"ch_channel_init", nullptr, aChannel},
    {"ch_channel_init_shared", nullptr, aChannel},
    {"ch_channel_destroy", nullptr, aChannel},
    {"ch_close", nullptr, aChannel},
    {"ch_is_closed", nullptr, aChannel},
    {"ch_length", nullptr, aChannel},
    {"ch_broadcast_init", nullptr, aBroadcast},
    {"ch_broadcast_init_shared", nullptr, aBroadcast},
    {"ch_broadcast_destroy", nullptr, aBroadcast},
    {"ch_broadcast_close", nullptr, aBroadcast},
    {"ch_unsubscribe", nullptr, aSubscription},
    {"ch_missed", nullptr, aSubscription},
    {"ch_future_init", nullptr, aFuture},
    {"ch_future_init_shared", nullptr, aFuture},
    {"ch_future_fail", nullptr, aFuture},
    {"ch_future_is_set", nullptr, aFuture},
    {"ch_future_reset", nullptr, aFuture},
    {"ch_watch_init", nullptr, aWatch},
    {"ch_watch_init_shared", nullptr, aWatch},
    {"ch_watch_close", nullptr, aWatch},
    {"ch_send", channelMessage, aChannel},
    {"ch_recv", channelMessage, aChannel},
    {"ch_try_send", channelMessage, aChannel},
    {"ch_try_recv", channelMessage, aChannel},
    {"ch_send_some", channelMessage, aChannel},
    {"ch_recv_some", channelMessage, aChannel},
    {"ch_publish", broadcastMessage, aBroadcast},
    {"ch_try_publish", broadcastMessage, aBroadcast},
    {"ch_subscribe", "the messages of this broadcast are of type $P, and those of the subscription of type $Q",
     aBroadcast},
    {"ch_next", broadcastMessage, aSubscription},
    {"ch_try_next", broadcastMessage, aSubscription},
    {"ch_future_set", "the value of this future is of type $T, and this is of type $U", aFuture},
    {"ch_get", futureSlot, aFuture},
    {"ch_watch_set", "the value that is watched is of type $T, and this is of type $U", aWatch},
    {"ch_watch_get", watchSlot, aWatch},
    {"ch_watch_next", watchSlot, aWatch},
};

const Macro *macroOf(llvm::StringRef name) {
  for (const Macro &one : macros)
    if (name == one.name)
      return &one;
  return nullptr;
}

// ---- what a diagnostic is about ----

struct Call {
  const Macro *macro = nullptr;
  SourceLocation name; // of the macro, as the program calls it
};

class Explainer : public DiagnosticConsumer {
public:
  explicit Explainer(CompilerInstance &compiler)
      : owned(compiler.getDiagnostics().takeClient()), next(owned ? *owned : *compiler.getDiagnostics().getClient()),
        unknownWords(compiler.getPreprocessor()), isC(!compiler.getLangOpts().CPlusPlus) {
    takeCounts();
  }

  void BeginSourceFile(const LangOptions &language, const Preprocessor *preprocessor) override {
    next.BeginSourceFile(language, preprocessor);
  }
  void EndSourceFile() override {
    next.EndSourceFile();
    takeCounts();
  }
  void finish() override {
    next.finish();
    takeCounts();
  }
  bool IncludeInDiagnosticCounts() const override { return next.IncludeInDiagnosticCounts(); }
  void clear() override {
    next.clear();
    takeCounts();
  }
  void HandleDiagnostic(DiagnosticsEngine::Level, const Diagnostic &) override;

private:
  void forward(DiagnosticsEngine::Level level, const Diagnostic &what) {
    next.HandleDiagnostic(level, what);
    takeCounts();
  }
  // The exit status comes from these. `next` has counted what was wrong with the options, before this consumer was
  // there, and -verify does not count the errors that the program expects.
  void takeCounts() { NumErrors = next.getNumErrors(), NumWarnings = next.getNumWarnings(); }
  void note(const Diagnostic &about, const UnknownWords::Note &);
  std::unique_ptr<DiagnosticConsumer> owned;
  DiagnosticConsumer &next;
  UnknownWords unknownWords;
  const bool isC;
  SourceLocation explained; // the call about which there was an error last
  bool dropsNotes = false;  // the notes that follow belong to a diagnostic that was dropped
};

// The outermost of our macros in whose expansion the place is.
Call callAt(SourceLocation place, const SourceManager &sources) {
  Call found;
  while (place.isMacroID()) {
    place = sources.getImmediateExpansionRange(place).getBegin();
    llvm::SmallString<32> buffer;
    const llvm::StringRef name = Lexer::getSpelling(sources.getSpellingLoc(place), buffer, sources, LangOptions());
    if (const Macro *macro = macroOf(name))
      found = {macro, place};
  }
  return found;
}

// The argument that the diagnostic is about, else the macro's name.
SourceLocation placeOf(const Diagnostic &what, const Call &call, const SourceManager &sources) {
  const SourceLocation name = sources.getFileLoc(call.name), place = sources.getFileLoc(what.getLocation());
  if (place != name)
    return place;
  for (const CharSourceRange &range : what.getRanges())
    if (const SourceLocation begin = sources.getFileLoc(range.getBegin()); begin != name)
      return begin;
  return name;
}

bool isConversion(unsigned id) {
  switch (id) {
  case diag::err_typecheck_convert_incompatible:
  case diag::err_typecheck_convert_incompatible_function_pointer:
  case diag::err_typecheck_convert_incompatible_pointer:
  case diag::err_typecheck_convert_incompatible_pointer_sign:
  case diag::err_typecheck_convert_int_pointer:
  case diag::err_typecheck_convert_pointer_int:
  case diag::ext_typecheck_convert_incompatible_function_pointer:
  case diag::ext_typecheck_convert_incompatible_pointer:
  case diag::ext_typecheck_convert_incompatible_pointer_sign:
  case diag::ext_typecheck_convert_int_pointer:
  case diag::ext_typecheck_convert_pointer_int:
    return true;
  default:
    return false;
  }
}

QualType typeOf(const Diagnostic &what, unsigned index) {
  return index < what.getNumArgs() && what.getArgKind(index) == DiagnosticsEngine::ak_qualtype
             ? QualType::getFromOpaquePtr(reinterpret_cast<void *>(what.getRawArg(index)))
             : QualType();
}

struct Conversion {
  QualType wanted, got;
};
// clang names the wanted type first if it speaks of an assignment or an initializer.
std::optional<Conversion> conversionOf(const Diagnostic &what) {
  const QualType first = typeOf(what, 0), second = typeOf(what, 1);
  if (!isConversion(what.getID()) || first.isNull() || second.isNull())
    return std::nullopt;
  enum { Assigning, Initializing = 4 };
  const uint64_t action = what.getRawArg(2);
  return action == Assigning || action == Initializing ? Conversion{first, second} : Conversion{second, first};
}

std::string filledIn(llvm::StringRef text, const Conversion &conversion) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char which = text[++i];
    QualType type = withoutTypeof(which == 'T' || which == 'P' ? conversion.wanted : conversion.got);
    if ((which == 'P' || which == 'Q') && type->isPointerType())
      type = type->getPointeeType();
    result += "'" + written(type.getUnqualifiedType()) + "'";
  }
  return result;
}

std::string counted(uint64_t n, const char *what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

// The function that a clause of `waituntil` calls with too few or too many arguments; "" for other diagnostics. clang
// speaks of the function that fills in the clause, which has one parameter more.
std::string calledInClause(const Diagnostic &what) {
  const unsigned id = what.getID();
  if ((id != diag::err_typecheck_call_too_few_args && id != diag::err_typecheck_call_too_many_args) ||
      what.getRanges().empty() || !what.getRanges()[0].getBegin().isMacroID())
    return "";
  const SourceManager &sources = what.getSourceManager();
  llvm::SmallString<32> buffer;
  llvm::StringRef name =
      Lexer::getSpelling(sources.getSpellingLoc(what.getRanges()[0].getBegin()), buffer, sources, LangOptions());
  return name.consume_back("__clause") ? name.str() : "";
}

// Says in the program's words what clang reports about the body of a macro. Returns "" if the mistake is in the
// program's own text.
std::string inWords(const Diagnostic &what, const Call &call) {
  const unsigned id = what.getID();
  if (const std::string function = calledInClause(what); !function.empty()) {
    const uint64_t wanted = what.getRawArg(1) - 1, got = what.getRawArg(2) - 1; // without the clause
    return "'" + function + "' takes " + counted(wanted, "argument") + ", and " + std::to_string(got) +
           (got == 1 ? " is" : " are") + " given";
  }
  if (const auto conversion = conversionOf(what)) {
    const bool isMade = !call.macro || call.macro->name == llvm::StringRef("mkevent");
    if (isMade && !asEvent(conversion->wanted).empty() && !asEvent(conversion->got).empty())
      return filledIn(wrongEvent, *conversion);
    // One object in the place of another: its type leads to a function that wants a pointer to its own insides.
    const std::string is = asInsides(conversion->wanted);
    if (call.macro && !is.empty() && !asInsides(conversion->got).empty())
      return std::string(call.macro->name) + " takes " + call.macro->object + " first, and this is a '" + is + "'";
    return call.macro && call.macro->wrong ? filledIn(call.macro->wrong, *conversion) : "";
  }
  if (!call.macro)
    return "";
  switch (id) {
  case diag::err_static_assert_failed:
  case diag::err_static_assert_requirement_failed: {
    const unsigned last = what.getNumArgs() - 1;
    return what.getArgKind(last) == DiagnosticsEngine::ak_std_string ? what.getArgStdStr(last) : "";
  }
  case diag::err_typecheck_call_not_function:
  case diag::err_typecheck_indirection_requires_pointer:
  case diag::err_cast_pointer_from_non_pointer_int:
    return std::string(call.macro->name) + " takes " + call.macro->object + " first, and this is of type '" +
           written(typeOf(what, 0)) + "'";
  case diag::err_typecheck_call_too_few_args:
  case diag::err_typecheck_call_too_many_args: {
    const uint64_t wanted = what.getRawArg(1), got = what.getRawArg(2);
    return "this event carries " + counted(wanted, "value") + ", and " + std::to_string(got) +
           (got == 1 ? " is" : " are") + " given";
  }
  default:
    return "";
  }
}

// clang's own text, with types as the program writes them.
std::string inClangsWords(const Diagnostic &what, DiagnosticStorage &storage) {
  storage.NumDiagArgs = what.getNumArgs();
  for (unsigned i = 0; i < what.getNumArgs(); ++i) {
    storage.DiagArgumentsKind[i] = what.getArgKind(i);
    if (const QualType type = typeOf(what, i); !type.isNull()) {
      storage.DiagArgumentsKind[i] = DiagnosticsEngine::ak_std_string;
      storage.DiagArgumentsStr[i] = "'" + written(type) + "'";
    } else if (what.getArgKind(i) == DiagnosticsEngine::ak_std_string)
      storage.DiagArgumentsStr[i] = what.getArgStdStr(i);
    else
      storage.DiagArgumentsVal[i] = what.getRawArg(i);
  }
  const Diagnostic other(what.getDiags(), what.getLocation(), what.getID(), storage, "");
  const llvm::StringRef format = what.getDiags()->getDiagnosticIDs()->getDescription(what.getID());
  llvm::SmallString<256> text;
  other.FormatDiagnostic(format.begin(), format.end(), text);
  return text.str().str();
}

bool namesOurTypes(const Diagnostic &what) {
  for (unsigned i = 0; i < what.getNumArgs(); ++i)
    if (QualType type = typeOf(what, i); !type.isNull()) {
      while (type->isPointerType() && asEvent(type).empty())
        type = type->getPointeeType();
      if (!asEvent(type).empty() || !asObject(type).empty())
        return true;
    }
  return false;
}

void Explainer::note(const Diagnostic &about, const UnknownWords::Note &what) {
  const DiagnosticStorage none{};
  forward(DiagnosticsEngine::Note,
          Diagnostic(about.getDiags(), what.place, diag::err_undeclared_var_use, none, what.text));
}

void Explainer::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &what) {
  if (level == DiagnosticsEngine::Note && dropsNotes)
    return;
  if (level != DiagnosticsEngine::Note)
    dropsNotes = false;
  if (level == DiagnosticsEngine::Note || !what.getLocation().isValid() || !what.hasSourceManager()) {
    forward(level, what);
    return;
  }
  const SourceManager &sources = what.getSourceManager();
  const Call call = callAt(what.getLocation(), sources);
  std::string text = isC ? inWords(what, call) : "";
  if (!isC || (text.empty() && !call.macro && !namesOurTypes(what))) {
    forward(level, what);
    if (const auto found = unknownWords.ofDialect(what))
      note(what, *found);
    if (level >= DiagnosticsEngine::Error)
      for (const UnknownWords::Note &found : unknownWords.ofHeaders(what))
        note(what, found);
    return;
  }
  if (call.macro && explained == call.name) {
    dropsNotes = true;
    return;
  }
  if (call.macro && level >= DiagnosticsEngine::Error)
    explained = call.name;
  dropsNotes = !calledInClause(what).empty(); // they show how the form is declared
  DiagnosticStorage storage;
  if (text.empty())
    text = inClangsWords(what, storage);
  storage.DiagRanges.clear();
  for (const CharSourceRange &range : what.getRanges())
    if (!call.macro || sources.getFileLoc(range.getBegin()) != sources.getFileLoc(call.name))
      storage.DiagRanges.push_back(CharSourceRange(
          {sources.getFileLoc(range.getBegin()), sources.getFileLoc(range.getEnd())}, range.isTokenRange()));
  const SourceLocation place = call.macro ? placeOf(what, call, sources) : sources.getFileLoc(what.getLocation());
  forward(level, Diagnostic(what.getDiags(), place, what.getID(), storage, text));
}

} // namespace

void explainTypedMacros(CompilerInstance &compiler) {
  compiler.getDiagnostics().setClient(new Explainer(compiler), /*ShouldOwnClient=*/true);
}

} // namespace charcoal::syntax
