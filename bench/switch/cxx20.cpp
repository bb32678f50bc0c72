// CASE coroutines give way through one FIFO run queue, COUNT times in all, after the gate at which they wait has
// opened.
#include "../common/cxx20.hpp"
#include "../common/measure.h"

static unsigned long tasks, rounds, switches;
static cxx20::semaphore gate;

static cxx20::activity body() {
  co_await gate.take();
  unsigned long mine = 1;
  for (unsigned long i = 0; i < rounds; i++) {
    co_await cxx20::yield();
    mine++;
  }
  switches += mine;
}

int main(int argc, char **argv) {
  tasks = strtoul(argument_case(argc, argv), nullptr, 10);
  rounds = strtoul(argv[2], nullptr, 10) / tasks;
  for (unsigned long i = 0; i < tasks; i++)
    body();
  cxx20::run();
  double start = now_ns();
  for (unsigned long i = 0; i < tasks; i++)
    gate.give();
  cxx20::run();
  double elapsed = now_ns() - start;
  expect(switches, tasks * (rounds + 1));
  report("time", elapsed / (double)(tasks * (rounds + 1)), "ns/switch", switches);
}
