// Decides which jumps may leave or enter a block of the dialect. See translator.h.
//
// `return` and `goto` may leave such a block (atomic, do … finish, noncancellable, a clause's body), and its cleanup
// runs then. `break` and `continue` may leave all of these but a `do … finish`, which other compilers take for a loop.
// No jump may leave the body of `activate` or `async`, because the body becomes a function of its own, which may
// outlast the statement; in the body of `activate`, `return` ends the activity. No jump may enter any of these blocks.
// A wrong jump is reported and left out of the output, so that clang does not report it again.
#include "translator.h"

namespace charcoal::syntax {

void Translator::open(Region::What what, size_t keyword, unsigned uid) {
  regions.push_back({what, keyword, nextRegion++, uid});
}

Region Translator::close() {
  Region region = regions.back();
  regions.pop_back();
  return region;
}

static const char *describe(Region::What what) {
  switch (what) {
  case Region::Atomic:
    return "an 'atomic' block";
  case Region::Finish:
    return "a 'do … finish' block";
  case Region::Async:
    return "the body of 'async'";
  case Region::Barrier:
    return "a 'noncancellable' block";
  case Region::Clause:
    return "the body of a clause";
  case Region::NoYield:
    return "an 'assert_no_yield' block";
  case Region::Twait:
    return "a 'twait' block";
  default:
    return "the body of 'activate'";
  }
}

// No jump may enter these regions. Jumps into the statement of a loop or switch are allowed, as in C.
static bool mayNotBeEntered(Region::What what) {
  return what != Region::Function && what != Region::Loop && what != Region::Switch;
}

// These regions become functions of their own, so no jump may leave them.
static bool isBody(Region::What what) { return what == Region::Body || what == Region::Async || what == Region::Tamed; }

// Writes a statement in place of a wrong jump.
void Translator::nothing() { text(position, "(void)0"); }

// The innermost body around the current token, if no function begins in between.
Region *Translator::enclosingBody() {
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region)
    if (isBody(region->what))
      return &*region;
  return nullptr;
}

// What to do instead of leaving the body of an `async` by `jump`.
static std::string behindFinish(const std::string &jump) {
  return "'" + jump +
         "' cannot leave the body of 'async', which may end long after the code after it has gone on; set a variable "
         "here (and 'cancel;' to end the other branches), and '" +
         jump + "' after 'finish'";
}

void Translator::breakOrContinue() {
  if (isName(position + 1)) { // `break` or `continue` with the label of a loop: all compilers take it for the same
                              // loop, and clang checks it
    simpleStatement();
    return;
  }
  const bool isBreak = here() == "break";
  const std::string word(here());
  const Region *barrier = nullptr, *target = nullptr;
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region) {
    if (region->what == Region::Loop || (isBreak && region->what == Region::Switch)) {
      target = &*region;
      break;
    }
    if (!barrier && (isBody(region->what) || region->what == Region::Finish))
      barrier = &*region;
  }
  const bool wrong = barrier && (target || barrier->what != Region::Body);
  if (wrong && barrier->what == Region::Body)
    problem(position,
            "'" + word +
                "' cannot leave the body of 'activate'; end the activity with 'return', and let the spawner '" + word +
                "' outside",
            target->keyword, "it would leave this '" + std::string(at(target->keyword)) + "', which the spawner runs");
  else if (wrong && barrier->what == Region::Async)
    problem(position, behindFinish(word), barrier->keyword, "the body belongs to this 'async'");
  else if (wrong)
    problem(position,
            "'" + word +
                "' cannot leave a 'do … finish' block (for other compilers, that is a loop of its own); jump after the "
                "block with 'goto', which waits for the branches first, or set a variable and '" +
                word + "' there",
            barrier->keyword, "the block begins here");
  if (wrong) {
    nothing();
    drop();
  }
  simpleStatement();
}

void Translator::caseOrDefault() {
  const Region *barrier = nullptr;
  bool insideSwitch = false;
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region) {
    if (region->what == Region::Switch) {
      insideSwitch = true;
      break;
    }
    if (mayNotBeEntered(region->what))
      barrier = &*region;
  }
  const bool wrong = barrier && insideSwitch;
  if (wrong)
    problem(position,
            "'" + std::string(here()) + "' jumps into " + describe(barrier->what) +
                "; put the whole 'switch' inside, or the '" + std::string(at(barrier->keyword)) + "' after the label",
            barrier->keyword, "it begins here");
  const size_t end = caseEnd(position);
  if (wrong)
    drop(end);
  else {
    take();
    skim(end);
  }
}

// Only these kinds of region restrict a `goto`.
static std::vector<Region> barriers(const std::vector<Region> &regions) {
  std::vector<Region> result;
  for (const Region &region : regions)
    if (region.what == Region::Function || mayNotBeEntered(region.what))
      result.push_back(region);
  return result;
}

void Translator::gotoStatement() {
  const size_t keyword = position;
  if (!isName(position + 1) || !known) {
    simpleStatement(); // a computed goto, or the first walk, which only looks for labels
    return;
  }
  const std::string name(next());
  const std::vector<Region> from = barriers(regions);
  const Region *left = nullptr, *entered = nullptr;
  std::vector<Region> entries; // keeps *entered alive
  for (const Label &label : *known) {
    if (label.name != name)
      continue;
    const std::vector<Region> to = barriers(label.regions);
    size_t common = 0;
    while (common < from.size() && common < to.size() && from[common].number == to[common].number)
      ++common;
    const Region *leaves = nullptr, *enters = nullptr;
    bool anotherFunction = false;
    for (size_t i = common; i < from.size(); ++i) {
      if (isBody(from[i].what) && !leaves)
        leaves = &from[i];
      anotherFunction |= from[i].what == Region::Function;
    }
    for (size_t i = common; i < to.size() && !enters; ++i) {
      if (to[i].what == Region::Function)
        anotherFunction = true;
      else
        enters = &to[i];
    }
    if (anotherFunction)
      continue;
    if (!leaves && !enters) { // this one it means
      left = entered = nullptr;
      break;
    }
    if (leaves)
      left = leaves;
    else {
      entries = {*enters};
      entered = &entries[0];
    }
  }
  if (left || entered) {
    if (left && left->what == Region::Async)
      problem(keyword, behindFinish("goto " + name), left->keyword, "the body belongs to this 'async'");
    else if (left)
      problem(
          keyword,
          "'goto " + name +
              "' cannot leave the body of 'activate'; end the activity with 'return', and let the spawner jump outside",
          left->keyword, "the body belongs to this 'activate'");
    else
      problem(keyword,
              "'goto " + name + "' jumps into " + describe(entered->what) +
                  "; put the label before it, or the 'goto' inside",
              entered->keyword, "it begins here");
    nothing();
    drop(); // goto
    drop(); // name
  }
  simpleStatement();
}

void Translator::returnStatement() {
  Region *body = enclosingBody();
  if (!body) {
    simpleStatement();
    return;
  }
  const size_t keyword = position;
  if (body->what == Region::Async) {
    problem(keyword, behindFinish("return"), body->keyword, "the body belongs to this 'async'");
    nothing();
    drop();
    if (here() != ";")
      text(keyword, ",");
    simpleStatement();
    return;
  }
  if (next() != ";") {
    if (body->what == Region::Tamed)
      problem(
          keyword,
          "'return' with a value in a 'tamed' function, which returns to its caller when it first waits; trigger an "
          "event with the value, then 'return;'",
          body->keyword, "the function is 'tamed'");
    else
      problem(keyword,
              "'return' with a value in the body of 'activate', which has no result; store the value in a variable, "
              "then 'return;'",
              body->keyword, "the body belongs to this 'activate'");
    drop();
    while (!done() && here() != ";" && here() != "}") {
      std::string_view t = here();
      drop(t == "(" || t == "[" || t == "{" ? closing(position) + 1 : position + 1);
    }
  } else
    drop();
  body->hasReturn = true;
  text(keyword, "goto charcoal_end_" + std::to_string(body->uid));
  simpleStatement();
}

} // namespace charcoal::syntax
