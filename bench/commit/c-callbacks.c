/* The initiator is events by hand in all cases but `seq`, which c.c measures. */
#include "event.h"

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  struct end ends[MOST];
  struct stopwatch watch = {0};
  int n = participants_of(name, "event") + participants_of(name, "async") + participants_of(name, "batch");
  if (!n)
    unknown_case(name);
  start_participants(ends, n);
  uint64_t sum = commit_by_events(ends, n, count, &watch);
  expect(sum, right_sum(count, n));
  report("time", watch.best / BATCH, "ns/operation", sum);
}
