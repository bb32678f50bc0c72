/* Joining a thread on a thread of the pool, and plain calls of locks under names of their own. */
#define _GNU_SOURCE
#include "offload/pool.h"
#include "posix/locks/others.h"
#include "posix/plain_waits.h"
#include "sched/tsan.h"
#include <errno.h>

long ch_call_join(void *data) {
  struct ch_join *j = data;
  ch_pool_cancellable(true); /* POSIX: a thread that is cancelled in pthread_join has not joined the other */
  j->error = j->until ? ch_library_clockjoin(j->thread, &j->result, j->clock, j->until)
                      : ch_library_join(j->thread, &j->result);
  ch_pool_cancellable(false);
  return 0;
}

long ch_call_thrd_join(void *data) {
  struct ch_join *j = data;
  int result = 0;
  ch_pool_cancellable(true);
  if (ch_tsan_watches()) { /* pthread_create has made it (posix/thread_start.c) */
    void *pointer = NULL;
    j->error = ch_thrd_result(ch_library_join(j->thread, &pointer));
    result = (int)(intptr_t)pointer;
  } else {
    j->error = ch_library_thrd_join((thrd_t)j->thread, &result);
  }
  ch_pool_cancellable(false);
  j->result = (void *)(intptr_t)result;
  return 0;
}

int ch_plain_tryjoin(pthread_t thread, void **result) { return pthread_tryjoin_np(thread, result); }
int ch_plain_spin_trylock(pthread_spinlock_t *l) { return pthread_spin_trylock(l); }

int ch_thrd_result(int r) {
  return r == 0           ? thrd_success
         : r == ETIMEDOUT ? thrd_timedout
         : r == EBUSY     ? thrd_busy
         : r == ENOMEM    ? thrd_nomem
                          : thrd_error;
}
