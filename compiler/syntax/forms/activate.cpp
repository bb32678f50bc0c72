// activate
//
//   activate [h] (i) BLOCK     becomes
//
//   { __auto_type __charcoal_0 = &i;     (and an assertion that it is no variable-length array)
//     { __attribute__((aligned(__alignof__(i)))) __typeof_unqual__(*__charcoal_0) i; __builtin_memcpy((void *)&i,
//     __charcoal_0, sizeof i);
//       __charcoal_spawn(uid, h, flags, "file:line");
//       <captured> { __charcoal_body(uid); __charcoal_value(&i, sizeof i); BLOCK charcoal_end_uid: ; } } }
//
//   activate [h] f(a, 1);      becomes
//
//   { __auto_type __charcoal_0 = ((void)0, a);
//     __charcoal_spawn(uid, h, flags, "file:line");
//     <captured> { __charcoal_body(uid); __charcoal_value(&__charcoal_0, sizeof __charcoal_0); (void)f(__charcoal_0,
//     1); } }
//
//   activate __charcoal_to(e, k) f(a, 1);      is what tfork (charcoal/events.h) makes, and becomes the same, with
//
//       … { … __auto_type __charcoal_result = f(__charcoal_2, 1);
//           ch_event_end_fork((ch_event)(void *)__charcoal_0, &__charcoal_result, __charcoal_1); }
//
//   activate __charcoal_offload_to(e, k) f(a, 1);      is what tfork_offload makes, and has the call in a block of its
//                                                      own, which pass `outline` lets a thread of the pool run:
//
//           … { … __typeof_unqual__(f(__charcoal_2, 1)) __charcoal_result; int __charcoal_ran = 0;
//           <captured> { __charcoal_offload(); __charcoal_result = f(__charcoal_2, 1); __charcoal_ran = 1; }
//           if (__charcoal_ran) ch_event_end_fork(…); else ch_event_cancel_((ch_event)(void *)__charcoal_0); }
//
// clang makes the captured block a function and gives it a record of addresses; pass `outline` replaces the
// addresses named by __charcoal_value by the values themselves, and hands function and record to the runtime.
#include "translator.h"

namespace charcoal::syntax {

struct Translator::Spawn {
  size_t keyword = 0;
  const char *flags = "0u";   // CH_SPAWN_…
  size_t handle = 0;          // index of '[', or 0
  std::vector<size_t> values; // names to copy
  unsigned uid = 0;
};

// Whether a word that says how the activity belongs to an atomic block stands after `activate`. `free (p);` is a call.
bool Translator::isSpawnPolicy(size_t i) const {
  if (at(i) != "contained" && at(i) != "free")
    return false;
  return at(i + 1) == "{" || at(i + 1) == "[" || isName(i + 1) || (at(i + 1) == "(" && at(closing(i + 1) + 1) == "{");
}

static const char *spawnFlags(std::string_view policy) { return policy == "free" ? "4u" : "1u"; }

bool Translator::matchesActivate(bool sure) const {
  size_t i = position + 1;
  if (at(i) == "[" && !isClosed(i))
    return false; // clang will report it
  if (isSpawnPolicy(i))
    return true;
  if (at(i) == "[")
    i = closing(i) + 1;
  if (at(i) == "{" || (at(i) == "(" && at(closing(i) + 1) == "{"))
    return true;
  if (at(i) == "(" && !isClosed(i))
    return false;
  return sure && (i < tokens.size() && (tokens[i].kind != Kind::Punctuator || at(i) == "(" || at(i) == "*"));
}

void Translator::lowerActivate(bool) {
  Spawn spawn;
  spawn.keyword = position;
  spawn.uid = nextUid++;
  checkPolicy(spawn.keyword);
  drop();
  if (isSpawnPolicy(position)) {
    spawn.flags = spawnFlags(here());
    drop();
  }
  if (here() == "[") {
    spawn.handle = position;
    const bool isCapture = (next() == "=" || next() == "&") && at(position + 2) == "]";
    if (next() == "]")
      problem(position, "expected the address of a 'ch_activity' between '[' and ']'; without a handle leave them out");
    else if (isCapture) {
      problem(position,
              "'[…]' takes a handle; without it variables are used by reference, and those in parentheses are "
              "copied: 'activate (i, j) { … }'");
      spawn.handle = 0;
    }
    drop(closing(position) + 1);
    if (isSpawnPolicy(position) && !isName(position + 1) && !isPlain(here())) {
      const std::string word(here());
      problem(position, "'" + word + "' stands before the handle; write 'activate " + word + " [&handle] …'");
      spawn.flags = spawnFlags(word);
      drop();
    }
  }
  const size_t afterList = here() == "(" ? closing(position) + 1 : 0;
  if (afterList && at(afterList) == "{") {
    spawn.values = namesToCopy(spawn.keyword);
  } else if (afterList && at(afterList) == "[" && isClosed(afterList) && !spawn.handle) {
    problem(afterList, "the handle stands before the list of copies; write 'activate [&handle] (…) { … }'");
    spawn.values = namesToCopy(spawn.keyword);
    spawn.handle = position;
    drop(closing(position) + 1);
  } else if (isListBeforeStatement(position)) {
    problem(spawn.keyword, "'activate' with a list of copies needs a block; before a call leave the list out, a call "
                           "copies its arguments");
    drop(afterList);
    if (isKeyword(position)) {
      statement(false);
      return;
    }
  }
  if (isName(position) && isDialectWord(here()) && !isPlain(here())) {
    const std::string word(here());
    if (word == "async")
      problem(position, "'activate' and 'async' are two ways to begin something; write one of them");
    else
      problem(position, "'activate' takes a block or a call; write 'activate { " + word + " … }'");
    drop();
    if (word != "async")
      return statement(false);
  }
  text(spawn.keyword, "{");
  if (here() == "{")
    spawnBlock(spawn);
  else
    spawnCall(spawn);
  text(position - 1, "}");
}

void Translator::spawnMarker(const Spawn &spawn) {
  text(spawn.keyword, "__charcoal_spawn(" + std::to_string(spawn.uid) + "u,");
  if (spawn.handle && at(spawn.handle + 1) != "]") {
    const size_t resume = position, end = closing(spawn.handle);
    bool comma = false;
    for (size_t i = spawn.handle; i < end; ++i)
      comma |= at(i) == ",";
    position = spawn.handle + 1;
    if (comma) // only if it is needed, so that an error is reported at the expression itself
      text(spawn.keyword, "(");
    skim(end);
    if (comma)
      text(spawn.keyword, ")");
    position = resume;
  } else
    text(spawn.keyword, "0");
  text(spawn.keyword, std::string(", ") + spawn.flags + ",");
  piece(Piece::Site, spawn.keyword);
  text(spawn.keyword, ");");
}

void Translator::spawnBlock(const Spawn &spawn) {
  const std::string uid = std::to_string(spawn.uid);
  std::string values;
  for (size_t name : spawn.values)
    values += " __charcoal_value(&" + std::string(at(name)) + ", sizeof " + std::string(at(name)) + ");";
  copyVariables(spawn.values, spawn.keyword);
  spawnMarker(spawn);
  piece(Piece::Captured, spawn.keyword);
  text(spawn.keyword, "{ __charcoal_body(" + uid + "u);" + values);
  open(Region::Body, spawn.keyword, spawn.uid);
  compound();
  if (close().hasReturn)
    text(position - 1, "charcoal_end_" + uid + ": ;");
  text(position - 1, "} }");
}

// The statement `f(a, b);` after `activate`: the last bracketed group before the ';' holds the arguments,
// everything before it is the function.
// The call `f(…)` that begins at the cursor, to be made by the new activity.
struct Translator::SpawnedCall {
  size_t start;
  size_t arguments = 0; // the '(' of its arguments; 0: there is no such call
  size_t block = 0;     // the '{' that stands where the call should be, or 0
};

Translator::SpawnedCall Translator::spawnedCall() const {
  SpawnedCall call{position};
  for (size_t end = position; end < tokens.size() && at(end) != ";" && at(end) != "}";) {
    const std::string_view t = at(end);
    const size_t open = end;
    if (t == "(" || t == "[" || t == "{")
      end = closing(end);
    ++end;
    if (t == "(" && open > call.start && (at(end) == ";" || at(end) == "}" || isName(end) || isKeyword(end))) {
      call.arguments = isKeyword(call.start) ? 0 : open;
      break;
    }
    if (tokens[open].kind == Kind::Punctuator && t != "(" && t != "[" && t != "." && t != "->") {
      if (t == "{")
        call.block = open;
      break;
    }
  }
  return call;
}

// Reports that no call begins at the cursor, and leaves out what stands there.
void Translator::refuseSpawn(const Spawn &spawn, const SpawnedCall &call) {
  if (call.block && !spawn.handle && (isName(call.start) || at(call.start) == "&"))
    problem(call.start, "a handle stands in brackets; write 'activate [&handle] { … }'");
  else
    problem(spawn.keyword, "'activate' needs a block or a call: write 'activate { … }' or 'activate f(…);'");
  if (call.block)
    return drop(closing(call.block) + 1);
  while (!done() && here() != ";" && here() != "}")
    drop(here() == "(" || here() == "[" || here() == "{" ? closing(position) + 1 : position + 1);
  if (here() == ";")
    drop();
}

// Whether the call names a function. Such a call keeps clang's checks of the arguments. A pointer to a function is
// copied like an argument, for the spawner decides now what is to be called.
bool Translator::isDirect(const SpawnedCall &call) const {
  const std::string_view name = at(call.start);
  if (!isName(call.start) || call.start + 1 != call.arguments ||
      !(names.isFunction(name) || name.substr(0, 10) == "__builtin_"))
    return false;
  return !usedOtherwise(name); // perhaps a local variable of the same name
}

// Whether the name stands anywhere in this declaration where nothing is called by it.
bool Translator::usedOtherwise(std::string_view name) const {
  if (!otherNames) {
    otherNames.emplace();
    for (size_t i = 1; i < tokens.size(); ++i)
      if (isName(i) && at(i + 1) != "(" && at(i - 1) != "." && at(i - 1) != "->")
        otherNames->insert(at(i));
  }
  return otherNames->count(name) != 0;
}

// What is copied for the new activity: the copies have the names __charcoal_0, __charcoal_1, … .
struct Translator::Copies {
  unsigned number = 0;
  std::string values; // calls of __charcoal_value, one for each copy
};

// Copies the value of the tokens from `from` to before `to`. Returns the name of the copy.
std::string Translator::copyValue(const Spawn &spawn, size_t from, size_t to, Copies &copies) {
  std::string name = "__charcoal_" + std::to_string(copies.number++);
  text(spawn.keyword, "__extension__ __auto_type " + name + " = ((void)0, ");
  position = from;
  skim(to);
  text(spawn.keyword, ");");
  copies.values += " __charcoal_value(&" + name + ", sizeof " + name + ");";
  return name;
}

// The end of the argument that begins at `from`.
size_t Translator::argumentEnd(size_t from, size_t close) const {
  while (from < close && at(from) != ",")
    from = (at(from) == "(" || at(from) == "[" || at(from) == "{" ? closing(from) : from) + 1;
  return from;
}

// `__charcoal_to(event, kind)` or `__charcoal_to(event)`, or the same with `__charcoal_offload_to`: the event that gets
// the result, and the kind of that. Returns the names of their copies.
std::vector<std::string> Translator::forkedTo(const Spawn &spawn, Copies &copies) {
  std::vector<std::string> to;
  if ((here() != "__charcoal_to" && here() != "__charcoal_offload_to") || next() != "(" || !isClosed(position + 1))
    return to;
  const size_t close = closing(position + 1), keyword = position;
  for (size_t from = position + 2; from < close;) {
    const size_t end = argumentEnd(from, close);
    to.push_back(copyValue(spawn, from, end, copies));
    from = end + 1;
  }
  position = keyword;
  drop(close + 1);
  return to;
}

// What makes the call in the body of its activity, and gives the result to an event if there is one.
void Translator::forkedBody(const Spawn &spawn, const std::vector<std::string> &to, bool offload,
                            const std::function<void()> &makeCall) {
  const bool hasResult = to.size() == 2;
  if (offload) {
    if (hasResult) {
      text(spawn.keyword, "__typeof_unqual__(");
      makeCall();
      text(spawn.keyword, ") __charcoal_result;");
    }
    text(spawn.keyword, "int __charcoal_ran = 0;");
    piece(Piece::Captured, spawn.keyword);
    text(spawn.keyword, std::string("{ __charcoal_offload();") + (hasResult ? "__charcoal_result = " : "(void)"));
  } else {
    text(spawn.keyword, hasResult ? "__extension__ __auto_type __charcoal_result = " : " (void)");
  }
  makeCall();
  text(position - 1, ";");
  if (offload)
    text(position - 1, "__charcoal_ran = 1; } if (__charcoal_ran)");
  if (!to.empty())
    text(position - 1, " ch_event_end_fork((ch_event)(void *)" + to[0] +
                           (hasResult ? ", &__charcoal_result, " + to[1] : std::string(", 0, 0")) + ");");
  if (offload)
    text(position - 1, "else ch_event_cancel_((ch_event)(void *)" + to[0] + ");");
}

void Translator::spawnCall(const Spawn &spawn) {
  Copies copies;
  const bool offload = here() == "__charcoal_offload_to";
  const std::vector<std::string> to = forkedTo(spawn, copies);
  const SpawnedCall call = spawnedCall();
  if (!call.arguments)
    return refuseSpawn(spawn, call);
  const bool direct = isDirect(call);
  const std::string pointer = direct ? "" : copyValue(spawn, call.start, call.arguments, copies);

  const size_t close = closing(call.arguments);
  std::vector<std::pair<size_t, std::string>> passed; // a literal's index, or the name of a copy
  for (size_t from = call.arguments + 1; from < close;) {
    const size_t end = argumentEnd(from, close);
    bool literal = true;
    for (size_t i = from; i < end; ++i)
      literal &= isLiteral(i);
    passed.push_back(literal ? std::pair(from, std::string())
                             : std::pair(size_t(0), copyValue(spawn, from, end, copies)));
    from = end + 1;
  }

  spawnMarker(spawn);
  piece(Piece::Captured, spawn.keyword);
  text(spawn.keyword, "{ __charcoal_body(" + std::to_string(spawn.uid) + "u);" + copies.values);
  forkedBody(spawn, to, offload, [&] {
    if (direct) {
      position = call.start;
      take();
    } else
      text(spawn.keyword, pointer);
    text(spawn.keyword, "(");
    for (size_t k = 0; k < passed.size(); ++k) {
      if (k)
        text(spawn.keyword, ",");
      if (passed[k].second.empty())
        for (position = passed[k].first; position < close && at(position) != ",";)
          take();
      else
        text(spawn.keyword, passed[k].second);
    }
    text(close, ")");
    position = close + 1;
  });
  text(close, " }");
  drop(close + 1);
  if (here() == ";")
    return drop();
  problem(close, "expected ';' after the call that 'activate' makes");
  result.problems.back().insertion = ";";
}

} // namespace charcoal::syntax
