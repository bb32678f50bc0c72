/* A domain that has nothing to do looks for letters for a moment before it sleeps. If it finds one, neither side has
 * needed a system call.
 *
 * It looks only under two conditions:
 * - There is another domain, which might send a letter.
 * - Looking has been worth it lately (struct ch_worth). Sleeps whose look is left out begin at once.
 *
 * A look takes a processor from no other domain. It gives way (sched_yield) after each glance if more domains are awake
 * than there are processors, or if the last letter came after it had given way; otherwise from the second microsecond
 * on. If it gets its processor back only after 200 us, another process may need it: the next 32 sleeps begin without a
 * look, and if that happens again, eight times as many, up to 2048.
 *
 * A look ends with a letter, with something that the kernel has for the domain, when the next timer is due, or after
 * 20 us; or after twice the time that wake-ups of this domain take, if that is longer, so that a partner who has to be
 * woken first can still answer in time. While more domains are awake than there are processors it may last five times
 * as long. CHARCOAL_LOOK_US in the environment sets the time of a look, and the 200 us in proportion; with 0 no domain
 * looks. */
#ifndef CHARCOAL_REACTOR_LOOKING_H
#define CHARCOAL_REACTOR_LOOKING_H

#include "reactor/inbox.h"
#include <stdint.h>

/* How many looks this domain has made, and how many of them found a letter. */
CH_HIDDEN extern __thread uint64_t ch_looks, ch_looks_paid;

/* Decides whether something is worth doing, by whether it has helped lately. After it has not helped, it is left out
 * once; each further time that it does not help doubles this number, up to 256. After it has helped, it is left out no
 * more. Zeroed memory says that it is worth doing. It is small because each kind has one in thread-local storage, of
 * which a shared library gets little. */
struct ch_worth {
  uint16_t left_out : 12; /* how many more times it is left out */
  uint16_t in_vain : 4;   /* how many times in a row it has not helped, 9 at most */
};
/* Tells whether it is worth doing now. If not, this counts as one of the times that it is left out. */
static inline bool ch_is_worth(struct ch_worth *w) {
  if (CH_LIKELY(w->left_out == 0))
    return true;
  w->left_out--;
  return false;
}
CH_HIDDEN void ch_was_in_vain(struct ch_worth *);

/* Tells whether there are several domains, with a processor for each that is awake, and looking is not switched off. */
CH_HIDDEN bool ch_has_processor(void);

/* A domain that waits for what another one is about to do looks on for up to 2 us, at memory that the other one is to
 * change, before it begins to wait by letters. It does so if there is a processor for each domain that is awake, if no
 * activity of it could run instead, and if that has been worth it lately. */
struct ch_look_on {
  struct ch_worth *worth; /* what is known about looks of this kind */
  unsigned glances;
  int64_t until;
};
CH_HIDDEN bool ch_look_on_begins(struct ch_look_on *, struct ch_worth *);
/* Pauses before the next glance. False: the time is over, or a letter has come. */
CH_HIDDEN bool ch_look_on_lasts(struct ch_look_on *);
/* The domain has found what it looked for. */
CH_HIDDEN void ch_look_on_paid(struct ch_look_on *);

/* Looks for letters, and opens those that it finds. It is called when no activity can run. True: letters have been
 * opened. */
CH_HIDDEN bool ch_look_for_letters_slow(void);
static inline bool ch_look_for_letters(void) {
  return CH_UNLIKELY(ch_inbox_of_thread != NULL) && ch_look_for_letters_slow();
}

#endif
