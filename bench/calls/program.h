/* `program CASE DEPTH` makes one call of f(DEPTH, 1), which makes 2^(DEPTH+1) - 1 calls, and does so REPEATS times. It
 * prints the ns per call of the fastest time. Each time is short enough to fit between two interruptions by the rest of
 * the machine. */
#include "../common/measure.h"
#include "functions.h"

enum { REPEATS = 16 };

/* The leaf applied `times` times, by squaring the affine map a*x + b. */
static unsigned leaf_repeated(unsigned long times, unsigned x) {
  unsigned a = 5, b = 3, result = x;
  for (; times; times >>= 1) {
    if (times & 1)
      result = a * result + b;
    b = a * b + b;
    a = a * a;
  }
  return result;
}

static unsigned call(const char *name, int depth, unsigned x) {
  if (!strcmp(name, "interruptible"))
    return f(depth, x);
  if (!strcmp(name, "n4"))
    return f4(depth, x);
  if (!strcmp(name, "n8"))
    return f8(depth, x);
  if (!strcmp(name, "atomic"))
    return f_atomic(depth, x);
  unknown_case(name);
  return 0;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  int depth = atoi(argv[2]);
  unsigned answer = 0;
  double best = 0;
  for (int i = 0; i < REPEATS; i++) {
    double start = now_ns();
    answer = call(name, depth, 1);
    double elapsed = now_ns() - start;
    if (i == 0 || elapsed < best)
      best = elapsed;
    expect(answer, leaf_repeated(1UL << depth, 1));
  }
  report("time", best / (double)((2UL << depth) - 1), "ns/call", answer);
}
