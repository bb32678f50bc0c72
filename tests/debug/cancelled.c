/* A program whose thread has been cancelled and computes on, so that it does not notice; it goes on until the input
 * ends. */
#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int computes, over;

static void *compute(void *unused) {
  ch_set_name("computes");
  ch_sleep(1);
  pthread_cancel(pthread_self());
  __atomic_store_n(&computes, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) // computes
    ;
  return unused;
}

int main(void) {
  char byte;
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  while (!__atomic_load_n(&computes, __ATOMIC_SEQ_CST))
    ch_sleep(1000000);
  puts("ready");
  fflush(stdout);
  while (read(0, &byte, 1) == 1) {
  }
  __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
}
