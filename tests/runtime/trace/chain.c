/* A wait below two calls: the trace names the functions whose frames were saved in it. */
#include <charcoal.h>

static int waits;

static __attribute__((noinline)) void inner(void) {
  ch_sleep(1000);
  waits++;
}

static __attribute__((noinline)) void outer(void) {
  inner();
  waits++;
}

int main(void) {
  outer();
  return waits != 2;
}
