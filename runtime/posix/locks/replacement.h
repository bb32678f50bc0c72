/* Hand-written replacements in plain C. A call of a lock can be one if it waits at most once, as the last thing that it
 * does. Reports show its return address as the caller's place. CH_REPLACES_IN_C(pthread_mutex_lock, pthread_mutex_t *m)
 * { ... } defines pthread_mutex_lock.int (replacements/replacement.h). */
#ifndef CHARCOAL_POSIX_LOCKS_REPLACEMENT_H
#define CHARCOAL_POSIX_LOCKS_REPLACEMENT_H

#include "charcoal_abi.h"

#define CH_REPLACES_IN_C(name, ...)                                                                                    \
  struct ch_int_result ch_posix_##name(__VA_ARGS__) __asm__(#name ".int")                                              \
      __attribute__((weak, visibility("default")));                                                                    \
  struct ch_int_result ch_posix_##name(__VA_ARGS__)
#define CH_HERE __builtin_return_address(0)

#endif
