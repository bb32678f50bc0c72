/* Hand-written replacements in plain C: what a lock's calls are that need not be Charcoal C, because they wait once,
 * and last. The caller's place, which reports show, is where they return to. CH_REPLACES_IN_C(pthread_mutex_lock,
 * pthread_mutex_t *m) { ... } defines pthread_mutex_lock.int (replacements/replacement.h). */
#ifndef CHARCOAL_POSIX_LOCKS_REPLACEMENT_H
#define CHARCOAL_POSIX_LOCKS_REPLACEMENT_H

#include "charcoal_abi.h"

#define CH_REPLACES_IN_C(name, ...)                                                                                    \
  struct ch_int_result ch_posix_##name(__VA_ARGS__) __asm__(#name ".int")                                              \
      __attribute__((weak, visibility("default")));                                                                    \
  struct ch_int_result ch_posix_##name(__VA_ARGS__)
#define CH_HERE __builtin_return_address(0)

static inline struct ch_int_result ch_done(long value) { return (struct ch_int_result){CH_DONE, value}; }

/* The same where a call need not wait: a loop of such calls gives way when the slice is over. A lock that was free
 * needs it not, for whoever takes it gives it back. */
__attribute__((visibility("hidden"), cold)) struct ch_int_result ch_done_later(long value);
static inline struct ch_int_result ch_done_for_now(long value) {
  return __builtin_expect(ch_tls.attention == 0, 1) ? ch_done(value) : ch_done_later(value);
}

#endif
