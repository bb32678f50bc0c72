/* Watched values: a watched value is set again and again, and those who watch it see only the latest value.
 *
 *   watch(struct settings) settings = {0};             zeroed memory is a watched value that has not been set
 *   ch_watch_set(&settings, {.level = 3});
 *   uint64_t seen = 0;                                 each watcher has one: it stands for the value seen last
 *   while (ch_watch_next(&settings, &seen, &now) == 0) { ... }      each time it has changed, until it is closed
 *   waituntil (ch_watch_next(&settings, &seen, &now)) { ... } or waituntil (ch_sleep(second)) { ... }
 *
 * A watcher that is slower than the changes gets the latest value, and misses those before it.
 *
 * `watch(T)` names the type of a watched value of type T. It is local or shared, as a channel is (charcoal/channel.h).
 * The caller owns its memory. `w` is a pointer to a watched value.
 *
 * What holds for all functions unless they say otherwise:
 * Result: 0 or an error number.
 * Cancel: In a cancelled scope, ch_watch_next returns ECANCELED. The other functions never wait, and work there, too.
 * Threads: any thread with a domain; for a local watched value, the thread of its domain. Plain code may call them,
 * too.
 */
#ifndef CHARCOAL_WATCH_H
#define CHARCOAL_WATCH_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
struct ch_watched {
  struct ch_object object;
  struct ch_link watchers;
  uint64_t version; /* how often it has been set */
  uint64_t closed;
  char value[];
};

/* Private: what the macros below expand to. */
void ch_watched_make(struct ch_watched *, int shared);
int ch_watched_put(struct ch_watched *, const void *value, size_t size);
int ch_watched_get(struct ch_watched *, void *to, size_t size);
int ch_watched_close(struct ch_watched *);
int ch_watched_next(struct ch_watched *, uint64_t *seen, void *to, size_t size);

struct ch_watched_next__clause {
  struct ch_clause clause;
  uint64_t *seen;
  void *to;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_watched_next, struct ch_watched *, uint64_t *seen, void *to, size_t size);

#ifdef __cplusplus
}
#else

/* See charcoal/future.h. */
#define watch(T) __typeof__(__typeof__(T)(*[6 + (sizeof(__typeof__(T)) + 7) / 8])(struct ch_watched *))
#define CH_WATCHED_VALUE(w) __typeof__((**(w))((struct ch_watched *)0))
#define CH_WATCHED(w) ((struct ch_watched *)(w))
#define CH_ANY_WATCHED(w) ((void)sizeof(CH_WATCHED_VALUE(w)), CH_WATCHED(w)) /* see CH_ANY_CHANNEL in channel.h */

/* ch_watch_init makes a local watched value that has not been set, as zeroed memory is; ch_watch_init_shared makes a
 * shared one. Never block. */
#define ch_watch_init_shared(w) ch_watched_make(CH_ANY_WATCHED(w), 1)
#define ch_watch_init(w) ch_watched_make(CH_ANY_WATCHED(w), 0)
/* Sets the value, which is copied, and wakes all who wait. It counts as a change even if the value is the same. Never
 * blocks.
 * Result: 0; EPIPE: it is closed. */
#define ch_watch_set(w, ...)                                                                                           \
  ch_watched_put(CH_WATCHED(w), (CH_WATCHED_VALUE(w)[1]){__VA_ARGS__}, sizeof(CH_WATCHED_VALUE(w)))
/* Copies the latest value to *to. Never blocks.
 * Result: 0; EAGAIN: none has been set yet. */
#define ch_watch_get(w, to) ch_watched_get(CH_WATCHED(w), (CH_WATCHED_VALUE(w) *){to}, sizeof(CH_WATCHED_VALUE(w)))
/* Waits until there is a value that was set after the one that *seen stands for, copies it to *to, and makes *seen
 * stand for it. `seen` points to a variable of the watcher; a variable of 0 stands for no value, so the call returns
 * any value that was set. It can stand in `waituntil`.
 * Result: 0; EPIPE: it is closed, and the watcher has seen the latest value; ECANCELED: *seen and *to are unchanged. */
#define ch_watch_next(w, seen, to)                                                                                     \
  ch_watched_next(CH_WATCHED(w), (seen), (CH_WATCHED_VALUE(w) *){to}, sizeof(CH_WATCHED_VALUE(w)))
/* Closes the watched value: it is not set any more, and all who wait are woken. Never blocks.
 * Result: 0; EPIPE: it was closed before. */
#define ch_watch_close(w) ch_watched_close(CH_ANY_WATCHED(w))
#endif

#endif
#endif
