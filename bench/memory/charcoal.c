/* COUNT activities wait: all for one semaphore (parked), the same with a handle for each (parked-handle), or each for a
 * semaphore of its own (ring). All that belongs to them is counted: handles, semaphores, captured variables. */
#include "../common/measure.h"
#include <charcoal.h>

static unsigned long count, passed;
static ch_sem gate; /* zeroed: of count 0 */

/* Has each of `count` activities wait, returns the bytes that they take, and lets them end. */
static double parked(void) {
  double before = resident_bytes();
  for (unsigned long i = 0; i < count; i++) {
    activate {
      ch_sem_wait(&gate);
      passed++;
    }
  }
  ch_reschedule(); /* all wait now */
  double bytes = resident_bytes() - before;
  for (unsigned long i = 0; i < count; i++) ch_sem_post(&gate);
  while (passed < count) ch_reschedule();
  return bytes;
}

static double parked_handle(void) {
  double before = resident_bytes();
  ch_activity *activity = malloc(count * sizeof *activity);
  if (!activity) exit(1);
  for (unsigned long i = 0; i < count; i++) {
    activate [&activity[i]] {
      ch_sem_wait(&gate);
      passed++;
    }
  }
  ch_reschedule();
  double bytes = resident_bytes() - before;
  for (unsigned long i = 0; i < count; i++) ch_sem_post(&gate);
  for (unsigned long i = 0; i < count; i++) ch_activity_wait(&activity[i]);
  free(activity);
  return bytes;
}

static double ring(void) {
  double before = resident_bytes();
  ch_sem *links = malloc(count * sizeof *links);
  if (!links) exit(1);
  for (unsigned long i = 0; i < count; i++) {
    ch_sem_init(&links[i], 0);
    activate (i) {
      ch_sem_wait(&links[i]);
      passed++;
      if (i + 1 < count) ch_sem_post(&links[i + 1]);
    }
  }
  ch_reschedule();
  double bytes = resident_bytes() - before;
  ch_sem_post(&links[0]);
  while (passed < count) ch_reschedule();
  free(links);
  return bytes;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  count = strtoul(argv[2], NULL, 10);
  double bytes = 0;
  if (!strcmp(name, "parked")) bytes = parked();
  else if (!strcmp(name, "parked-handle")) bytes = parked_handle();
  else if (!strcmp(name, "ring")) bytes = ring();
  else unknown_case(name);
  expect(passed, count);
  report("memory", bytes / (double)count, "bytes/activity", passed);
}
