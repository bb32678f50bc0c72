/* Several domains as one: what a server on several cores needs. An activity stays in its domain; nothing of a domain is
 * touched by another but what is made for that. A task is an activity that somebody else has begun there. */
#ifndef CHARCOAL_DOMAINS_H
#define CHARCOAL_DOMAINS_H

#if !defined(CHARCOAL_H)
#error "include <charcoal.h>"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_domains ch_domains;
typedef struct ch_task ch_task;
#define CH_ANY_DOMAIN (~0u)

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

struct ch_domains_how {
  const char *name; /* of the threads: NAME-0, NAME-1, ..., at most 15 characters; NULL: charcoal-0, ... Copied */
  int pinned;       /* each to a processor of its own of those that the caller may use, as far as there are so many */
};

/* Starts n domains, each in a thread of its own, and waits until they run. They stay until ch_domains_end, also with
 * nothing to do. `how` may be NULL. NULL with errno: EINVAL: n is 0; EAGAIN: no thread; ENOMEM; ENOTSUP: in the
 * simulated world, which has one domain; EPERM outside a domain. Not cancelled. */
ch_domains *ch_domains_start(unsigned n, const struct ch_domains_how *how);

/* How many they are. From any thread. */
unsigned ch_domains_count(const ch_domains *);

/* The number of the caller's domain among those that it was started with, from 0; -1: it was started otherwise. */
int ch_domain_index(void);

/* Begins an activity fn(argument) in domain number `which`, or, with CH_ANY_DOMAIN, in each in turn. It begins when
 * that domain comes to it; those that one domain begins in another begin in order. The caller gets a handle, of which
 * it lets go by ch_task_join or ch_task_detach. Never blocks. NULL with errno: EINVAL: there is no such domain;
 * ESHUTDOWN: that domain is being ended; ENOMEM. From any thread that runs a domain. */
ch_task *ch_domain_spawn(ch_domains *, unsigned which, intptr_t (*fn)(void *), void *argument);

/* Waits until fn has returned: 0, and its result is in *result (which may be NULL) and the handle is gone. ECANCELED:
 * the caller's scope is cancelled, and it may be joined again. EDEADLK: it is the caller's own activity. By one
 * activity at a time, of any domain. What fn has done happens before. */
int ch_task_join(ch_task *, intptr_t *result);

/* Cancels it as ch_activity_cancel does, when its domain comes to that; what has not begun begins cancelled. Returns at
 * once, and does nothing when fn has returned. From any thread, while the caller has the handle. */
void ch_task_cancel(ch_task *);

/* Lets go of the handle; the activity goes on. */
void ch_task_detach(ch_task *);

/* The numbers of one domain; of all together, with CH_ANY_DOMAIN: its sums (`peak` and the histograms, too). They are
 * taken by that domain itself when it comes to it. 0, EINVAL, ENOMEM, ESHUTDOWN; ECANCELED. */
int ch_domains_stats(ch_domains *, unsigned which, struct ch_stats *);

/* ch_dump of all of them, one after the other, each below a line with its number. 0, ENOMEM, ESHUTDOWN; ECANCELED. */
int ch_domains_dump(ch_domains *, int fd);

/* Ends them in the order of their numbers: each has ended, with all its activities, before the next is asked. So the
 * stages of a pipeline may be still. CH_DOMAINS_CANCEL: all activities of a domain are cancelled when its turn has
 * come. Afterwards `domains` is gone; handles of tasks are not. Not cancelled. EDEADLK: the caller is in one of them;
 * 0. */
int ch_domains_end(ch_domains *, unsigned flags);
#define CH_DOMAINS_CANCEL 1u

#else

#include <errno.h>
#include <stdlib.h>

/* Sequential meanings: what is spawned runs to its end at once. */
struct ch_domains_how {
  const char *name;
  int pinned;
};
struct ch_domains {
  unsigned n;
};
struct ch_task {
  intptr_t result;
};
#define CH_DOMAINS_CANCEL 1u
static inline ch_domains *ch_domains_start(unsigned n, const struct ch_domains_how *how) {
  ch_domains *made = n ? (ch_domains *)malloc(sizeof *made) : (errno = EINVAL, (ch_domains *)0);
  (void)how;
  if (made)
    made->n = n;
  return made;
}
static inline unsigned ch_domains_count(const ch_domains *d) { return d->n; }
static inline int ch_domain_index(void) { return -1; }
static inline ch_task *ch_domain_spawn(ch_domains *d, unsigned which, intptr_t (*fn)(void *), void *argument) {
  ch_task *t = which == CH_ANY_DOMAIN || which < d->n ? (ch_task *)malloc(sizeof *t) : (errno = EINVAL, (ch_task *)0);
  if (t)
    t->result = fn(argument);
  return t;
}
static inline int ch_task_join(ch_task *t, intptr_t *result) {
  if (result)
    *result = t->result;
  free(t);
  return 0;
}
static inline void ch_task_cancel(ch_task *t) { (void)t; }
static inline void ch_task_detach(ch_task *t) { free(t); }
static inline int ch_domains_stats(ch_domains *d, unsigned which, struct ch_stats *s) {
  (void)d, (void)which;
  ch_stats(s);
  return 0;
}
static inline int ch_domains_dump(ch_domains *d, int fd) { return (void)d, (void)fd, 0; }
static inline int ch_domains_end(ch_domains *d, unsigned flags) { return (void)flags, free(d), 0; }

#endif

#ifdef __cplusplus
}
#endif

#endif
