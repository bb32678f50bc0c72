/* Loaded and unloaded, in two versions whose frames differ in size; and called through pointers only. */
#include <charcoal.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static long wait_with(const long *from) {
  long kept[WORDS];
  for (int i = 0; i < WORDS; i++)
    kept[i] = from[i];
  usleep(1);
  long sum = 0;
  for (int i = 0; i < WORDS; i++)
    sum += kept[i];
  return sum;
}

static long wait_by_name(const long *from) {
  ch_set_name("somebody in a library");
  long sum = wait_with(from);
  ch_reschedule();
  return sum + WORDS;
}

long (*library_function(void))(const long *) { return wait_by_name; }
