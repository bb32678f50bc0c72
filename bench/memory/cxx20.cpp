// COUNT coroutines wait, all for one semaphore (parked) or each for its own (ring).
#include "../common/cxx20.hpp"
#include "../common/measure.h"
#include <vector>

static unsigned long count, passed;
static cxx20::semaphore parked;
static std::vector<cxx20::semaphore> links;

static cxx20::activity park() {
  co_await parked.take();
  passed++;
}

static cxx20::activity pass_on(unsigned long i) {
  co_await links[i].take();
  passed++;
  if (i + 1 < count)
    links[i + 1].give();
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  bool ring = !strcmp(name, "ring");
  if (!ring && strcmp(name, "parked"))
    unknown_case(name);
  count = strtoul(argv[2], nullptr, 10);
  double before = resident_bytes();
  if (ring)
    links.resize(count);
  for (unsigned long i = 0; i < count; i++)
    ring ? pass_on(i) : park();
  cxx20::run();
  double bytes = resident_bytes() - before;
  if (ring)
    links[0].give();
  for (unsigned long i = 0; !ring && i < count; i++)
    parked.give();
  cxx20::run();
  expect(passed, count);
  report("memory", bytes / (double)count, "bytes/activity", passed);
}
