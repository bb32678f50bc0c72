/* main ends by pthread_exit while another thread goes on; the process ends with the last thread, status 0. */
// flags: -pthread
// skip: address (its leak check does not survive this on glibc 2.36)
// noise: no (the timer of a program with several activities is a thread that outlives main)
#include <pthread.h>
#include <stdio.h>
static pthread_t main_thread;
__attribute__((noinline)) static int deep(int n) { return n ? deep(n - 1) + 1 : 0; }
static void *go(void *p) {
  void *r;
  pthread_join(main_thread, &r);
  printf("after main: %d %ld\n", deep(50), (long)r + (long)p);
  return 0;
}
__attribute__((noinline)) static void leave(int d) {
  if (d == 0)
    pthread_exit((void *)5L);
  leave(d - 1);
}
int main(void) {
  pthread_t t;
  main_thread = pthread_self();
  pthread_create(&t, 0, go, (void *)7L);
  printf("main leaves\n");
  leave(4);
}
