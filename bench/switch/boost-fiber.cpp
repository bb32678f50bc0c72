// CASE fibers give way with this_fiber::yield under the round-robin scheduler, COUNT times in all, after the gate at
// which they wait has opened.
#include "../common/measure.h"
#include <boost/fiber/all.hpp>
#include <vector>

int main(int argc, char **argv) {
  unsigned long tasks = strtoul(argument_case(argc, argv), nullptr, 10);
  unsigned long rounds = strtoul(argv[2], nullptr, 10) / tasks;
  unsigned long switches = 0;
  boost::fibers::mutex gate;
  gate.lock();
  std::vector<boost::fibers::fiber> fibers;
  fibers.reserve(tasks);
  // Small enough to come from the heap: a mapping for each would meet vm.max_map_count.
  boost::fibers::fixedsize_stack stacks(16384);
  for (unsigned long i = 0; i < tasks; i++)
    fibers.emplace_back(std::allocator_arg, stacks, [&] {
      gate.lock();
      gate.unlock();
      unsigned long mine = 1;
      for (unsigned long r = 0; r < rounds; r++) {
        boost::this_fiber::yield();
        mine++;
      }
      switches += mine;
    });
  boost::this_fiber::yield(); // all are at the gate now
  double start = now_ns();
  gate.unlock();
  for (auto &fiber : fibers)
    fiber.join();
  double elapsed = now_ns() - start;
  expect(switches, tasks * (rounds + 1));
  report("time", elapsed / (double)(tasks * (rounds + 1)), "ns/switch", switches);
}
