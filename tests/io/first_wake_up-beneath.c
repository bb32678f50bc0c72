/* Threads that charcoal-cc has not compiled, and a stat that is slow where the runtime counts threads for main's
 * domain. Linked under first_wake_up.c. */
#define _GNU_SOURCE
#include <charcoal.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

extern ch_sem first, last;
int stands;
static int asked, left; /* main's domain asks; the other thread's domain has ended */
static pthread_t waker;

static void until(const int *happened) {
  while (!__atomic_load_n(happened, __ATOMIC_SEQ_CST))
    syscall(SYS_nanosleep, &(struct timespec){0, 1000000}, NULL);
}

static void *wakes_the_domain(void *unused) {
  until(&asked);
  ch_sem_post(&first);
  return unused;
}

static void *has_a_domain(void *unused) {
  ch_domain_enter();
  __atomic_store_n(&stands, 1, __ATOMIC_SEQ_CST);
  ch_sem_wait(&first);
  ch_domain_leave();
  __atomic_store_n(&left, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_nanosleep, &(struct timespec){0, 300000000}, NULL);
  ch_sem_post(&last);
  return unused;
}

void start_threads(void) {
  pthread_t with_domain;
  pthread_create(&waker, NULL, wakes_the_domain, NULL);
  pthread_create(&with_domain, NULL, has_a_domain, NULL);
}

int stat(const char *restrict path, struct stat *restrict to) {
  if (!strcmp(path, "/proc/self/task") && gettid() == getpid() && !__atomic_exchange_n(&asked, 1, __ATOMIC_SEQ_CST)) {
    pthread_join(waker, NULL);
    until(&left);
  }
  return fstatat(AT_FDCWD, path, to, 0);
}
