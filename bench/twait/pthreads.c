/* Makes a thread for each turn, as the paper's benchfn_thr does, with the smallest stack that is possible. */
#include "pieces.h"
#include <pthread.h>

enum { TURNS = 100 };

static unsigned long done;

static void *noop(void *argument) { return ++*(unsigned long *)argument, NULL; }

static void threads(unsigned long n) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 32 << 10);
  for (unsigned long i = 0; i < n; i++) {
    pthread_t t;
    if (pthread_create(&t, &small, noop, &done) || pthread_join(t, NULL))
      exit(1);
  }
}

int main(int argc, char **argv) {
  static const struct work works[] = {
      {"threads", threads, TURNS},
      {0},
  };
  run_work(argc, argv, works, &done);
}
