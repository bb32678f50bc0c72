/* A domain that has nothing to do looks for letters for a moment before it sleeps. A letter that it finds so has cost
 * nobody a system call.
 *
 * It does so only
 * - if there is another domain, which might post one;
 * - if that takes a processor from no domain: as long as there are as many processors as domains that are awake;
 * - if it has paid lately: a look in vain leaves out the next sleeps, each further one twice as many, up to 255, and a
 *   look that finds a letter makes the next sleep begin with one again.
 *
 * It ends with a letter, with something that the kernel has for the domain, when the next timer is due, when another
 * domain wants the processor, or after 20 us (CHARCOAL_LOOK_US in the environment; 0: never). */
#ifndef CHARCOAL_REACTOR_LOOKING_H
#define CHARCOAL_REACTOR_LOOKING_H

#include "reactor/inbox.h"
#include <stdint.h>

/* Looks made by this domain, and those of them that found a letter. */
CH_HIDDEN extern __thread uint64_t ch_looks, ch_looks_paid;

/* Nobody here can run. True: letters have been opened. */
CH_HIDDEN bool ch_look_for_letters_slow(void);
static inline bool ch_look_for_letters(void) {
  return CH_UNLIKELY(ch_inbox_of_thread != NULL) && ch_look_for_letters_slow();
}

#endif
