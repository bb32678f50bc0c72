/* Functions of many signatures give way at their entries, before they have begun: their arguments and results come
 * through. Another activity runs meanwhile, and calls functions too. */
// outcome: arguments_at_entries.expected
#include <charcoal.h>
#include <charcoal_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#define APART __attribute__((noinline)) static
struct pair {
  long a, b;
};
static int turns, wrong, stayed;
static bool ended;
static volatile int depth;

APART void deeper(void) { // recursive, so what calls it can give way
  if (depth > 0) {
    depth--;
    deeper();
  }
}
APART uint8_t bytes(uint8_t a, int8_t b, bool c) {
  deeper();
  return (uint8_t)(a + b + c);
}
APART int16_t shorts(int16_t a, uint16_t b, void *p, long d) {
  deeper();
  return (int16_t)(a - b + (p == &turns) + (d == -5));
}
APART long six(int a, long b, unsigned c, void *d, short e, signed char f) {
  deeper();
  return a + b + c + (d == &turns) + e + f;
}
APART long seven(int a, long b, unsigned c, void *d, short e, signed char f, long g) {
  deeper();
  return a + b + c + (d == &turns) + e + f + g;
}
APART double real(double a, int b) {
  deeper();
  return a * b;
}
APART void *pointer(void *p) {
  deeper();
  return p;
}
APART bool turned(bool b) {
  deeper();
  return !b;
}
APART struct pair pair(struct pair p) {
  deeper();
  return (struct pair){p.b, p.a};
}

static void other(void) {
  while (!ended) {
    turns++;
    six(1, 2, 3, 0, 4, 5); // leaves other values in the registers
    yield;
    ch_reschedule();
  }
}

static atomic uint64_t switches(void) {
  struct ch_stats now;
  ch_stats(&now);
  return now.switches;
}

// The call that stands in `holds` gives way at its entry.
#define GIVES_WAY(holds)                                                                                               \
  do {                                                                                                                 \
    uint64_t before = switches();                                                                                      \
    ch_tls.slice_over = 1;                                                                                             \
    wrong += !(holds);                                                                                                 \
    stayed += switches() == before;                                                                                    \
  } while (0)

int main(void) {
  ch_activity beside;
  activate[&beside] other();
  for (long k = 0; k < 20; k++) {
    GIVES_WAY(bytes(250, -3, k & 1) == (uint8_t)(247 + (k & 1)));
    GIVES_WAY(shorts(-7, 65535, &turns, -5) == (int16_t)(-7 - 65535 + 2));
    GIVES_WAY(six(-1, k << 40, 4000000000u, &turns, -9, -2) == (k << 40) + 3999999989);
    GIVES_WAY(seven(-1, k << 40, 4000000000u, &turns, -9, -2, k) == (k << 40) + 3999999989 + k);
    GIVES_WAY(real(1.5, (int)k) == 1.5 * (int)k);
    GIVES_WAY(pointer(&beside) == &beside);
    GIVES_WAY(turned(k & 1) == !(k & 1));
    GIVES_WAY(pair((struct pair){k, 7}).b == k);
  }
  ended = true;
  ch_activity_wait(&beside);
  printf("%d wrong results, %d calls that did not give way\n", wrong, stayed);
}
