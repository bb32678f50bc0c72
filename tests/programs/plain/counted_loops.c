/* Loops that count in each direction, by each step and type, with each kind of test, over functions that are inlined.
 * Their lengths lie around a multiple of a strip (compiler/passes/strips.cpp). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sum;
static uint32_t cells[5003]; /* a pointer may go on by three from the last one that is used */
static struct {
  long count, from;
} *shared;

static inline uint32_t mix(uint32_t h, uint32_t x) { return (h ^ x) * 16777619u; }
static inline void add(uint32_t x) { sum += x; }
static inline long count(void) { return shared->count; }

#define LOOPS(T, name)                                                                                                 \
  __attribute__((noinline)) static void name(T from, T to) {                                                           \
    uint32_t h = 1;                                                                                                    \
    T i;                                                                                                               \
    unsigned turns = 0;                                                                                                \
    for (i = from; i < to; i++)                                                                                        \
      h = mix(h, (uint32_t)i);                                                                                         \
    for (i = from; i < to; i += 3)                                                                                     \
      add((uint32_t)i);                                                                                                \
    for (i = from; i != to; i++)                                                                                       \
      h = mix(h, (uint32_t)i);                                                                                         \
    for (i = to; i != from; i--)                                                                                       \
      h = mix(h, (uint32_t)i);                                                                                         \
    for (i = to; i > from; i -= 2) {                                                                                   \
      h = mix(h, (uint32_t)i);                                                                                         \
      if (++turns > 6000)                                                                                              \
        break;                                                                                                         \
    }                                                                                                                  \
    for (i = to; i-- > from;)                                                                                          \
      add((uint32_t)i);                                                                                                \
    i = from;                                                                                                          \
    do                                                                                                                 \
      h = mix(h, (uint32_t)i);                                                                                         \
    while (++i < to);                                                                                                  \
    for (turns = 0, i = from; i != to; i += 2) {                                                                       \
      h = mix(h, (uint32_t)i);                                                                                         \
      if (++turns == 700)                                                                                              \
        break;                                                                                                         \
    }                                                                                                                  \
    printf(#name " %u %llu %lld\n", h, (unsigned long long)sum, (long long)i);                                         \
  }
LOOPS(int8_t, of_int8)
LOOPS(uint8_t, of_uint8)
LOOPS(int16_t, of_int16)
LOOPS(uint16_t, of_uint16)
LOOPS(int, of_int)
LOOPS(unsigned, of_unsigned)
LOOPS(long, of_long)
LOOPS(unsigned long, of_unsigned_long)

__attribute__((noinline)) static void of_pointers(const uint32_t *from, const uint32_t *to) {
  uint32_t h = 1;
  for (const uint32_t *p = from; p != to; p++)
    h = mix(h, *p);
  for (const uint32_t *p = to; p != from; p--)
    h = mix(h, p[-1]);
  for (const uint32_t *p = from; p < to; p += 3)
    add(*p);
  printf("of_pointers %u %llu\n", h, (unsigned long long)sum);
}

/* The bound is read in each turn, and a turn changes it. */
__attribute__((noinline)) static void of_shared(void) {
  long turns = 0;
  for (long i = shared->from; i < count(); i++, turns++)
    add((uint32_t)i);
  for (long i = shared->from; i < count(); i++, turns++)
    if (mix((uint32_t)i, 1) % 3 == 0)
      shared->count--;
  printf("of_shared %ld %ld %llu\n", turns, shared->count, (unsigned long long)sum);
}

/* What is stored in each turn is there after the loop, and the values of several variables go from turn to turn. */
__attribute__((noinline)) static void of_cells(int n) {
  uint32_t a = 1, b = 2, c = 3;
  for (int i = 0; i < n; i++) {
    cells[i] = mix(cells[i], a);
    const uint32_t old = a;
    a = b;
    b = mix(c, old);
    c = cells[i];
  }
  printf("of_cells %u %u %u %u %u\n", a, b, c, cells[n ? n - 1 : 0], cells[n / 2]);
}

int main(void) {
  static const int lengths[] = {0, 1, 2, 7, 100, 1022, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 3072, 4999};
  shared = malloc(sizeof *shared);
  for (int i = 0; i < 5000; i++)
    cells[i] = (uint32_t)i * 2654435761u;
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    const int n = lengths[k];
    of_int8((int8_t)(-n % 128), (int8_t)(n % 120));
    of_uint8((uint8_t)(n % 50), (uint8_t)(n % 50 + n % 200));
    of_int16((int16_t)-n, (int16_t)(n + 3));
    of_uint16((uint16_t)(60000 - n), (uint16_t)60000);
    of_int(-n, n);
    of_int(2147480000 - n, 2147480000);
    of_unsigned(4294960000u - (unsigned)n, 4294960000u);
    of_long(-n, 5);
    of_unsigned_long(1UL << 40, (1UL << 40) + (unsigned long)n);
    of_pointers(cells, cells + n);
    shared->from = -n;
    shared->count = n;
    of_shared();
    of_cells(n);
  }
}
