/* While a thread prepares the pool of threads, an activity of another one needs a thread of the pool, because it waits
 * for a mutex and there is no ring. Until the pool is ready, its wait is half registered, so nobody else of its domain
 * may run: they would hand it the mutex, which becomes free meanwhile. */
#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

extern int preparing; /* of first_pool-beneath.c */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void nothing(void *unused) { (void)unused; }
static void *prepares(void *unused) { return ch_offload(nothing, NULL), unused; }

static void until_it_prepares(void) {
  while (!__atomic_load_n(&preparing, __ATOMIC_SEQ_CST))
    usleep(1000);
}

static void *holds(void *locked) {
  atomic {
    pthread_mutex_lock(&mutex);
    __atomic_store_n((int *)locked, 1, __ATOMIC_SEQ_CST);
    until_it_prepares();
    usleep(100000);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t holder, preparer;
  int locked = 0, over = 0, count = 0;
  alarm(60);
  pthread_create(&holder, NULL, holds, &locked);
  while (!__atomic_load_n(&locked, __ATOMIC_SEQ_CST))
    usleep(1000);
  pthread_create(&preparer, NULL, prepares, NULL);
  do {
    async {
      for (; !over; rounds++)
        usleep(1000);
    }
    until_it_prepares();
    for (int i = 0; i < 3; i++) {
      if (pthread_mutex_lock(&mutex) != 0)
        return puts("the mutex was not locked"), 1;
      count++;
      usleep(2000);
      pthread_mutex_unlock(&mutex);
    }
    over = 1;
  }
  finish;
  pthread_join(holder, NULL);
  pthread_join(preparer, NULL);
  return count != 3 || rounds == 0;
}
