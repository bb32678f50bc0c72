/* strcmp as in paper 001, figure 12: the loop yields once every 2^YIELD_FREQ characters.
 *
 * In plain C `YIELD` is nothing and all functions are the upper half of the figure.
 */
#include <stdint.h>

#define DEFINE_COMPARE(name, yield_freq)                                                                               \
  __attribute__((noinline)) int name(const char *s1, const char *s2) {                                                 \
    while (*s1 && !(*s1 - *s2)) {                                                                                      \
      ++s1;                                                                                                            \
      ++s2;                                                                                                            \
      YIELD(if (!((uintptr_t)s1 & ((1ul << (yield_freq)) - 1))) yield;)                                                \
    }                                                                                                                  \
    return *s1 - *s2;                                                                                                  \
  }

DEFINE_COMPARE(compare_4, 4)
DEFINE_COMPARE(compare_8, 8)
DEFINE_COMPARE(compare_12, 12)
