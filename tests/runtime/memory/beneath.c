/* Beneath the runtime: an allocator, and a few other calls for what can run out, that fail at will. Linked with
 * -Wl,--wrap=...; plain C. FAIL=n: the n-th such call fails; FAIL=n+: that one and all after it. CALLS=descriptor:
 * their number is written there in the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static long calls, which = -1;
static int all_after, report = -1;

static int fails(void) {
  if (which < 0) {
    const char *text = getenv("FAIL"), *to = getenv("CALLS");
    which = text ? atol(text) : 0;
    all_after = text && strchr(text, '+');
    report = to ? atoi(to) : -1;
  }
  long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return n == which || (all_after && n > which && which > 0);
}

__attribute__((destructor)) static void tell(void) {
  if (report >= 0)
    dprintf(report, "%ld\n", calls);
}

#define WRAP(type, name, parameters, arguments, failed, error)                                                         \
  type __real_##name parameters;                                                                                       \
  type __wrap_##name parameters {                                                                                      \
    if (fails())                                                                                                       \
      return errno = (error), (failed);                                                                                \
    return __real_##name arguments;                                                                                    \
  }

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t each), (n, each), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(void *, mmap, (void *at, size_t n, int protection, int flags, int fd, off_t offset),
     (at, n, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
WRAP(int, eventfd, (unsigned n, int flags), (n, flags), -1, EMFILE)
WRAP(int, epoll_create1, (int flags), (flags), -1, EMFILE)

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *argument) {
  return fails() ? EAGAIN : __real_pthread_create(t, a, f, argument);
}
