/* Starts a thread that does one addition and waits for its end, COUNT times. */
#include "../common/measure.h"
#include <pthread.h>

static unsigned long sum;

static void *body(void *i) {
  sum += (unsigned long)i;
  return NULL;
}

int main(int argc, char **argv) {
  argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  double start = now_ns();
  for (unsigned long i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, (void *)i))
      return perror("pthread_create"), 1;
    pthread_join(thread, NULL);
  }
  double elapsed = now_ns() - start;
  expect(sum, count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns/spawn+join", sum);
}
