// clang passes an aligned struct of 16 bytes as two integers or numbers, which do not tell its alignment.
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

struct integers {
  _Alignas(16) long first;
  long second;
};
struct numbers {
  _Alignas(16) double first;
  double second;
};
struct mixed {
  _Alignas(16) double first;
  long second;
};
struct half {
  _Alignas(16) int first;
};

__attribute__((noinline)) static void show(int count, ...) {
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) {
    struct integers a = va_arg(list, struct integers);
    usleep(0);
    int between = va_arg(list, int);
    struct numbers b = va_arg(list, struct numbers);
    struct mixed c = va_arg(list, struct mixed);
    usleep(0);
    struct half d = va_arg(list, struct half);
    __int128 e = va_arg(list, __int128);
    long double f = va_arg(list, long double);
    printf("%ld %ld %d %g %g %g %ld %d %d %Lg\n", a.first, a.second, between, b.first, b.second, c.first, c.second,
           d.first, (int)e, f);
  }
  va_end(list);
}

__attribute__((noinline)) static int sum_of_aligned(double named, struct integers other, const char *text, ...) {
  va_list list;
  va_start(list, text);
  int sum = (int)named + (int)other.second;
  for (; *text; text++) {
    struct integers a = va_arg(list, struct integers);
    usleep(0);
    sum = sum * 3 + (int)a.first - (int)a.second + va_arg(list, int);
  }
  va_end(list);
  return sum;
}

int main(void) {
  struct integers a = {.first = 1, .second = 2};
  struct numbers b = {.first = 3, .second = 4};
  struct mixed c = {.first = 5, .second = 6};
  struct half d = {7};
  show(1, a, 8, b, c, d, (__int128)9, 10.0L);
  show(3, a, 8, b, c, d, (__int128)9, 10.0L, a, 11, b, c, d, (__int128)12, 13.0L, a, 14, b, c, d, (__int128)15, 16.0L);
  printf("%d\n", sum_of_aligned(1.5, a, "abc", a, 3, a, 4, a, 5));
  return 0;
}
