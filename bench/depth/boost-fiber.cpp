// A fiber CASE calls deep gives way COUNT times, beside a second one that does the same.
#include "../common/measure.h"
#include "answer.h"
#include <boost/fiber/all.hpp>

__attribute__((noinline)) static unsigned long descend(int depth, unsigned long count) {
  if (depth > 1)
    return deeper(descend(depth - 1, count));
  unsigned long blocked = 0;
  for (unsigned long i = 0; i < count; i++) {
    boost::this_fiber::yield();
    blocked++;
  }
  return blocked;
}

int main(int argc, char **argv) {
  int depth = atoi(argument_case(argc, argv));
  unsigned long count = strtoul(argv[2], nullptr, 10), answer = 0;
  boost::fibers::fiber fibers[2];
  double start = now_ns();
  for (auto &fiber : fibers)
    fiber = boost::fibers::fiber([&] { answer += descend(depth, count / 2); });
  for (auto &fiber : fibers)
    fiber.join();
  double elapsed = now_ns() - start;
  expect(answer, 2 * answer_of(depth, count / 2));
  report("time", elapsed / (double)count, "ns/block+resume", answer);
}
