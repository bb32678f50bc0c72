/* Futures: a value, or an error, that is set once and read by as many as want it (CFA's waituntil, section 5.6; uC++).
 *
 *   future(double) sum;                                zeroed memory is a future of its domain
 *   ch_future_set(&sum, 3.5);      ch_future_fail(&sum, EIO);
 *   if (ch_get(&sum, &x) == 0) ...                     waits until it is set; returns the error if it has failed
 *   waituntil (ch_get(&sum, &x)) { ... } or waituntil (ch_sleep(second)) { ... }
 *
 * `future(T)` names the type of a future with a value of type T. A future is local or shared, as a channel is
 * (charcoal/channel.h). The caller owns its memory. `f` is a pointer to a future.
 *
 * What holds for all functions unless they say otherwise:
 * Result: 0 or an error number.
 * Cancel: In a cancelled scope, ch_get returns ECANCELED. The other functions never wait, and work there, too.
 * Threads: any thread with a domain; for a local future, the thread of its domain. Plain code may call them, too. */
#ifndef CHARCOAL_FUTURE_H
#define CHARCOAL_FUTURE_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
struct ch_future {
  struct ch_object object;
  struct ch_link readers;
  uint32_t is_set;
  int error;
  char value[];
};

/* Private: what the macros below expand to. */
void ch_future_make(struct ch_future *, int shared);
int ch_future_put(struct ch_future *, const void *value, size_t size, int error);
int ch_future_clear(struct ch_future *);
int ch_future_done(struct ch_future *);
int ch_future_get(struct ch_future *, void *to, size_t size);

struct ch_future_get__clause {
  struct ch_clause clause;
  void *to;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_future_get, struct ch_future *, void *to, size_t size);

#ifdef __cplusplus
}
#else

/* The type is made as that of a channel (charcoal/channel.h). It has another size, so that the compiler does not take
 * one for the other. */
#define future(T) __typeof__(__typeof__(T)(*[5 + (sizeof(__typeof__(T)) + 7) / 8])(struct ch_future *))
#define CH_FUTURE_VALUE(f) __typeof__((**(f))((struct ch_future *)0))
#define CH_FUTURE(f) ((struct ch_future *)(f))
#define CH_ANY_FUTURE(f) ((void)sizeof(CH_FUTURE_VALUE(f)), CH_FUTURE(f)) /* see CH_ANY_CHANNEL in channel.h */

/* ch_future_init makes a local future that is not set, as zeroed memory is; ch_future_init_shared makes a shared one.
 * Never block. */
#define ch_future_init_shared(f) ch_future_make(CH_ANY_FUTURE(f), 1)
#define ch_future_init(f) ch_future_make(CH_ANY_FUTURE(f), 0)
/* Sets the value, the second argument (`ch_future_set(&sum, 3.5)`), which is copied, and wakes all who wait. Never
 * blocks.
 * Result: 0; EALREADY: the future was set or had failed before, and nothing has changed. */
#define ch_future_set(f, ...)                                                                                          \
  ch_future_put(CH_FUTURE(f), (CH_FUTURE_VALUE(f)[1]){__VA_ARGS__}, sizeof(CH_FUTURE_VALUE(f)), 0)
/* Makes the future fail with an error number, and wakes all who wait. Never blocks.
 * Result: as ch_future_set; EINVAL: 0 is no error, and nothing has changed. */
#define ch_future_fail(f, error) ch_future_put(CH_ANY_FUTURE(f), (void *)0, 0, (error))
/* Waits until the future is set or has failed, and copies the value to *to unless `to` is NULL. Any number of
 * activities may get the value, each any number of times. It can stand in `waituntil`.
 * Result: 0; the error number with which the future has failed, or ECANCELED: *to is unchanged.
 * Source: CFA's waituntil, section 5.6. */
#define ch_get(f, to) ch_future_get(CH_FUTURE(f), (CH_FUTURE_VALUE(f) *){to}, sizeof(CH_FUTURE_VALUE(f)))
/* Tells whether the future is set or has failed. Never blocks.
 * Result: non-zero if so. */
#define ch_future_is_set(f) ch_future_done(CH_ANY_FUTURE(f))
/* Resets the future, so that it can be set again. Never blocks.
 * Result: 0; EBUSY: somebody waits for it, and nothing has changed. */
#define ch_future_reset(f) ch_future_clear(CH_ANY_FUTURE(f))
#endif

#endif
#endif
