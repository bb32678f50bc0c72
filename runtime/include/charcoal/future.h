/* Futures: a value, or an error, that is set once and read by as many as want it (CFA's waituntil, section 5.6; uC++).
 *
 *   future(double) sum;                                zeroed memory is a future of its domain
 *   ch_future_set(&sum, 3.5);      ch_future_fail(&sum, EIO);
 *   if (ch_get(&sum, &x) == 0) ...                     waits until it is set; the error if it has failed
 *   waituntil (ch_get(&sum, &x)) { ... } or waituntil (ch_sleep(second)) { ... }
 *
 * Local or shared as a channel is (charcoal/channel.h). All calls: 0 or an error number. */
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

/* See charcoal/channel.h; of another size, so that the two are not mistaken for each other. */
#define future(T) __typeof__(__typeof__(T)(*[5 + (sizeof(__typeof__(T)) + 7) / 8])(struct ch_future *))
#define CH_FUTURE_VALUE(f) __typeof__((**(f))((struct ch_future *)0))
#define CH_FUTURE(f) ((struct ch_future *)(f))

/* Not set yet, for all domains. (One of this domain alone is zeroed memory.) */
#define ch_future_init_shared(f) ch_future_make(CH_FUTURE(f), 1)
#define ch_future_init(f) ch_future_make(CH_FUTURE(f), 0)
/* Sets it, and wakes all who wait. EALREADY: it was set, or has failed, before; nothing has changed. Never blocks. */
#define ch_future_set(f, ...)                                                                                          \
  ch_future_put(CH_FUTURE(f), (CH_FUTURE_VALUE(f)[1]){__VA_ARGS__}, sizeof(CH_FUTURE_VALUE(f)), 0)
/* The same with an error number instead of a value. */
#define ch_future_fail(f, error) ch_future_put(CH_FUTURE(f), (void *)0, 0, (error))
/* Waits until it is set, and copies the value to *to (NULL: nowhere); or the error that it has failed with, and *to is
 * as it was. ECANCELED: the scope is cancelled. */
#define ch_get(f, to) ch_future_get(CH_FUTURE(f), (CH_FUTURE_VALUE(f) *){to}, sizeof(CH_FUTURE_VALUE(f)))
/* Whether it is set, or has failed. */
#define ch_future_is_set(f) ch_future_done(CH_FUTURE(f))
/* To be set anew. EBUSY: somebody waits for it, and nothing has changed. */
#define ch_future_reset(f) ch_future_clear(CH_FUTURE(f))
#endif

#endif
#endif
