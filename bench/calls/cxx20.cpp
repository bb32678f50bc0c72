// Makes the calls of paper 001's figure 10, where each f is a coroutine, so that any call could suspend.
#include "../common/cxx20.hpp"
#include "../common/measure.h"

static cxx20::task<unsigned> f(int d, unsigned x) {
  if (d > 0)
    co_return co_await f(d - 1, co_await f(d - 1, x));
  co_return x * 5 + 3;
}

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

static cxx20::activity benchmark(int depth) {
  unsigned answer = 0;
  double best = 0;
  for (int i = 0; i < 16; i++) {
    double start = now_ns();
    answer = co_await f(depth, 1);
    double elapsed = now_ns() - start;
    if (i == 0 || elapsed < best)
      best = elapsed;
    expect(answer, leaf_repeated(1UL << depth, 1));
  }
  report("time", best / (double)((2UL << depth) - 1), "ns/call", answer);
}

int main(int argc, char **argv) {
  argument_case(argc, argv);
  benchmark(atoi(argv[2]));
  cxx20::run();
}
