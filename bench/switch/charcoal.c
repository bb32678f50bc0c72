/* CASE activities give way with ch_reschedule, COUNT times in all, after the gate at which they wait has opened. */
#include "../common/measure.h"
#include <charcoal.h>

int main(int argc, char **argv) {
  unsigned long activities = strtoul(argument_case(argc, argv), NULL, 10);
  unsigned long rounds = strtoul(argv[2], NULL, 10) / activities;
  unsigned long switches = 0;
  ch_sem gate, done;
  struct ch_stats before, after;
  ch_sem_init(&gate, 0);
  ch_sem_init(&done, 0);
  for (unsigned long i = 0; i < activities; i++) {
    activate {
      ch_sem_wait(&gate);
      unsigned long mine = 1;
      for (unsigned long r = 0; r < rounds; r++) {
        ch_reschedule();
        mine++;
      }
      switches += mine;
      ch_sem_post(&done);
    }
  }
  ch_reschedule(); /* all are at the gate now */
  ch_stats(&before);
  double start = now_ns();
  for (unsigned long i = 0; i < activities; i++) ch_sem_post(&gate);
  for (unsigned long i = 0; i < activities; i++) ch_sem_wait(&done);
  double elapsed = now_ns() - start;
  ch_stats(&after);
  expect(switches, activities * (rounds + 1));
  if (activities > 1 && after.switches - before.switches < switches) {
    fprintf(stderr, "only %llu switches took place\n", (unsigned long long)(after.switches - before.switches));
    return 1;
  }
  report("time", elapsed / (double)switches, "ns/switch", switches);
}
