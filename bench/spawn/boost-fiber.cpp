// Starts a fiber that does one addition and joins it, COUNT times; stacks come from a pool.
#include "../common/measure.h"
#include <boost/fiber/all.hpp>

int main(int argc, char **argv) {
  argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], nullptr, 10), sum = 0;
  boost::fibers::pooled_fixedsize_stack stacks(16384);
  double start = now_ns();
  for (unsigned long i = 0; i < count; i++)
    boost::fibers::fiber(std::allocator_arg, stacks, [&sum, i] { sum += i; }).join();
  double elapsed = now_ns() - start;
  expect(sum, count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns/spawn+join", sum);
}
