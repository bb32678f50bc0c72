// assert_no_yield { … }
//
//   assert_no_yield {}  becomes  { const char *__charcoal_asserted __attribute__((cleanup(…no_yield_leave))) =
//                                  __charcoal_no_yield("file:line"); {} }
//
// never.cpp recognizes the block by this variable, and reports calls in it that are known to wait.
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesNoYield(bool) const { return next() == "{"; }

void Translator::lowerNoYield(bool) {
  const size_t keyword = position;
  text(keyword, "{ const char *__charcoal_asserted __attribute__((__cleanup__(__charcoal_no_yield_leave))) = "
                "__charcoal_no_yield(");
  piece(Piece::Site, keyword);
  text(keyword, ");");
  drop();
  open(Region::NoYield, keyword);
  statement(false);
  close();
  text(position - 1, "}");
}

} // namespace charcoal::syntax
