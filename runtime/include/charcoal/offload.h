/* The two ways between a domain and other threads: ch_offload hands code that would block the domain to a thread, and
 * ch_post hands the results of other threads to a domain. charcoal.h includes this header, and what it says about all
 * functions holds here, too.
 *
 * Threads: any thread with a domain, unless a description says otherwise.
 *
 * Foreign code that blocks (a library that was not compiled by charcoal-cc, a driver, a long computation) stops every
 * activity of its domain. ch_offload runs such code on a thread of a pool, and the other activities go on. A thread of
 * the program's own hands a result to a domain by ch_post.
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

/* Runs fn(argument) on a thread of the pool, and waits until fn has returned. Other activities of the domain run
 * meanwhile. fn runs in parallel with them and must not call functions that need a domain. The pool makes its threads
 * when they are needed, at most as many as the environment variable CHARCOAL_THREADS says (64 without it); when all are
 * busy, further calls wait for one in order.
 * Result: 0; EAGAIN or ENOMEM: no thread could be made; EPERM: the caller runs in no domain; EINTR: fn has ended its
 * thread by pthread_exit, or the caller is in a child of fork, where the thread is not.
 * Cancel: If fn has not begun, the call returns ECANCELED and fn never runs. If fn has begun, the call waits for its
 * end and returns 0. */
int ch_offload(void (*fn)(void *), void *argument);

/* Returns the inbox of the caller's domain, which other threads need for ch_post. It exists as long as the domain.
 * After the first call the domain does not report a deadlock when nothing in it can run: it waits, because a letter
 * may still come. Never blocks.
 * Result: the inbox; or NULL, and errno is EPERM: the caller runs in no domain; or ENOMEM. */
struct ch_inbox *ch_inbox(void);

/* Makes the domain of the inbox call fn(argument) on its own thread, between two runs of activities. What one thread
 * posts is called in the order in which it was posted. fn must not block; it is meant for ch_sem_post and the like. The
 * domain must not have ended. Never blocks.
 * Result: 0; ENOMEM; EINVAL: `to` is NULL; ESRCH: the domain has ended (which is not always noticed).
 * Cancel: has no effect on it.
 * Threads: any, also the domain's own. */
int ch_post(struct ch_inbox *to, void (*fn)(void *), void *argument);

#else

/* Sequential meanings: fn is called at once. */
CH_INLINE int ch_offload(void (*fn)(void *), void *argument) { return fn(argument), 0; }
struct ch_inbox;
CH_INLINE struct ch_inbox *ch_inbox(void) {
  static int only;
  return (struct ch_inbox *)(void *)&only;
}
CH_INLINE int ch_post(struct ch_inbox *to, void (*fn)(void *), void *argument) { return (void)to, fn(argument), 0; }

#endif

#ifdef __cplusplus
}
#endif

#endif
