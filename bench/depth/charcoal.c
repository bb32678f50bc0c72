/* An activity CASE calls deep gives way COUNT times, beside a second one that does the same. */
#include "../common/measure.h"
#include "answer.h"
#include <charcoal.h>

__attribute__((noinline)) static unsigned long descend(int depth, unsigned long count) {
  if (depth > 1) return deeper(descend(depth - 1, count));
  unsigned long blocked = 0;
  for (unsigned long i = 0; i < count; i++) {
    ch_reschedule();
    blocked++;
  }
  return blocked;
}

int main(int argc, char **argv) {
  int depth = atoi(argument_case(argc, argv));
  unsigned long count = strtoul(argv[2], NULL, 10), answer = 0;
  ch_activity activity[2];
  struct ch_stats before, after;
  ch_stats(&before);
  double start = now_ns();
  for (int k = 0; k < 2; k++) {
    activate [&activity[k]] {
      unsigned long mine = descend(depth, count / 2);
      answer += mine;
    }
  }
  for (int k = 0; k < 2; k++) ch_activity_wait(&activity[k]);
  double elapsed = now_ns() - start;
  ch_stats(&after);
  expect(answer, 2 * answer_of(depth, count / 2));
  if (after.switches - before.switches < count / 2 * 2) {
    fprintf(stderr, "only %llu switches took place\n", (unsigned long long)(after.switches - before.switches));
    return 1;
  }
  report("time", elapsed / (double)count, "ns/block+resume", answer);
}
