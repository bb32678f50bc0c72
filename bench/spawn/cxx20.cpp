// Starts a coroutine that does one addition and awaits its end, COUNT times.
#include "../common/cxx20.hpp"
#include "../common/measure.h"

static unsigned long sum;

static cxx20::activity body(unsigned long i) {
  sum += i;
  co_return;
}

static cxx20::activity benchmark(unsigned long count) {
  double start = now_ns();
  for (unsigned long i = 0; i < count; i++)
    co_await body(i).join();
  double elapsed = now_ns() - start;
  expect(sum, count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns/spawn+join", sum);
}

int main(int argc, char **argv) {
  argument_case(argc, argv);
  benchmark(strtoul(argv[2], nullptr, 10));
  cxx20::run();
}
