/* Structures that pass the border of a swiftcall function as words. Clang stores the last word as a whole, past the end
   of the structure, and its optimizer drops that store. So clang itself compiles this program without swiftcall. */
#include <stdio.h>
#include <string.h>
#if defined __CHARCOAL__ && __has_attribute(swiftcall)
#define SWIFT __attribute__((swiftcall))
#else
#define SWIFT
#endif

static unsigned trace;
__attribute__((noinline)) static int note(int x) {
  trace = trace * 31 + (unsigned)x;
  return x;
}

#define OF_SIZE(n)                                                                                                     \
  struct odd##n {                                                                                                      \
    char bytes[n];                                                                                                     \
  };                                                                                                                   \
  SWIFT __attribute__((noinline)) static struct odd##n change##n(struct odd##n given, int at) {                        \
    struct odd##n changed = given;                                                                                     \
    changed.bytes[at] = (char)note(changed.bytes[at] + 1);                                                             \
    return changed;                                                                                                    \
  }                                                                                                                    \
  __attribute__((noinline)) static struct odd##n pass##n(struct odd##n given, int at) { return change##n(given, at); } \
  __attribute__((noinline)) static int use##n(int seed) {                                                              \
    char before = (char)note(seed);                                                                                    \
    struct odd##n first;                                                                                               \
    char between = (char)note(seed + 1);                                                                               \
    struct odd##n second;                                                                                              \
    char after = (char)note(seed + 2);                                                                                 \
    memset(&first, seed, sizeof first);                                                                                \
    for (int i = 0; i < n; i++) {                                                                                      \
      second = pass##n(first, i);                                                                                      \
      struct odd##n both[2] = {change##n(second, i), change##n(first, n - 1 - i)};                                     \
      note(before + between + after);                                                                                  \
      first = both[i & 1];                                                                                             \
    }                                                                                                                  \
    int sum = 0;                                                                                                       \
    for (int i = 0; i < n; i++)                                                                                        \
      sum = sum * 3 + first.bytes[i] + second.bytes[i];                                                                \
    return sum + before + between + after;                                                                             \
  }

#define SIZES(X) X(1) X(3) X(5) X(6) X(7) X(9) X(11) X(13) X(15) X(17) X(19) X(21) X(22) X(23) X(25) X(29) X(31)
SIZES(OF_SIZE)

int main(void) {
#define PRINT(n) printf(#n ": %d\n", use##n(n));
  SIZES(PRINT)
  printf("%u\n", trace);
}
