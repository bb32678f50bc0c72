/* Looks up the C library's calls for read-write locks. See rwlock_calls.h. */
#define _GNU_SOURCE
#include "posix/locks/rwlock_calls.h"
#include "frames/interposed.h"
#include "frames/interposed.h"
#include "posix/locks/tsan.h"
#include <dlfcn.h>

extern __typeof__(dlopen) dlopen __attribute__((weak));

/* Of a static C library. */
int __pthread_rwlock_rdlock(pthread_rwlock_t *) __attribute__((weak));
int __pthread_rwlock_wrlock(pthread_rwlock_t *) __attribute__((weak));
int __pthread_rwlock_unlock(pthread_rwlock_t *) __attribute__((weak));
int ___pthread_rwlock_tryrdlock(pthread_rwlock_t *) __attribute__((weak));
int ___pthread_rwlock_trywrlock(pthread_rwlock_t *) __attribute__((weak));
__typeof__(pthread_rwlock_clockrdlock) ___pthread_rwlock_clockrdlock __attribute__((weak));
__typeof__(pthread_rwlock_clockwrlock) ___pthread_rwlock_clockwrlock __attribute__((weak));

static struct {
  __typeof__(pthread_rwlock_rdlock) *rdlock, *wrlock, *unlock, *tryrdlock, *trywrlock;
  __typeof__(pthread_rwlock_clockrdlock) *clockrdlock, *clockwrlock;
} plain = {__pthread_rwlock_rdlock,      __pthread_rwlock_wrlock,     __pthread_rwlock_unlock,
           ___pthread_rwlock_tryrdlock,  ___pthread_rwlock_trywrlock, ___pthread_rwlock_clockrdlock,
           ___pthread_rwlock_clockwrlock};

/* Behind the functions of rwlock.c, and behind a sanitizer's wrappers, which carry the same names. A static C library
 * has all of these names; of a shared one lld finds some, and GNU ld none. */
static void look_behind(void) {
  if (plain.rdlock && plain.wrlock && plain.unlock && plain.tryrdlock && plain.trywrlock && plain.clockrdlock &&
      plain.clockwrlock)
    return;
  void *library = !ch_tsan_is_here() ? RTLD_NEXT : dlopen ? dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
#define FIND(name) *(void **)&plain.name = ch_next_definition(library, "pthread_rwlock_" #name)
  FIND(rdlock), FIND(wrlock), FIND(unlock), FIND(tryrdlock), FIND(trywrlock), FIND(clockrdlock), FIND(clockwrlock);
}

static inline void choose(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static bool chosen;
  if (CH_LIKELY(__atomic_load_n(&chosen, __ATOMIC_ACQUIRE)))
    return;
  ch_library_once(&once, look_behind);
  __atomic_store_n(&chosen, true, __ATOMIC_RELEASE);
}

int ch_rwlock_try(pthread_rwlock_t *l, int write) {
  choose();
  return write ? plain.trywrlock(l) : plain.tryrdlock(l);
}

int ch_rwlock_take(pthread_rwlock_t *l, int write, clockid_t clock, const struct timespec *until) {
  choose();
  if (!until)
    return write ? plain.wrlock(l) : plain.rdlock(l);
  return write ? plain.clockwrlock(l, clock, until) : plain.clockrdlock(l, clock, until);
}

int ch_rwlock_give(pthread_rwlock_t *l) {
  choose();
  return plain.unlock(l);
}
