// COUNT fibers wait to receive, all from one channel (parked) or each from its own (ring).
#include "../common/measure.h"
#include <boost/fiber/all.hpp>
#include <deque>
#include <vector>

using channel = boost::fibers::unbuffered_channel<int>;

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  bool ring = !strcmp(name, "ring");
  if (!ring && strcmp(name, "parked"))
    unknown_case(name);
  unsigned long count = strtoul(argv[2], nullptr, 10), passed = 0, waiting = 0;
  double before = resident_bytes();
  channel parked;
  std::deque<channel> links;
  for (unsigned long i = 0; ring && i < count; i++)
    links.emplace_back();
  std::vector<boost::fibers::fiber> fibers;
  fibers.reserve(count);
  // Small enough to come from the heap: a mapping for each would meet vm.max_map_count.
  boost::fibers::fixedsize_stack stacks(16384);
  for (unsigned long i = 0; i < count; i++)
    fibers.emplace_back(std::allocator_arg, stacks, [&, i] {
      int token;
      waiting++;
      (ring ? links[i] : parked).pop(token);
      passed++;
      if (ring && i + 1 < count)
        links[i + 1].push(token);
    });
  while (waiting < count)
    boost::this_fiber::yield();
  double bytes = resident_bytes() - before;
  if (ring)
    links[0].push(1);
  for (unsigned long i = 0; !ring && i < count; i++)
    parked.push(1);
  for (auto &fiber : fibers)
    fiber.join();
  expect(passed, count);
  report("memory", bytes / (double)count, "bytes/activity", passed);
}
