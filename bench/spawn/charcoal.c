/* Starts an activity that does one addition and waits for its end, COUNT times. */
#include "../common/measure.h"
#include <charcoal.h>

int main(int argc, char **argv) {
  argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10), sum = 0;
  double start = now_ns();
  for (unsigned long i = 0; i < count; i++) {
    ch_activity adder;
    activate [&adder] (i) {
      sum += i;
    }
    ch_activity_wait(&adder);
  }
  double elapsed = now_ns() - start;
  expect(sum, count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns/spawn+join", sum);
}
