/* Code that blocks its thread, and results from threads: both ways between a domain and the threads around it.
 *
 * Foreign code that blocks (a library that was not compiled by charcoal-cc, a driver, a long computation) stops every
 * activity of its domain. ch_offload runs it on a pool of threads meanwhile. A thread of the program's own gives a
 * result back by ch_post.
 */
#ifndef CHARCOAL_OFFLOAD_H
#define CHARCOAL_OFFLOAD_H

#if !defined(CHARCOAL_H)
#error "include <charcoal.h>"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* Runs fn(argument) on a thread of the pool and returns when it has: 0. Other activities of the domain run meanwhile.
 * fn runs beside them, in parallel, and must not call functions of a domain. The pool has at most CHARCOAL_THREADS
 * threads (environment; 64), made when needed; more calls wait for one in order. Cancelled: ECANCELED, and fn has not
 * run and never will; once it has begun the call waits for its end and returns 0. EAGAIN, ENOMEM: no thread could be
 * made at all. EPERM: not on a domain's thread. */
int ch_offload(void (*fn)(void *), void *argument);

/* The way into the running domain for other threads. It exists as long as the domain. From the first call on a domain
 * in which nothing can run waits, and reports no deadlock: something may always come. NULL with errno: EPERM (not on a
 * domain's thread), ENOMEM, EMFILE. */
struct ch_inbox *ch_inbox(void);

/* Has the domain behind `to` call fn(argument) on its own thread, between two runs of activities. From any thread,
 * also from a domain's own. Calls of one thread come in order. fn must not block; what it is for is ch_sem_post and the
 * like. 0, ENOMEM, or EINVAL: `to` is NULL. The domain must not have ended. Nothing cancels it. */
int ch_post(struct ch_inbox *to, void (*fn)(void *), void *argument);

#else

/* Sequential meanings: the call is made at once. */
static inline int ch_offload(void (*fn)(void *), void *argument) { return fn(argument), 0; }
struct ch_inbox;
static inline struct ch_inbox *ch_inbox(void) {
  static int only;
  return (struct ch_inbox *)(void *)&only;
}
static inline int ch_post(struct ch_inbox *to, void (*fn)(void *), void *argument) { return (void)to, fn(argument), 0; }

#endif

#ifdef __cplusplus
}
#endif

#endif
