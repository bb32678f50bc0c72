/* Functions that take and return vectors for which the processor has no single register. */
#include <stdio.h>
#include <unistd.h>

#define VECTOR(NAME, ELEMENT, N)                                                                                       \
  typedef ELEMENT NAME __attribute__((ext_vector_type(N)));                                                            \
  NAME NAME##_sum(NAME a, NAME b, int depth) {                                                                         \
    if (depth == 0)                                                                                                    \
      return a;                                                                                                        \
    usleep(1);                                                                                                         \
    NAME more = NAME##_sum(a + b, b, depth - 1);                                                                       \
    return more + a;                                                                                                   \
  }                                                                                                                    \
  NAME (*volatile NAME##_pointer)(NAME, NAME, int) = NAME##_sum;                                                       \
  static void NAME##_try(void) {                                                                                       \
    NAME a = (NAME)(ELEMENT)1, b = (NAME)(ELEMENT)2;                                                                   \
    for (int i = 0; i < N; i++)                                                                                        \
      b[i] += (ELEMENT)i;                                                                                              \
    a = NAME##_pointer(a, b, 3);                                                                                       \
    printf("%s:", #NAME);                                                                                              \
    for (int i = 0; i < N; i++)                                                                                        \
      printf(" %g", (double)a[i]);                                                                                     \
    puts("");                                                                                                          \
  }

#define ALL(DO)                                                                                                        \
  DO(chars5, signed char, 5)                                                                                           \
  DO(chars17, signed char, 17)                                                                                         \
  DO(chars63, signed char, 63)                                                                                         \
  DO(shorts9, short, 9)                                                                                                \
  DO(ints3, int, 3)                                                                                                    \
  DO(ints7, int, 7)                                                                                                    \
  DO(ints16, int, 16)                                                                                                  \
  DO(longs3, long, 3)                                                                                                  \
  DO(longs7, long, 7)                                                                                                  \
  DO(floats7, float, 7)                                                                                                \
  DO(doubles5, double, 5)                                                                                              \
  DO(doubles16, double, 16)                                                                                            \
  DO(words2, __int128, 2)                                                                                              \
  DO(words3, __int128, 3)

ALL(VECTOR)

#define TRY(NAME, ELEMENT, N) NAME##_try();

int main(void) {
  ALL(TRY)
  return 0;
}
