/* Measures a call, a call with a small allocation, and a closure on the heap that is called once. */
#define tamed __attribute__((noinline)) void
#include "calls.h"

struct closure {
  void (*function)(void *);
  void *argument;
};

static __attribute__((noinline)) struct closure *wrap(void (*function)(void *), void *argument) {
  struct closure *c = malloc(sizeof *c);
  *c = (struct closure){function, argument};
  return c;
}

static void count_it(void *counter) { ++*(unsigned long *)counter; }

static void wraps(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    struct closure *c = wrap(count_it, &done);
    __asm__ volatile("" : "+r"(c)::"memory");
    c->function(c->argument);
    free(c);
  }
}

int main(int argc, char **argv) {
  static const struct work works[] = {
      {"nullfn", nullfns, CALLS},
      {"allocation", allocations, CALLS},
      {"wrap", wraps, CALLS},
      {0},
  };
  run_work(argc, argv, works, &done);
}
