// What may leave which region. See translator.h.
//
// `return`, `break`, `goto` … may leave an atomic block: its cleanup runs. None may leave the body of an
// activity, which has a stack of its own: there `return` ends the activity, and the others are the user's
// mistakes. Nothing may jump into either. A wrong jump is left out of the output, so that clang does not
// report it again.
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
  return what == Region::Atomic ? "an 'atomic' block" : "the body of 'activate'";
}

// Stands in for a wrong jump.
void Translator::nothing() { text(position, "(void)0"); }

// The innermost body around the current token, if no function begins in between.
Region *Translator::enclosingBody() {
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region)
    if (region->what == Region::Body)
      return &*region;
  return nullptr;
}

void Translator::breakOrContinue() {
  const bool isBreak = here() == "break";
  const Region *body = nullptr, *target = nullptr;
  for (auto region = regions.rbegin(); region != regions.rend() && region->what != Region::Function; ++region) {
    if (region->what == Region::Loop || (isBreak && region->what == Region::Switch)) {
      target = &*region;
      break;
    }
    if (region->what == Region::Body)
      body = &*region;
  }
  if (body && target) {
    problem(position,
            "'" + std::string(here()) +
                "' cannot leave the body of 'activate'; end the activity with 'return', and let the spawner '" +
                std::string(here()) + "' outside",
            target->keyword, "it would leave this '" + std::string(at(target->keyword)) + "', which the spawner runs");
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
    if (region->what == Region::Body || region->what == Region::Atomic)
      barrier = &*region;
  }
  const bool wrong = barrier && insideSwitch;
  if (wrong)
    problem(position,
            "'" + std::string(here()) + "' jumps into " + describe(barrier->what) +
                "; put the whole 'switch' inside, or the '" + std::string(at(barrier->keyword)) + "' after the label",
            barrier->keyword, "it begins here");
  unsigned conditionals = 0; // case a ? b : c:
  size_t end = position;
  for (; end < tokens.size(); ++end) {
    std::string_view t = at(end);
    if (t == "(" || t == "[" || t == "{")
      end = closing(end);
    else if (t == "?")
      ++conditionals;
    else if (t == ":" && conditionals-- == 0)
      break;
    else if (t == ";" || t == "}")
      break;
  }
  if (end < tokens.size() && at(end) == ":")
    ++end;
  if (wrong)
    drop(end);
  else {
    take();
    skim(end);
  }
}

// Only these two kinds of region restrict a `goto`.
static std::vector<Region> barriers(const std::vector<Region> &regions) {
  std::vector<Region> result;
  for (const Region &region : regions)
    if (region.what == Region::Function || region.what == Region::Atomic || region.what == Region::Body)
      result.push_back(region);
  return result;
}

void Translator::gotoStatement() {
  const size_t keyword = position;
  if (!isName(position + 1) || !known) {
    simpleStatement(); // computed, or a first walk that only looks for labels
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
      if (from[i].what == Region::Body && !leaves)
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
    if (left)
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
  if (next() != ";") {
    problem(keyword,
            "'return' with a value in the body of 'activate', which has no result; store the value in a variable, then "
            "'return;'",
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
