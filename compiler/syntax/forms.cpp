// The dialect's forms: how each is recognized, and the plain C it becomes.
//
// A new form is a line in the table, a match and a lowering. Its word stays an ordinary name wherever the
// shape of the form does not follow, and wherever the program has declared it.
#include "translator.h"
#include <algorithm>
#include <set>

namespace charcoal::syntax {

const Translator::Form Translator::forms[] = {
    {"atomic", &Translator::matchesAtomic, &Translator::lowerAtomic},
    {"activate", &Translator::matchesActivate, &Translator::lowerActivate},
    {"yield", &Translator::matchesYield, &Translator::lowerYield},
    {"async", &Translator::matchesAsync, &Translator::lowerAsync},
    {"cancel", &Translator::matchesCancel, &Translator::lowerCancel},
    {"noncancellable", &Translator::matchesNoncancellable, &Translator::lowerNoncancellable},
    {"within", &Translator::matchesDeadline, &Translator::lowerFinish},
    {"by", &Translator::matchesDeadline, &Translator::lowerFinish},
    {"finish", &Translator::matchesLoneFinish, &Translator::lowerLoneFinish},
};

bool isDialectWord(std::string_view word) {
  static const std::set<std::string_view> words = {"atomic", "activate",       "yield",  "async", "finish",
                                                   "cancel", "noncancellable", "within", "by"};
  return words.count(word) != 0;
}

bool Translator::form(bool inList) {
  for (const Form &form : forms)
    if (here() == form.word && (this->*form.matches)(!isPlain(form.word))) {
      (this->*form.lower)(inList);
      return true;
    }
  return false;
}

// ---- yield; ----

bool Translator::matchesYield(bool sure) const { return sure && next() == ";"; }

void Translator::lowerYield(bool) {
  text(position, "__charcoal_yield()");
  drop();
  take(); // ;
}

// ---- atomic statement, atomic (expression), atomic declaration ----
//
//   atomic S    becomes   { int __charcoal_atomic __attribute__((cleanup(…leave))) = 0; …enter(); S }
//
// The cleanup runs on every way out, and clang itself forbids jumps past it.

static const std::set<std::string_view> statementWords = {
    "if",       "for",  "while", "do",      "switch", "case",          "default", "return",  "break",
    "continue", "goto", "asm",   "__asm__", "__asm",  "__extension__", "sizeof",  "_Generic"};

// A statement stands behind the word.
bool Translator::matchesStatement(bool sure) const {
  if (next() == "{")
    return true;
  if (!sure)
    return false;
  return isName(position + 1) || startsDeclaration(position + 1) || statementWords.count(next()) || next() == "(" ||
         next() == "*" || next() == "&" || (next() == "[" && at(position + 2) == "[") ||
         (next() == "++" && at(position + 2) != ";") || (next() == "--" && at(position + 2) != ";");
}

bool Translator::matchesAtomic(bool sure) const { return matchesStatement(sure); }

static const char atomicBegin[] = "int __charcoal_atomic __attribute__((__cleanup__(__charcoal_atomic_leave))) = 0;"
                                  " __charcoal_atomic_enter();";

void Translator::lowerAtomic(bool inList) {
  const size_t keyword = position;
  if (inList && startsDeclaration(position + 1)) {
    if (declaresFunction(position + 1)) {
      atomicSpecifier();
      simpleStatement();
      return;
    }
    text(keyword, "__charcoal_atomic_enter();"); // the names must stay in this block, so there is none to end
    drop();
    open(Region::Atomic, keyword);
    simpleStatement();
    close();
    text(position - 1, "__charcoal_atomic_leave(0);");
    return;
  }
  text(keyword, std::string("{ ") + atomicBegin);
  drop();
  open(Region::Atomic, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

// `atomic (` where an expression may begin. Where a statement begins, form() has taken it as a statement.
bool Translator::isAtomicExpression() {
  if (here() != "atomic" || !isName(position) || next() != "(" || position == 0 || isPlain("atomic"))
    return false;
  std::string_view before = at(position - 1);
  if (isName(position - 1) || before == "." || before == "->" || tokens[position - 1].kind == Kind::Literal)
    return false;
  return !isKeyword(position - 1) || before == "return" || before == "sizeof" || before == "__extension__" ||
         before == "else" || before == "case";
}

void Translator::atomicExpression() {
  const size_t keyword = position;
  text(keyword, std::string("__extension__ ({ ") + atomicBegin);
  drop();
  open(Region::Atomic, keyword);
  group();
  close();
  text(position - 1, "; })");
}

// Whether the declaration at `index` declares or defines a function, rather than variables.
bool Translator::declaresFunction(size_t index) const {
  for (size_t i = index; i < tokens.size() && at(i) != ";" && at(i) != "=" && at(i) != "{"; ++i) {
    if (at(i) == "__attribute__" || at(i) == "__attribute")
      ++i;
    else if (at(i) == "(" && ((isName(i - 1) && i > index) || (at(i - 1) == ")" && at(i - 2) != "*" && isName(i - 2))))
      return true;
    if (at(i) == "(" || at(i) == "[")
      i = closing(i);
  }
  return false;
}

// `atomic` or `noncancellable` among the specifiers of a function's declaration.
bool Translator::isSpecifier(std::string_view word) const {
  if (here() != word || !isName(position) || names.isDeclared(word))
    return false;
  return (isName(position + 1) || (isKeyword(position + 1) && next() != "asm") || next() == "*") &&
         (position == 0 || at(position - 1) != "*");
}

void Translator::atomicSpecifier() {
  if (!declaresFunction(position + 1)) {
    problem(position,
            "'atomic' applies to functions, statements and expressions; for a variable that is read and written "
            "in one step write '_Atomic'");
    drop();
    return;
  }
  text(position, "__attribute__((__annotate__(\"charcoal.atomic\")))");
  drop();
}

// ---- do … finish ----
//
//   name: within (t) do S finish;     becomes
//
//   name: { __auto_type __charcoal_when_0 = __charcoal_after((t));
//     struct __charcoal_scope __charcoal_finish_0 __attribute__((cleanup(…leave)));
//     __charcoal_scope_enter(&__charcoal_finish_0, 0, "file:line");
//     struct __charcoal_deadline …; __charcoal_scope_deadline(&__charcoal_finish_0, &…, __charcoal_when_0);
//     S }
//
// The cleanup waits for the branches, on every way out. With `by` the time is absolute already: __charcoal_at.

bool Translator::isFinish(size_t index) const {
  if (at(index) != "do")
    return false;
  const size_t end = statementEnd(index + 1);
  return isName(end) && at(end) == "finish";
}

bool Translator::matchesDeadline(bool) const { return next() == "(" && isFinish(closing(position + 1) + 1); }

bool Translator::matchesLoneFinish(bool sure) const { return sure && next() == ";"; }

void Translator::lowerLoneFinish(bool) {
  problem(position, "'finish' without a 'do' before it; write 'do { … } finish;'");
  drop();
  take(); // ;
}

// Declares the variable of a scope, opens it, and has it closed at the end of the block.
std::vector<Piece> Translator::scopePieces(const std::string &name, bool barrier, size_t keyword) {
  return {{Piece::Text, keyword,
           "struct __charcoal_scope " + name + " __attribute__((__cleanup__(__charcoal_scope_leave)));" +
               " __charcoal_scope_enter(&" + name + (barrier ? ", 1u," : ", 0u,")},
          {Piece::Site, keyword, {}},
          {Piece::Text, keyword, ");"}};
}

void Translator::enterScope(const std::string &name, bool barrier, size_t keyword) {
  for (Piece &piece : scopePieces(name, barrier, keyword))
    result.pieces.push_back(std::move(piece));
}

// The labels before the statement are the scope's names.
void Translator::nameFinish(Region &finish) {
  for (size_t i = labels.size(); i-- > firstLabel;) {
    const std::string_view name = labels[i].name;
    for (const Region &outer : regions)
      for (std::string_view label : outer.labels)
        if (label == name) {
          const std::string quoted = "'" + std::string(name) + "'";
          problem(labels[i].index,
                  "the label " + quoted + " already names a 'do … finish' around this one, which 'cancel " +
                      std::string(name) + "' could mean as well; give one of them another name",
                  outer.keyword, "the other begins here");
          // Without the label, which clang would report again.
          result.pieces.erase(result.pieces.begin() + labels[i].piece, result.pieces.begin() + labels[i].pieceEnd);
        }
    finish.labels.push_back(name);
  }
}

void Translator::lowerFinish(bool) {
  Region finish{Region::Finish, position, 0};
  nameFinish(finish);
  const std::string number = std::to_string(finish.uid = nextScope++), scope = "__charcoal_finish_" + number,
                    when = "__charcoal_when_" + number, timer = "__charcoal_deadline_" + number;
  const bool deadline = here() != "do";
  text(position, "{");
  if (deadline) {
    text(position,
         "__extension__ __auto_type " + when + " = " + (here() == "within" ? "__charcoal_after(" : "__charcoal_at("));
    drop();
    group();
    text(finish.keyword, "); struct __charcoal_deadline " + timer + ";");
    finish.keyword = position;
  }
  enterScope(scope, false, position);
  if (deadline)
    text(position, "__charcoal_scope_deadline(&" + scope + ", &" + timer + ", " + when + ");");
  drop(); // do
  finish.number = nextRegion++;
  regions.push_back(std::move(finish));
  statement(false);
  close();
  if (here() == "finish") {
    drop();
    if (here() == ";")
      drop();
    else
      problem(position - 1, "expected ';' after 'finish'");
  }
  text(position - 1, "}");
}

// The scope that an `async` or `cancel` at the current token belongs to: that of a 'do … finish', or for `async` that
// of the `async` around it. Or none, and an error.
const Region *Translator::scopeAround(const char *word) {
  const std::string quoted = "'" + std::string(word) + "'";
  const Region *body = nullptr;
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region) {
    if (region->what == Region::Async && !body && quoted == "'async'") {
      if (!region->startsBranches)
        region->uid = nextScope++;
      region->startsBranches = true;
      return &*region;
    }
    if (region->what == Region::Finish && !body)
      return &*region;
    if (region->what == Region::Finish) {
      problem(position,
              quoted + " in the body of 'activate' cannot belong to the 'do … finish' outside it, which is another "
                       "activity's; write a 'do … finish' inside",
              body->keyword, "the body belongs to this 'activate'");
      return nullptr;
    }
    if (region->what == Region::Body && !body)
      body = &*region;
  }
  problem(position, quoted + (quoted == "'async'"
                                  ? " needs a 'do … finish' around it in the same function, which waits for what it "
                                    "starts: write 'do { async …; } finish;'"
                                  : " needs a 'do … finish' around it in the same function; to cancel a whole activity "
                                    "call 'ch_activity_cancel(&handle)'"));
  return nullptr;
}

// ---- async ----
//
//   async S     becomes   { __charcoal_async(uid, &__charcoal_finish_0); <captured> { __charcoal_body(uid); S } }
//
// S is a function in the end, called at once; it takes the addresses of the variables that it uses. If it starts
// branches itself it has a scope, and waits for them at its end, because they may use its variables. `async (i) { … }`
// begins with copying i, as `activate (i) { … }` does; since it begins at once, the body itself can do that.

bool Translator::matchesAsync(bool sure) const {
  return matchesStatement(sure) || (next() == "(" && at(closing(position + 1) + 1) == "{");
}

void Translator::lowerAsync(bool) {
  const size_t keyword = position;
  const Region *scope = scopeAround("async");
  if (scope)
    for (auto region = regions.rbegin(); region->number != scope->number; ++region)
      if (region->what == Region::Barrier) {
        problem(keyword,
                "'async' in a 'noncancellable' block cannot belong to the 'do … finish' outside it; write 'async "
                "noncancellable …' instead, or a 'do … finish' inside the block",
                region->keyword, "the block begins here");
        scope = nullptr;
        break;
      }
  drop();
  if (startsDeclaration(position)) {
    problem(keyword,
            "'async' stands before a statement, not a declaration; declare the variable first, then 'async x = "
            "…;'");
    scope = nullptr;
  }
  std::vector<size_t> copies;
  const bool hasList = here() == "(" && at(closing(position) + 1) == "{";
  if (hasList)
    copies = namesToCopy(keyword);
  if (!scope) {
    statement(false);
    return;
  }
  const std::string uid = std::to_string(nextUid++);
  text(keyword, "{ __charcoal_async(" + uid + "u, &__charcoal_finish_" + std::to_string(scope->uid) + ");");
  piece(Piece::Captured, keyword);
  text(keyword, "{ __charcoal_body(" + uid + (hasList ? "u); {" : "u);"));
  if (hasList)
    copyVariables(copies, keyword);
  const size_t begin = result.pieces.size(); // what enters the scope, should it turn out to need one
  for (size_t i = 0; i < scopePieces({}, false, keyword).size(); ++i)
    text(keyword, {});
  open(Region::Async, keyword);
  statement(false);
  std::string end = hasList ? "} } } }" : "} }";
  if (const Region region = close(); region.startsBranches) {
    std::vector<Piece> pieces = scopePieces("__charcoal_finish_" + std::to_string(region.uid), false, keyword);
    pieces.front().text.insert(0, "{ ");
    std::move(pieces.begin(), pieces.end(), result.pieces.begin() + begin);
    end += " }";
  }
  text(position - 1, end);
}

// ---- cancel; cancel name; ----

bool Translator::matchesCancel(bool sure) const {
  const size_t semicolon = position + (isName(position + 1) ? 2 : 1);
  if (at(semicolon) != ";")
    return false;
  for (const Region &region : regions) // a `do … finish` around it leaves no doubt
    sure |= region.what == Region::Finish;
  return sure;
}

void Translator::lowerCancel(bool) {
  const size_t keyword = position, named = isName(position + 1) ? position + 1 : 0;
  const Region *scope = nullptr, *body = nullptr;
  if (!named)
    scope = scopeAround("cancel");
  else {
    const std::string name(at(named));
    for (auto region = regions.rbegin(); !scope && region != regions.rend() && region->what != Region::Function;
         ++region) {
      for (std::string_view label : region->labels)
        if (label == name)
          scope = &*region;
      if (region->what == Region::Body && !body && !scope)
        body = &*region;
    }
    if (scope && body) {
      problem(keyword,
              "'cancel " + name +
                  "' in the body of 'activate' cannot name a 'do … finish' outside it, which is another "
                  "activity's; cancel there, or call 'ch_activity_cancel(&handle)'",
              body->keyword, "the body belongs to this 'activate'");
      scope = nullptr;
    } else if (!scope)
      problem(named, "no 'do … finish' around this 'cancel' is named '" + name + "'; write '" + name +
                         ": do { … } finish;', or 'cancel;' for the innermost one");
  }
  text(keyword, scope ? "__charcoal_scope_cancel(&__charcoal_finish_" + std::to_string(scope->uid) + ")" : "(void)0");
  drop(named ? named + 1 : keyword + 1);
  take(); // ;
}

// ---- noncancellable ----

bool Translator::matchesNoncancellable(bool sure) const { return matchesStatement(sure); }

void Translator::lowerNoncancellable(bool inList) {
  const size_t keyword = position;
  if (inList && startsDeclaration(position + 1)) {
    noncancellableSpecifier();
    simpleStatement();
    return;
  }
  text(keyword, "{");
  enterScope("__charcoal_barrier_" + std::to_string(nextScope++), true, keyword);
  drop();
  open(Region::Barrier, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

// Before a function's declaration. Its body, if one follows, gets the scope; callers need not know.
void Translator::noncancellableSpecifier() {
  if (!declaresFunction(position + 1))
    problem(position, "'noncancellable' applies to statements and functions; declare the variable first, then "
                      "'noncancellable x = …;'");
  for (size_t i = position + 1; regions.empty() && i < tokens.size() && at(i) != "{"; ++i)
    if (at(i) == "(") {
      const bool parameters = isName(i - 1);
      i = closing(i);
      if (parameters && startsDeclaration(i + 1)) // the body will come as a declaration of its own
        problem(
            position,
            "'noncancellable' needs a function whose parameters are declared in the parentheses; declare them so, or "
            "write 'noncancellable { … }' in the body");
      if (parameters)
        break;
    }
  drop();
}

// ---- activate ----
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
// clang makes the captured block a function and gives it a record of addresses; pass `outline` replaces the
// addresses named by __charcoal_value by the values themselves, and hands function and record to the runtime.

struct Translator::Spawn {
  size_t keyword = 0;
  bool contained = false;
  size_t handle = 0;          // index of '[', or 0
  std::vector<size_t> values; // names to copy
  unsigned uid = 0;
};

bool Translator::matchesActivate(bool sure) const {
  size_t i = position + 1;
  if (at(i) == "[" && !isClosed(i))
    return false; // clang will say so
  if (at(i) == "contained" && (at(i + 1) == "{" || at(i + 1) == "[" || isName(i + 1)))
    return true;
  if (at(i) == "contained" && at(i + 1) == "(" && at(closing(i + 1) + 1) == "{")
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
  drop();
  if (here() == "contained" && !(next() == "(" && at(closing(position + 1) + 1) != "{")) {
    spawn.contained = true;
    drop();
  }
  if (here() == "[") {
    spawn.handle = position;
    drop(closing(position) + 1);
  }
  const size_t afterList = here() == "(" ? closing(position) + 1 : 0;
  if (afterList && at(afterList) == "{") {
    spawn.values = namesToCopy(spawn.keyword);
  } else if (afterList && isName(afterList)) {
    problem(spawn.keyword, "'activate' with a list of copies needs a block; before a call leave the list out, a call "
                           "copies its arguments");
    drop(afterList);
  }
  text(spawn.keyword, "{");
  if (here() == "{")
    spawnBlock(spawn);
  else
    spawnCall(spawn);
  text(position - 1, "}");
}

// The list `(i, j)` before a block.
std::vector<size_t> Translator::namesToCopy(size_t keyword) {
  std::vector<size_t> result;
  const std::string word = "'" + std::string(at(keyword)) + "'";
  const size_t end = closing(position);
  for (size_t i = position + 1; i < end; i += 2) {
    if (!isName(i) || (at(i + 1) != "," && i + 1 != end)) {
      problem(i,
              word + " copies variables: between '(' and ')' it takes names separated by commas; "
                     "store the expression in a variable first",
              keyword, "in this " + word);
      result.clear();
      break;
    }
    result.push_back(i);
  }
  drop(end + 1);
  return result;
}

// Declares variables of the same names, with the same values, in a block that it opens.
void Translator::copyVariables(const std::vector<size_t> &variables, size_t keyword) {
  std::string declarations, copies;
  for (size_t k = 0; k < variables.size(); ++k) {
    const std::string name(at(variables[k])), pointer = "__charcoal_" + std::to_string(k);
    text(keyword, "__extension__ __auto_type " + pointer + " = &");
    result.pieces.push_back({Piece::Original, variables[k], {}}); // a wrong name is reported where it stands
    text(keyword, ";");
    text(variables[k], "__extension__ _Static_assert(__builtin_constant_p(sizeof *" + pointer + "), \"'" +
                           std::string(at(keyword)) +
                           "' cannot copy a variable-length array; capture it by reference, or copy it to memory of "
                           "its own first\");");
    bool declared = names.isDeclared(name);
    for (size_t i = 0; i < keyword && !declared; ++i)
      declared = at(i) == name;
    if (declared) // in the specifiers `name` is still the variable outside; if it is unknown, one error is enough
      declarations += " __attribute__((__aligned__(__alignof__(" + name + "))))";
    declarations += " __typeof_unqual__(*" + pointer + ") " + name + ";";
    copies += " __builtin_memcpy((void *)&" + name + ", (const void *)" + pointer + ", sizeof " + name + ");";
  }
  text(keyword, "{" + declarations + copies);
}

void Translator::spawnMarker(const Spawn &spawn) {
  text(spawn.keyword, "__charcoal_spawn(" + std::to_string(spawn.uid) + "u,");
  if (spawn.handle) {
    const size_t resume = position, end = closing(spawn.handle);
    bool comma = false;
    for (size_t i = spawn.handle; i < end; ++i)
      comma |= at(i) == ",";
    position = spawn.handle + 1;
    if (comma) // only then, so that an error is reported at the expression itself
      text(spawn.keyword, "(");
    skim(end);
    if (comma)
      text(spawn.keyword, ")");
    position = resume;
  } else
    text(spawn.keyword, "0");
  text(spawn.keyword, spawn.contained ? ", 1u," : ", 0u,");
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

// The statement `f(a, b);` behind `activate`: the last bracketed group before the ';' holds the arguments,
// everything before it is the function.
void Translator::spawnCall(const Spawn &spawn) {
  const size_t start = position;
  size_t end = start, arguments = 0;
  while (end < tokens.size() && at(end) != ";" && at(end) != "}") {
    const std::string_view t = at(end);
    const size_t open = end;
    if (t == "(" || t == "[" || t == "{")
      end = closing(end);
    ++end;
    if (t == "(" && open > start && at(end) == ";")
      arguments = open;
    if (tokens[open].kind == Kind::Punctuator && t != "(" && t != "[" && t != "." && t != "->") {
      arguments = 0;
      break;
    }
  }
  if (!arguments || isKeyword(start)) {
    problem(spawn.keyword, "'activate' needs a block or a call: write 'activate { … }' or 'activate f(…);'");
    while (!done() && here() != ";" && here() != "}")
      drop(here() == "(" || here() == "[" || here() == "{" ? closing(position) + 1 : position + 1);
    if (here() == ";")
      drop();
    return;
  }
  const std::string uid = std::to_string(spawn.uid);
  std::string values;
  unsigned copies = 0;
  auto copy = [&](size_t from, size_t to) { // returns the name of the copy
    std::string name = "__charcoal_" + std::to_string(copies++);
    text(spawn.keyword, "__extension__ __auto_type " + name + " = ((void)0, ");
    position = from;
    skim(to);
    text(spawn.keyword, ");");
    values += " __charcoal_value(&" + name + ", sizeof " + name + ");";
    return name;
  };

  // A function is called by its name, which keeps clang's checks of the arguments; a pointer to one is
  // copied like an argument, for the spawner decides now what is to be called.
  bool direct = isName(start) && start + 1 == arguments &&
                (names.isFunction(at(start)) || at(start).substr(0, 10) == "__builtin_");
  for (size_t i = 1; direct && i < tokens.size(); ++i)
    if (isName(i) && at(i) == at(start) && at(i + 1) != "(" && at(i - 1) != "." && at(i - 1) != "->")
      direct = false; // perhaps a local variable of the same name
  const std::string pointer = direct ? "" : copy(start, arguments);

  const size_t close = closing(arguments);
  std::vector<std::pair<size_t, std::string>> passed; // a literal's index, or the name of a copy
  for (size_t from = arguments + 1; from < close;) {
    size_t to = from;
    while (to < close && at(to) != ",")
      to = (at(to) == "(" || at(to) == "[" || at(to) == "{" ? closing(to) : to) + 1;
    bool literal = true;
    for (size_t i = from; i < to; ++i)
      literal &= tokens[i].kind == Kind::Literal;
    if (literal)
      passed.push_back({from, ""});
    else
      passed.push_back({0, copy(from, to)});
    from = to + 1;
  }

  spawnMarker(spawn);
  piece(Piece::Captured, spawn.keyword);
  text(spawn.keyword, "{ __charcoal_body(" + uid + "u);" + values + " (void)");
  if (direct) {
    position = start;
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
  text(close, ") ; }");
  drop(close + 1);
  if (here() == ";")
    drop();
}

} // namespace charcoal::syntax
