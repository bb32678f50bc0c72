/* COUNT activities wait, all on one semaphore (parked) or each on its own (ring). The handles are counted. */
#include "../common/measure.h"
#include <charcoal.h>

static unsigned long passed;

static void pass_on(ch_sem *links, unsigned long i, unsigned long count) {
  ch_sem_wait(&links[i]);
  passed++;
  if (i + 1 < count) ch_sem_post(&links[i + 1]);
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  int ring = !strcmp(name, "ring");
  if (!ring && strcmp(name, "parked")) unknown_case(name);
  unsigned long count = strtoul(argv[2], NULL, 10);
  double before = resident_bytes();
  ch_sem parked, *links = NULL;
  ch_activity *activity = malloc(count * sizeof *activity);
  if (ring) links = malloc(count * sizeof *links);
  if (!activity || (ring && !links)) return 1;
  ch_sem_init(&parked, 0);
  for (unsigned long i = 0; i < count; i++) {
    if (ring) {
      ch_sem_init(&links[i], 0);
      activate [&activity[i]] pass_on(links, i, count);
    } else {
      activate [&activity[i]] {
        ch_sem_wait(&parked);
        passed++;
      }
    }
  }
  ch_reschedule(); /* all wait now */
  double bytes = resident_bytes() - before;
  if (ring) ch_sem_post(&links[0]);
  for (unsigned long i = 0; !ring && i < count; i++) ch_sem_post(&parked);
  for (unsigned long i = 0; i < count; i++) ch_activity_wait(&activity[i]);
  expect(passed, count);
  report("memory", bytes / (double)count, "bytes/activity", passed);
  free(links);
  free(activity);
}
