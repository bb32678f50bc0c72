/* The inbox is the way into a domain from other threads: any thread may post letters, and the domain's loop opens them.
 *
 * A letter lies in memory of the poster, and must stay there until it has been opened. Posting takes no lock and
 * allocates no memory, so a signal handler may post. The domain is woken only if it sleeps.
 *
 * Invariant: each letter is opened once, on the domain's thread, by its loop, in the order of posting. mailbox.h
 * explains why no letter can lie in the inbox of a domain that sleeps.
 */
#ifndef CHARCOAL_REACTOR_INBOX_H
#define CHARCOAL_REACTOR_INBOX_H

#include "frames/allocator.h"
#include "reactor/mailbox.h"
#include <signal.h>

struct ch_inbox;

/* Returns the inbox of this domain, and makes it at the first call. NULL, with errno ENOMEM: there is no memory. Only a
 * thread that runs a domain calls this. */
CH_HIDDEN struct ch_inbox *ch_inbox_here(void);
/* Posts a letter. Any thread may do so. False: the domain has ended, and the letter will not be opened. (If another
 * domain has got its inbox meanwhile, that one opens the letter.) */
CH_HIDDEN bool ch_inbox_post(struct ch_inbox *, struct ch_letter *);
/* Opens all letters that have come, and returns whether there were any. The loop calls this. */
CH_HIDDEN bool ch_inbox_open(void);
/* Takes out a letter whose memory the caller is about to give up. True: it was in this domain's inbox. Any code on the
 * domain's thread may call this. */
CH_HIDDEN bool ch_inbox_recall(struct ch_letter *);
/* The reactor calls the first before it sleeps, and the second afterwards. The first returns false if there is a letter
 * to open; then the reactor must not sleep. `rests`: the sleep is to be ch_inbox_rest. */
CH_HIDDEN bool ch_inbox_sleeps(bool rests);
CH_HIDDEN void ch_inbox_wakes(void);
/* Begins a look for letters: until ch_inbox_wakes a thread that posts makes no system call, and this domain has to ask
 * ch_inbox_is_empty again and again. */
CH_HIDDEN void ch_inbox_looks(void);
CH_HIDDEN bool ch_inbox_is_empty(void);
/* Begins to bring the last letter and the inbox to this core, both at once. */
CH_HIDDEN void ch_inbox_fetch(void);
/* The average time that wake-ups of this domain have taken lately, in nanoseconds, from before the sender's system call
 * until the domain runs. Longer ones count as CH_LONGEST_WAKE_UP. 0: it has never been woken. */
#define CH_LONGEST_WAKE_UP INT64_C(100000)
CH_HIDDEN int64_t ch_inbox_wake_up_time(void);
/* How many system calls this domain has made to wake others. */
CH_HIDDEN extern __thread uint64_t ch_inbox_wakeups;
/* Tells whether its domain sleeps and no letter is in it, and how often the domain has become awake
 * (ch_mailbox_stands). Any thread may ask. */
CH_HIDDEN bool ch_inbox_stands(const struct ch_inbox *, uint32_t *wakings);
/* The inbox of this thread's domain, once it has been made; NULL before. It begins with a struct ch_mailbox. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_inbox *ch_inbox_of_thread;
/* Tells whether this thread's domain, which has an inbox, sleeps or looks for letters. If so, the caller runs in a
 * signal handler. */
static inline bool ch_inbox_is_asleep(void) {
  const struct ch_mailbox *box = (const struct ch_mailbox *)ch_inbox_of_thread;
  return __atomic_load_n(&box->rest, __ATOMIC_RELAXED) != CH_MAILBOX_AWAKE;
}
/* The domain of this thread ends. The memory of the inbox stays, because other threads may still be posting. */
CH_HIDDEN void ch_inbox_end(void);
/* Tells whether the domain has no descriptor by which others could wake it while it waits for descriptors of the
 * program. Tries to get one before it says so. */
CH_HIDDEN bool ch_inbox_is_deaf(void);
/* Then others wake it by a signal, which is blocked except during the sleep itself. The first is called before
 * ch_inbox_sleeps, and the second after ch_inbox_wakes, if the result was true. False: the program uses the signals
 * that the runtime could use, and the domain has to look for letters from time to time. */
CH_HIDDEN bool ch_inbox_is_signalled(void);
CH_HIDDEN void ch_inbox_is_signalled_no_more(void);
/* The signal mask of a sleep in the reactor; NULL: that of the thread. */
CH_HIDDEN const sigset_t *ch_inbox_sleep_mask(void);
/* Sleeps until a letter comes, or until the deadline, in a domain that waits for nothing else. This takes one system
 * call of the sender and one of the domain, and no descriptor. It is called between ch_inbox_sleeps and
 * ch_inbox_wakes. */
CH_HIDDEN void ch_inbox_rest(int64_t deadline);
/* Tells whether other threads may post at any time. */
CH_HIDDEN bool ch_inbox_is_open(void);
/* Returns the descriptor that becomes readable when a letter comes to the domain while it sleeps; -1: there is none.
 * Reactors use it. */
CH_HIDDEN int ch_inbox_descriptor(void);
/* The descriptor may have been closed by somebody: replaces it by another one. -1, with errno: that failed. */
CH_HIDDEN int ch_inbox_lost(void);
/* Called in a child of fork when its reactor works: gives up the parent's descriptor, which would wake the parent.
 * Letters that were posted to the parent are not delivered in the child. */
CH_HIDDEN void ch_inbox_in_child(void);
/* Called once in each child of fork, whose only thread is this one. True: the parent had other domains with an inbox,
 * which are not in the child. */
CH_HIDDEN bool ch_inbox_forked(void);
/* Tells whether the domain of the inbox is not in this child of fork. */
CH_HIDDEN bool ch_inbox_is_gone(const struct ch_inbox *);
/* How many letters are certain to come, because other threads do work for this domain. */
CH_HIDDEN extern __thread unsigned ch_inbox_expected;

#endif
