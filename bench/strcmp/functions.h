/* strcmp with a yield every 2^YIELD_FREQ characters (paper 001, figure 12), in two ways.
 *
 * BENCH_FIGURE_12 does it as in the figure, with a test of the address at every character. BENCH_BLOCKS has an inner
 * loop over 2^YIELD_FREQ characters and a yield after it, so that nothing is added to the loop over characters, which a
 * compiler may unroll. In plain C the yield is left out; both ways are measured there as well, and the faster one is
 * what ours is compared with. */
#include <stdint.h>

#ifdef BENCH_FIGURE_12
#define DEFINE_COMPARE(name, yield_freq)                                                                               \
  __attribute__((noinline)) int name(const char *s1, const char *s2) {                                                 \
    while (*s1 && !(*s1 - *s2)) {                                                                                      \
      ++s1;                                                                                                            \
      ++s2;                                                                                                            \
      YIELD(if (!((uintptr_t)s1 & ((1ul << (yield_freq)) - 1))) yield;)                                                \
    }                                                                                                                  \
    return *s1 - *s2;                                                                                                  \
  }
#else
#define DEFINE_COMPARE(name, yield_freq)                                                                               \
  __attribute__((noinline)) int name(const char *s1, const char *s2) {                                                 \
    for (;;) {                                                                                                         \
      _Pragma("unroll 8") for (int i = 0; i < 1 << (yield_freq); i++) {                                                \
        if (!*s1 || *s1 - *s2)                                                                                         \
          return *s1 - *s2;                                                                                            \
        ++s1;                                                                                                          \
        ++s2;                                                                                                          \
      }                                                                                                                \
      YIELD(yield;)                                                                                                    \
    }                                                                                                                  \
  }
#endif

DEFINE_COMPARE(compare_4, 4)
DEFINE_COMPARE(compare_8, 8)
DEFINE_COMPARE(compare_12, 12)
