/* Tells ThreadSanitizer about locks. Its wrappers of the C library's calls note which thread has a lock. But a thread
 * of the pool may take a lock for a domain, which gives it back. So the runtime's calls go past the wrappers, and the
 * domain's thread tells which locks it has. Without the sanitizer these functions do nothing. */
#ifndef CHARCOAL_POSIX_LOCKS_TSAN_H
#define CHARCOAL_POSIX_LOCKS_TSAN_H

#include <stdbool.h>
#include <stddef.h>

void __tsan_mutex_pre_lock(void *, unsigned flags) __attribute__((weak));
void __tsan_mutex_post_lock(void *, unsigned flags, int recursion) __attribute__((weak));
int __tsan_mutex_pre_unlock(void *, unsigned flags) __attribute__((weak));
void __tsan_mutex_post_unlock(void *, unsigned flags) __attribute__((weak));

/* TSAN_TRY: it was only tried: the order in which activities of one thread take locks is not the thread's. */
enum { TSAN_WRITE_REENTRANT = 1u << 1, TSAN_READ = 1u << 3, TSAN_TRY = 1u << 4 };

static inline bool ch_tsan_is_here(void) { return __builtin_expect(__tsan_mutex_pre_lock != NULL, 0); }

/* This thread has just taken it. */
static inline void ch_tsan_locked(void *lock, bool for_reading) {
  if (ch_tsan_is_here()) {
    unsigned how = TSAN_TRY | (for_reading ? TSAN_READ : TSAN_WRITE_REENTRANT);
    __tsan_mutex_pre_lock(lock, how);
    __tsan_mutex_post_lock(lock, how, 1);
  }
}
/* It is about to give it back. */
static inline void ch_tsan_unlocked(void *lock, bool for_reading) {
  if (ch_tsan_is_here()) {
    unsigned how = for_reading ? TSAN_READ : 0;
    __tsan_mutex_pre_unlock(lock, how);
    __tsan_mutex_post_unlock(lock, how);
  }
}

#endif
