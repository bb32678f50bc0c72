// A coroutine CASE calls deep gives way COUNT times, beside a second one that does the same.
#include "../common/cxx20.hpp"
#include "../common/measure.h"
#include "answer.h"

static cxx20::task<unsigned long> descend(int depth, unsigned long count) {
  if (depth > 1)
    co_return deeper(co_await descend(depth - 1, count));
  unsigned long blocked = 0;
  for (unsigned long i = 0; i < count; i++) {
    co_await cxx20::yield();
    blocked++;
  }
  co_return blocked;
}

static unsigned long answer;

static cxx20::activity body(int depth, unsigned long count) { answer += co_await descend(depth, count); }

int main(int argc, char **argv) {
  int depth = atoi(argument_case(argc, argv));
  unsigned long count = strtoul(argv[2], nullptr, 10);
  double start = now_ns();
  for (int k = 0; k < 2; k++)
    body(depth, count / 2);
  cxx20::run();
  double elapsed = now_ns() - start;
  expect(answer, 2 * answer_of(depth, count / 2));
  report("time", elapsed / (double)count, "ns/block+resume", answer);
}
