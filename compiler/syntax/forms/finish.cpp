// do … finish, with or without a deadline
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
#include "translator.h"

namespace charcoal::syntax {

bool Translator::isFinish(size_t index) const {
  if (at(index) != "do")
    return false;
  const size_t end = statementEnd(index + 1);
  if (at(end) == "while") // `do … while (…) finish;` is explained
    return at(end + 1) == "(" && isName(closing(end + 1) + 1) && at(closing(end + 1) + 1) == "finish";
  const bool hasDeadline = isName(end) && (at(end) == "within" || at(end) == "by") && at(end + 1) == "(";
  const size_t word = hasDeadline ? closing(end + 1) + 1 : end; // one after the block is explained
  return (isName(word) && at(word) == "finish") || isMisspeltFinish(end) || startsBranches(index + 1, end);
}

// Whether an `async` stands there: then a `do` before it is no loop, even if it has no end.
bool Translator::startsBranches(size_t begin, size_t end) const {
  for (size_t i = begin; i < end; ++i)
    if (isName(i) && at(i) == "async" && (at(i + 1) == "{" || isName(i + 1)) && !isPlain("async"))
      return true;
  return false;
}

// No loop can follow a deadline, so a `do` without an end is meant for a scope there.
bool Translator::matchesDeadline(bool) const {
  if (next() != "(" || !isClosed(position + 1))
    return false;
  const size_t keyword = closing(position + 1) + 1;
  return at(keyword) == "do" && (isFinish(keyword) || at(statementEnd(keyword + 1)) != "while");
}

bool Translator::matchesLoneFinish(bool sure) const { return sure && next() == ";"; }

void Translator::lowerLoneFinish(bool) {
  size_t scope = none; // the `do` for which it may be meant
  for (const Region &region : regions)
    if (region.what == Region::Finish)
      scope = region.keyword;
    else if (region.what == Region::Body)
      scope = none;
  if (scope == none || endedEarly != none)
    problem(position, "'finish' without a 'do' before it; write 'do { … } finish;'");
  else
    problem(position, "'finish' ends a 'do' block, and a block is still open here; write '}' before 'finish'",
            openBrace(), "the open block begins here");
  endedEarly = scope;
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
          // The label is left out, because clang would report it again.
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
  const size_t keyword = position;
  drop(); // do
  if (startsDeclaration(position))
    problem(position, "a declaration cannot stand alone behind 'do'; write 'do { … } finish;'", keyword,
            "in this 'do'");
  finish.number = nextRegion++;
  regions.push_back(std::move(finish));
  statement(false);
  close();
  endFinish(keyword, deadline);
  text(position - 1, "}");
}

// The `finish;` that ends what the `do` at `keyword` began, and what may stand there instead.
void Translator::endFinish(size_t keyword, bool deadline) {
  if (isMisspeltFinish(position))
    correct("finish");
  if (here() == "while" && next() == "(") {
    problem(position, "a 'do … finish' is no loop; write 'while (…) { do { … } finish; }'");
    drop(closing(position + 1) + 1);
  } else if (here() != "finish" && isName(position) && next() == "(" && at(closing(position + 1) + 1) == "finish") {
    problem(position, "'" + std::string(here()) + "' stands before 'do'; write '" + deadlineForm(here()));
    drop(closing(position + 1) + 1);
  }
  if (here() != "finish" && endedEarly == keyword)
    return;
  if (here() != "finish") {
    problem(position - 1,
            std::string("expected 'finish;' after a 'do' block ") +
                (deadline ? "that has a deadline" : "that starts branches"),
            keyword, "to match this 'do'");
    result.problems.back().insertion = " finish;";
    return;
  }
  drop();
  if (here() == "(" && isClosed(position) && at(closing(position) + 1) == ";") {
    problem(position,
            "nothing stands between 'finish' and ';'; a deadline stands before 'do': '" + deadlineForm("within"));
    drop(closing(position) + 1);
  }
  if (here() == ";")
    return drop();
  problem(position - 1, "expected ';' after 'finish'");
  result.problems.back().insertion = ";";
}

// Returns the scope to which an `async` or `cancel` at the current token belongs: that of a `do … finish`, or for
// `async` also that of the `async` around it. If there is none, reports an error.
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

} // namespace charcoal::syntax
