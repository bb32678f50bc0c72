/* Counts the runtime's calls of poll, for readiness_cache.c. This is plain C that stands between the runtime and the C
 * library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static int calls;
int calls_of_poll(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }

int poll(struct pollfd *all, nfds_t n, int timeout) {
  static int (*real)(struct pollfd *, nfds_t, int);
  if (!real)
    real = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
  return real(all, n, timeout);
}
