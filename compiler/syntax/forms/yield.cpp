//   yield;     becomes     __charcoal_yield();
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesYield(bool sure) const { return sure && next() == ";"; }

void Translator::lowerYield(bool) {
  text(position, "__charcoal_yield()");
  drop();
  take(); // ;
}

} // namespace charcoal::syntax
