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

struct ch_inbox;

/* This domain's, made when first asked for; NULL with errno: no memory. Only on a domain's thread. */
CH_HIDDEN struct ch_inbox *ch_inbox_here(void);
/* From any thread. The domain must not have ended. */
CH_HIDDEN void ch_inbox_post(struct ch_inbox *, struct ch_letter *);
/* Opens what is there; whether there was anything. Called by the loop. */
CH_HIDDEN bool ch_inbox_open(void);
/* Takes a letter out again, which the caller is about to give up: true if it was in this domain's inbox. On the
 * domain's thread, from any code of it. */
CH_HIDDEN bool ch_inbox_recall(struct ch_letter *);
/* Around a sleep of the reactor: false if there is something to open, and then it must not sleep. */
CH_HIDDEN bool ch_inbox_sleeps(void);
CH_HIDDEN void ch_inbox_wakes(void);
/* Until ch_inbox_wakes whoever posts makes no system call, and this domain asks ch_inbox_is_empty. */
CH_HIDDEN void ch_inbox_looks(void);
CH_HIDDEN bool ch_inbox_is_empty(void);
/* The average time that wake-ups of this domain have taken lately, in nanoseconds, from before the sender's system call
 * until the domain runs. Longer ones count as CH_LONGEST_WAKE_UP. 0: it has never been woken. */
#define CH_LONGEST_WAKE_UP INT64_C(100000)
CH_HIDDEN int64_t ch_inbox_wake_up_time(void);
/* System calls that this domain has made to wake others. */
CH_HIDDEN extern __thread uint64_t ch_inbox_wakeups;
/* Its domain sleeps, and no letter is in it. From any thread. */
CH_HIDDEN bool ch_inbox_stands(const struct ch_inbox *);
/* ch_inbox_here, if it has been asked for; else NULL. It begins with its struct ch_mailbox. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_inbox *ch_inbox_of_thread;
/* This thread's domain, which has an inbox, sleeps or looks: whoever asks is a signal handler. */
static inline bool ch_inbox_is_asleep(void) {
  const struct ch_mailbox *box = (const struct ch_mailbox *)ch_inbox_of_thread;
  return __atomic_load_n(&box->rest, __ATOMIC_RELAXED) != CH_MAILBOX_AWAKE;
}
/* The domain of this thread ends. The inbox itself stays, for posters look at it until they are done. */
CH_HIDDEN void ch_inbox_end(void);
/* There is no descriptor to be had that would wake the domain: it has to look by itself. Tries again to get one. */
CH_HIDDEN bool ch_inbox_is_deaf(void);
/* From now on other threads may post at any time. */
CH_HIDDEN bool ch_inbox_is_open(void);
/* Becomes readable when a letter comes to a sleeping domain; -1: there is none. For reactors. */
CH_HIDDEN int ch_inbox_descriptor(void);
/* The descriptor may be gone: another one. 0, or -1 with errno. */
CH_HIDDEN int ch_inbox_lost(void);
/* In a child of fork, once its reactor works: the parent's descriptor would wake the parent. Letters on their way to
 * the parent never come here. */
CH_HIDDEN void ch_inbox_in_child(void);
/* Letters that are sure to come: of work that others do for this domain. */
CH_HIDDEN extern __thread unsigned ch_inbox_expected;

#endif
