//   cancel; cancel name;     become     __charcoal_scope_cancel(&__charcoal_finish_0);
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesCancel(bool sure) const {
  const size_t semicolon = position + (isName(position + 1) ? 2 : 1);
  if (at(semicolon) != ";")
    return false;
  for (const Region &region : regions) // inside a `do … finish` the word certainly begins the statement
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

} // namespace charcoal::syntax
