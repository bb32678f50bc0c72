/* A pthread_create that is slow for a thread of the pool for foreign code: the runtime makes it with all signals
 * blocked, and with a whole stack. Linked under first_worker.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int making; /* the thread is being made, or has been */

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument) {
  __typeof__(pthread_create) *real = (__typeof__(pthread_create) *)dlsym(RTLD_NEXT, "pthread_create");
  sigset_t blocked;
  size_t size = 0;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (how)
    pthread_attr_getstacksize(how, &size);
  if (sigismember(&blocked, SIGUSR1) && size >= 1 << 20) {
    __atomic_store_n(&making, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_nanosleep, &(struct timespec){0, 300000000}, NULL);
  }
  return real(thread, how, run, argument);
}
