/* A mutex guards a counter. CASE is free: nobody else wants the mutex; contended: eight activities give way while they
 * have it, so that the others queue; contended-2dom: one activity in each of two domains, which do not give way. */
#include "../common/measure.h"
#include <charcoal.h>
#include <charcoal/locks.h>

enum { MANY = 8 };
static ch_mutex lock;
static unsigned long count, counter;
static ch_latch ended;

static void count_up(unsigned long times, int gives_way) {
  for (unsigned long i = 0; i < times; i++) {
    ch_lock(&lock);
    unsigned long was = counter;
    if (gives_way) ch_reschedule();
    counter = was + 1;
    ch_unlock(&lock);
  }
}

static void count_half(void *unused) {
  (void)unused;
  count_up(count / 2, 0);
}

static void count_in_two_domains(void) {
  ch_thread other;
  ch_mutex_init(&lock, CH_SHARED);
  if (ch_domain_start(&other, count_half, NULL)) exit(1);
  count_half(NULL);
  ch_domain_join(&other);
}

static void count_in_turn(void) {
  ch_latch_init(&ended, MANY, 0);
  for (int i = 0; i < MANY; i++)
    activate {
      count_up(count / MANY, 1);
      ch_latch_done(&ended);
    }
  ch_latch_wait(&ended);
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  count = strtoul(argv[2], NULL, 10);
  double start = now_ns();
  if (!strcmp(name, "free")) count_up(count, 0);
  else if (!strcmp(name, "contended")) count_in_turn();
  else if (!strcmp(name, "contended-2dom")) count_in_two_domains();
  else unknown_case(name);
  double elapsed = now_ns() - start;
  expect(counter, count);
  report("time", elapsed / (double)count, "ns/lock", counter);
}
