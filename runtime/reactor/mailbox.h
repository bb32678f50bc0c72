/* A domain's letters, and the word `rest` that says whether somebody has to wake it when one is put in.
 *
 *   AWAKE          -> LOOKING           by the domain, which has nothing to do and looks for letters (looking.h)
 *   AWAKE          -> ASLEEP            by the domain: it sleeps in the kernel, unless there is a letter
 *   ASLEEP         -> WOKEN             by the first who puts a letter in and finds it so: it makes the system call
 *   any of these   -> AWAKE             by the domain
 *
 * No wake-up is lost: a letter is put in before `rest` is read, and ASLEEP is written before the letters are read for
 * the last time. All four have one order, so at least one of the two sees the other. tests/runtime/explore explores
 * this, as far as its limit allows. */
#ifndef CHARCOAL_REACTOR_MAILBOX_H
#define CHARCOAL_REACTOR_MAILBOX_H

#include "wait/atomics.h"
#include <stddef.h>
#include <stdint.h>

struct ch_letter {
  struct ch_letter *next; /* while posted */
  void (*open)(struct ch_letter *);
};

enum { CH_MAILBOX_AWAKE, CH_MAILBOX_LOOKING, CH_MAILBOX_ASLEEP, CH_MAILBOX_WOKEN };

struct ch_mailbox {
  struct ch_letter *top; /* put in last; linked backwards in time. Written by everybody */
  uint32_t rest;
};

/* By anybody. True: the caller has to wake the domain. */
static inline bool ch_mailbox_put(struct ch_mailbox *m, struct ch_letter *letter) {
  struct ch_letter *top = ch_atomic_load(&m->top);
  do
    letter->next = top;
  while (!ch_atomic_change(&m->top, &top, letter));
  uint32_t asleep = CH_MAILBOX_ASLEEP;
  return ch_atomic_load_in_order(&m->rest) == CH_MAILBOX_ASLEEP &&
         ch_atomic_change(&m->rest, &asleep, CH_MAILBOX_WOKEN);
}

/* The rest is for the domain alone, but for the last two. All letters, the last one first. */
static inline struct ch_letter *ch_mailbox_take(struct ch_mailbox *m) {
  return (struct ch_letter *)ch_atomic_exchange(&m->top, NULL);
}

/* From here on it takes letters without being woken, until ch_mailbox_wakes. */
static inline void ch_mailbox_looks(struct ch_mailbox *m) { ch_atomic_store(&m->rest, CH_MAILBOX_LOOKING); }

/* False: there are letters, and it must not sleep. ch_mailbox_wakes follows in any case. */
static inline bool ch_mailbox_sleeps(struct ch_mailbox *m) {
  (void)ch_atomic_exchange(&m->rest, CH_MAILBOX_ASLEEP);
  return ch_atomic_load_in_order(&m->top) == NULL;
}

/* True: it was asleep, and nobody had woken it. */
static inline bool ch_mailbox_wakes(struct ch_mailbox *m) {
  return ch_atomic_load(&m->rest) != CH_MAILBOX_AWAKE &&
         ch_atomic_exchange(&m->rest, CH_MAILBOX_AWAKE) == CH_MAILBOX_ASLEEP;
}

static inline bool ch_mailbox_is_empty(const struct ch_mailbox *m) { return ch_atomic_load(&m->top) == NULL; }
/* It sleeps, and no letter is in it. */
static inline bool ch_mailbox_stands(const struct ch_mailbox *m) {
  return ch_atomic_load_in_order(&m->top) == NULL && ch_atomic_load_in_order(&m->rest) == CH_MAILBOX_ASLEEP;
}

#endif
