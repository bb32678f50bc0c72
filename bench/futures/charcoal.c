/* An activity waits for three futures, which another one sets one after the other, again and again (paper 003, section
 * 5.9). CASE says what is waited for: or is a or b or c; and is a and b and c; andor is (a and b) or c; orand is (a or
 * b) and c. */
#include "../common/measure.h"
#include <charcoal.h>
#include <charcoal/future.h>

static future(long) a, b, c;
static ch_sem wanted;
static long x, y, z;

static void set_all(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++) {
    ch_sem_wait(&wanted);
    ch_future_set(&a, 1);
    ch_future_set(&b, 2);
    ch_future_set(&c, 4);
  }
}

static void either(void) {
  waituntil (ch_get(&a, &x)) {} or waituntil (ch_get(&b, &y)) {} or waituntil (ch_get(&c, &z)) {}
}
static void all(void) {
  waituntil (ch_get(&a, &x)) {} and waituntil (ch_get(&b, &y)) {} and waituntil (ch_get(&c, &z)) {}
}
static void and_or(void) {
  (waituntil (ch_get(&a, &x)) {} and waituntil (ch_get(&b, &y)) {}) or waituntil (ch_get(&c, &z)) {}
}
static void or_and(void) {
  (waituntil (ch_get(&a, &x)) {} or waituntil (ch_get(&b, &y)) {}) and waituntil (ch_get(&c, &z)) {}
}

/* Whether what has been got, as a sum, satisfies the predicate. */
static int satisfies_or(long got) { return got != 0; }
static int satisfies_and(long got) { return got == 7; }
static int satisfies_and_or(long got) { return (got & 3) == 3 || got & 4; }
static int satisfies_or_and(long got) { return got & 3 && got & 4; }

static const struct kind {
  const char *name;
  void (*wait)(void);
  int (*satisfied)(long got);
} kinds[] = {{"or", either, satisfies_or},
             {"and", all, satisfies_and},
             {"andor", and_or, satisfies_and_or},
             {"orand", or_and, satisfies_or_and}};

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long rounds = strtoul(argv[2], NULL, 10), satisfied = 0;
  const struct kind *k = kinds;
  while (k < kinds + 4 && strcmp(k->name, name) != 0) k++;
  if (k == kinds + 4) unknown_case(name);
  activate set_all(rounds);
  double start = now_ns();
  for (unsigned long i = 0; i < rounds; i++) {
    x = y = z = 0;
    ch_sem_post(&wanted);
    k->wait();
    satisfied += (unsigned long)k->satisfied(x + y + z);
    ch_future_reset(&a);
    ch_future_reset(&b);
    ch_future_reset(&c);
  }
  double elapsed = now_ns() - start;
  expect(satisfied, rounds);
  report("time", elapsed / (double)rounds, "ns/wait", satisfied);
}
