// twait { … }
//
//   twait { S }     becomes
//
//   { struct ch_twait_block __charcoal_twait __attribute__((cleanup(…leave))) = {{0}, …enter(…)};
//     { S (void)ch_rendezvous_wait_all(&__charcoal_twait.rendezvous, "file:line"); } }
//
// `mkevent` without a rendezvous names __charcoal_twait: so the innermost block counts. A jump out of the block cancels
// what is outstanding.
#include "translator.h"

namespace charcoal::syntax {

bool Translator::matchesTwait(bool) const { return next() == "{"; }

void Translator::lowerTwait(bool) {
  const size_t keyword = position;
  drop();
  if (!names.isDeclared("ch_rendezvous_wait_all")) {
    problem(keyword, "'twait' needs '#include <charcoal/events.h>'");
    return statement(false);
  }
  text(keyword, "{ struct ch_twait_block __charcoal_twait __attribute__((__cleanup__(__charcoal_twait_leave))) = "
                "{{0}, __charcoal_twait_enter(&__charcoal_twait)};");
  open(Region::Twait, keyword);
  const size_t end = closing(position);
  beginBlock();
  statements(end);
  close();
  text(keyword, "(void)ch_rendezvous_wait_all(&__charcoal_twait.rendezvous,");
  piece(Piece::Site, keyword);
  text(keyword, ");");
  if (here() == "}")
    take();
  text(position - 1, "}");
}

} // namespace charcoal::syntax
