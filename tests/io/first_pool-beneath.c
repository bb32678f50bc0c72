/* A slow pthread_cond_init, which the runtime calls when it prepares its pool of threads. Linked under
 * first_pool.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int preparing; /* the pool is being prepared, or has been */

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *unused) {
  (void)unused;
  if (!__atomic_exchange_n(&preparing, 1, __ATOMIC_SEQ_CST)) {
    struct timespec left = {0, 300000000};
    while (syscall(SYS_nanosleep, &left, &left) != 0 && errno == EINTR)
      ;
  }
  *c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  return 0;
}
