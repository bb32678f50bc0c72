/* A mailbox holds the letters that were sent to a domain. Its word `rest` says whether the sender of a letter has to
 * wake the domain:
 *
 *   AWAKE          -> LOOKING           by the domain, when it has nothing to do and looks for letters (looking.h)
 *   AWAKE          -> ASLEEP, RESTING   by the domain, which then sleeps in the kernel unless there is a letter: in its
 *                                       reactor, where a descriptor or a signal wakes it; or, as nothing but a letter
 *                                       or a time can end its sleep, at the word `rest` itself (a futex)
 *   either of them -> WOKEN             by the first sender that finds one, which makes the system call
 *   any of these   -> AWAKE             by the domain
 *
 * No wake-up is lost: a sender puts its letter in before it reads `rest`, and the domain writes ASLEEP or RESTING
 * before it reads the letters for the last time. These four accesses have one order for all threads; so the domain sees
 * the letter, or the sender sees that it sleeps, or both. tests/runtime/explore explores this, as far as its limit
 * allows.
 */
#ifndef CHARCOAL_REACTOR_MAILBOX_H
#define CHARCOAL_REACTOR_MAILBOX_H

#include "wait/atomics.h"
#include <stddef.h>
#include <stdint.h>

struct ch_letter {
  struct ch_letter *next; /* meaningful while the letter is posted */
  void (*open)(struct ch_letter *);
};

enum { CH_MAILBOX_AWAKE, CH_MAILBOX_LOOKING, CH_MAILBOX_WOKEN, CH_MAILBOX_ASLEEP, CH_MAILBOX_RESTING };
#define CH_MAILBOX_SLEEPS(rest) ((rest) >= CH_MAILBOX_ASLEEP)

struct ch_mailbox {
  struct ch_letter *top; /* the letter that was put in last; each leads to the one before. CH_MAILBOX_CLOSED: its domain
                          * has ended. Everybody writes it */
  uint32_t rest;
  uint32_t wakings; /* how often the domain has slept; it writes this when it is awake, and before it takes letters */
};

#define CH_MAILBOX_CLOSED ((struct ch_letter *)1)

/* What has come of putting a letter in. */
enum ch_mailbox_put {
  CH_MAILBOX_PUT,
  CH_MAILBOX_PUT_ASLEEP,  /* the caller has to wake the domain in its reactor */
  CH_MAILBOX_PUT_RESTING, /* the caller has to wake the domain at `rest` */
  CH_MAILBOX_REFUSED      /* the mailbox is closed, and the letter is not in it */
};

/* Puts a letter in. Any thread may do so. */
static inline enum ch_mailbox_put ch_mailbox_put(struct ch_mailbox *m, struct ch_letter *letter) {
  struct ch_letter *top = NULL; /* a guess: to look first would move the cache line twice */
  do {
    if (__builtin_expect(top == CH_MAILBOX_CLOSED, 0))
      return CH_MAILBOX_REFUSED;
    letter->next = top;
  } while (!ch_atomic_change(&m->top, &top, letter));
  uint32_t rest = ch_atomic_load_in_order(&m->rest);
  if (!CH_MAILBOX_SLEEPS(rest) || !ch_atomic_change(&m->rest, &rest, CH_MAILBOX_WOKEN))
    return CH_MAILBOX_PUT;
  return rest == CH_MAILBOX_ASLEEP ? CH_MAILBOX_PUT_ASLEEP : CH_MAILBOX_PUT_RESTING;
}

/* The functions from here on are for the domain alone, except the last two. */

/* The domain ends: each letter has either been put in before, or is refused. False: there are letters, and the mailbox
 * is not closed. */
static inline bool ch_mailbox_close(struct ch_mailbox *m) {
  struct ch_letter *none = NULL;
  return ch_atomic_change(&m->top, &none, CH_MAILBOX_CLOSED);
}
/* A closed mailbox is another domain's from now on. */
static inline void ch_mailbox_open(struct ch_mailbox *m) { ch_atomic_store(&m->top, (struct ch_letter *)NULL); }

/* Takes all letters out. The one that was put in last comes first. */
static inline struct ch_letter *ch_mailbox_take(struct ch_mailbox *m) {
  return (struct ch_letter *)ch_atomic_exchange(&m->top, NULL);
}

/* Says that the domain takes letters without being woken, until it calls ch_mailbox_wakes. */
static inline void ch_mailbox_looks(struct ch_mailbox *m) { ch_atomic_store(&m->rest, CH_MAILBOX_LOOKING); }

/* Says that the domain is about to sleep, `how`: CH_MAILBOX_ASLEEP or CH_MAILBOX_RESTING. False: there are letters, and
 * it must not sleep. In either case the domain calls ch_mailbox_wakes afterwards. */
static inline bool ch_mailbox_sleeps(struct ch_mailbox *m, uint32_t how) {
  (void)ch_atomic_exchange(&m->rest, how);
  return ch_atomic_load_in_order(&m->top) == NULL;
}

/* Says that the domain is awake, and returns what the word said before; it sleeps if nobody had woken it. Senders
 * change no other value than the two of a sleep. */
static inline uint32_t ch_mailbox_wakes(struct ch_mailbox *m) {
  uint32_t before = ch_atomic_load(&m->rest);
  if (before == CH_MAILBOX_LOOKING)
    ch_atomic_store(&m->rest, CH_MAILBOX_AWAKE);
  if (before == CH_MAILBOX_LOOKING || before == CH_MAILBOX_AWAKE)
    return before;
  before = ch_atomic_exchange(&m->rest, CH_MAILBOX_AWAKE);
  ch_atomic_store(&m->wakings, m->wakings + 1);
  return before;
}

/* Begins to bring the letter that was put in last, and the mailbox, to this core. */
static inline void ch_mailbox_fetch(const struct ch_mailbox *m) {
  ch_atomic_fetch(ch_atomic_load(&m->top));
  ch_atomic_fetch(&m->top);
}

static inline bool ch_mailbox_is_empty(const struct ch_mailbox *m) { return ch_atomic_load(&m->top) == NULL; }
/* Tells whether the domain sleeps and has no letter. If that is so at two looks, with the same number of wakings, it
 * was so all the time between them. So whoever looks at several domains twice knows that they all slept at once; after
 * a single look a domain may have been woken by another one that is looked at later, and sleeps by then. */
static inline bool ch_mailbox_stands(const struct ch_mailbox *m, uint32_t *wakings) {
  *wakings = ch_atomic_load_in_order(&m->wakings);
  return ch_atomic_load_in_order(&m->top) == NULL && CH_MAILBOX_SLEEPS(ch_atomic_load_in_order(&m->rest)) &&
         ch_atomic_load_in_order(&m->wakings) == *wakings;
}

#endif
