/* Sets of domains, which a server on several cores needs. An activity stays in the domain in which it began, and
 * domains share only what is made for sharing (charcoal/channel.h, charcoal/locks.h). A *task* is an activity that was
 * begun from another domain. charcoal.h includes this header, and what it says about all functions holds here, too.
 *
 * Threads: any thread with a domain, unless a description says otherwise. */
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
/* In place of a domain's number: each of them in turn (ch_domain_spawn), or all of them (ch_domains_stats). */
#define CH_ANY_DOMAIN (~0u)

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

struct ch_domains_how {
  const char *name; /* the threads are named NAME-0, NAME-1, ... after the first 11 characters of this text, which is
                     * copied; NULL: charcoal-0, ... */
  int pinned;       /* non-zero: each thread is bound to one of the processors that the caller may use; threads share a
                     * processor only if there are more threads than processors */
};

/* Starts n domains, each in a thread of its own, and waits until they run. They stay until ch_domains_end, even if they
 * have nothing to do. `how` may be NULL. The caller owns the result until ch_domains_end.
 * Result: the set of domains; or NULL, and errno is EINVAL: n is 0 or above 65536; EAGAIN: no thread could be made;
 * ENOMEM; ENOTSUP: in the simulated world, which has one domain; EPERM: the caller runs in no domain.
 * Cancel: does not end the wait. */
ch_domains *ch_domains_start(unsigned n, const struct ch_domains_how *how);

/* Returns how many domains the set has. Never blocks.
 * Threads: any. */
unsigned ch_domains_count(const ch_domains *);

/* Returns the number of the caller's domain in its set, from 0; -1: it was not started by ch_domains_start. Never
 * blocks. */
int ch_domain_index(void);

/* Begins fn(argument) as an activity in domain number `which`; with CH_ANY_DOMAIN successive calls take the domains in
 * turn. The activity begins when that domain comes to it. Activities that one domain begins in another begin in order.
 * The caller owns the handle until it calls ch_task_join or ch_task_detach. Never blocks.
 * Result: the handle; or NULL, and errno is EINVAL: there is no such domain; ESHUTDOWN: that domain is being ended;
 * ENOMEM.
 * Threads: any that runs a domain. */
ch_task *ch_domain_spawn(ch_domains *, unsigned which, intptr_t (*fn)(void *), void *argument);

/* Waits until fn has returned, stores its result in *result unless `result` is NULL, and frees the handle. All that fn
 * has done happens before this function returns. It can stand in `waituntil`.
 * Result: 0; ECANCELED: the task may be joined again; EDEADLK: the task is the caller's own activity.
 * Threads: any that runs a domain; one activity at a time. */
int ch_task_join(ch_task *, intptr_t *result);

/* Cancels the task as ch_activity_cancel does, when its domain comes to it. A task that has not begun begins
 * cancelled; one whose fn has returned is left alone. Never blocks.
 * Threads: any, while the caller has the handle. */
void ch_task_cancel(ch_task *);

/* Gives up the handle; the task goes on. Never blocks. */
void ch_task_detach(ch_task *);

/* Runs fn(argument) as an activity in each of the domains, one after the other, and waits until the last one has
 * returned.
 * Result: 0; or the first error: ECANCELED: fn was not run in those that had not begun it; or that of ch_domain_spawn.
 * Cancel: waits until fn has returned in the domain whose turn it is. */
int ch_domains_each(ch_domains *, intptr_t (*fn)(void *), void *argument);

/* Writes the numbers of one domain; with CH_ANY_DOMAIN the sums of the numbers of all, also for `peak` and for the
 * histograms. Each domain takes its numbers itself when it comes to it, and the caller waits for that.
 * Result: 0; EINVAL: there is no such domain; ENOMEM; ESHUTDOWN: the domain is being ended; ECANCELED. */
int ch_domains_stats(ch_domains *, unsigned which, struct ch_stats *);

/* Writes ch_dump of all domains to the descriptor, one after the other, each below a line with its number.
 * Each domain writes its part when it comes to it, and the caller waits for that.
 * Result: 0; ENOMEM; ESHUTDOWN: they are being ended; ECANCELED. */
int ch_domains_dump(ch_domains *, int fd);

/* Ends the domains in the order of their numbers, and frees the set. Each domain has ended, with all its activities,
 * before the next one is asked to end; so the stages of a pipeline can come to their ends one after the other. With
 * CH_DOMAINS_CANCEL all activities of a domain are cancelled when its turn has come. Handles of tasks stay valid.
 * Result: 0; EDEADLK: the caller is in one of the domains, and nothing has been done.
 * Cancel: does not end the wait. */
int ch_domains_end(ch_domains *, unsigned flags);
#define CH_DOMAINS_CANCEL 1u

#else

#include <errno.h>
#include <stdlib.h>

/* Sequential meanings: a task runs to its end at once. */
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
CH_INLINE ch_domains *ch_domains_start(unsigned n, const struct ch_domains_how *how) {
  ch_domains *made = n ? (ch_domains *)malloc(sizeof *made) : (errno = EINVAL, (ch_domains *)0);
  (void)how;
  if (made)
    made->n = n;
  return made;
}
CH_INLINE unsigned ch_domains_count(const ch_domains *d) { return d->n; }
CH_INLINE int ch_domain_index(void) { return -1; }
CH_INLINE ch_task *ch_domain_spawn(ch_domains *d, unsigned which, intptr_t (*fn)(void *), void *argument) {
  ch_task *t = which == CH_ANY_DOMAIN || which < d->n ? (ch_task *)malloc(sizeof *t) : (errno = EINVAL, (ch_task *)0);
  if (t)
    t->result = fn(argument);
  return t;
}
CH_INLINE int ch_task_join(ch_task *t, intptr_t *result) {
  if (result)
    *result = t->result;
  free(t);
  return 0;
}
CH_INLINE void ch_task_cancel(ch_task *t) { (void)t; }
CH_INLINE void ch_task_detach(ch_task *t) { free(t); }
CH_INLINE int ch_domains_each(ch_domains *d, intptr_t (*fn)(void *), void *argument) {
  unsigned i;
  for (i = 0; i < d->n; i++)
    fn(argument);
  return 0;
}
CH_INLINE int ch_domains_stats(ch_domains *d, unsigned which, struct ch_stats *s) {
  (void)d, (void)which;
  ch_stats(s);
  return 0;
}
CH_INLINE int ch_domains_dump(ch_domains *d, int fd) { return (void)d, (void)fd, 0; }
CH_INLINE int ch_domains_end(ch_domains *d, unsigned flags) { return (void)flags, free(d), 0; }

#endif

#ifdef __cplusplus
}
#endif

#endif
