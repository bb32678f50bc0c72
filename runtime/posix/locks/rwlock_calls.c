#define _GNU_SOURCE
#include "posix/locks/rwlock_calls.h"
#include "posix/locks/tsan.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

static struct {
  __typeof__(pthread_rwlock_rdlock) *tryrdlock, *trywrlock, *rdlock, *wrlock, *unlock;
  __typeof__(pthread_rwlock_clockrdlock) *clockrdlock, *clockwrlock;
} plain = {pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock,   pthread_rwlock_rdlock,     pthread_rwlock_wrlock,
           pthread_rwlock_unlock,    pthread_rwlock_clockrdlock, pthread_rwlock_clockwrlock};

static void *find(void *library, const char *name) {
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) {
    fprintf(stderr, "charcoal: the C library's %s was not found; ThreadSanitizer needs a shared C library\n", name);
    abort();
  }
  return found;
}

/* Behind the sanitizer's wrappers, which carry the same names. */
static void look_behind(void) {
  void *library = dlopen && dlsym ? dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
#define FIND(name) *(void **)&plain.name = find(library, "pthread_rwlock_" #name)
  FIND(tryrdlock), FIND(trywrlock), FIND(rdlock), FIND(wrlock), FIND(unlock), FIND(clockrdlock), FIND(clockwrlock);
}

static inline void choose(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (ch_tsan_is_here())
    pthread_once(&once, look_behind);
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
