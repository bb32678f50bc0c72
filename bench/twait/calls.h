/* The calls of figure 8: of a tamed function that could wait and does not, which is a plain function in C, and of a
 * function with a small allocation. */
#ifndef BENCH_TWAIT_CALLS_H
#define BENCH_TWAIT_CALLS_H

#include "pieces.h"
#include <unistd.h>

enum { CALLS = 10000, TURNS = 100 };

static unsigned long done, never = ~0UL; /* never: a number that `done` does not get, which the compiler cannot know */

static tamed nullfn(void) {
  if (done == never)
    usleep(1);
  done++;
}

static void nullfns(unsigned long n) {
  for (unsigned long i = 0; i < n; i++)
    nullfn();
}

static __attribute__((noinline)) void call_with_allocation(void) {
  int *i = malloc(sizeof *i);
  __asm__ volatile("" : "+r"(i)::"memory");
  *i = 1;
  done += (unsigned long)*i;
  free(i);
}

static void allocations(unsigned long n) {
  for (unsigned long i = 0; i < n; i++)
    call_with_allocation();
}

#endif
