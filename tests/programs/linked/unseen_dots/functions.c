#include <stdarg.h>
#include <stdio.h>
static int show(int x) {
  printf("%d ", x);
  return x;
}
#ifdef SHARED
#define sum shared_sum
#define product shared_product
#endif
int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count--)
    total += show(va_arg(list, int));
  va_end(list);
  return total;
}
int product(int a, int b) { return show(a) * show(b); }
#ifndef SHARED
int sum_by_another_name(int count, ...) __attribute__((alias("sum")));
int letters(const char *text, ...) {
  va_list list;
  va_start(list, text);
  int total = 0;
  while (*text)
    total += *text++ * show(va_arg(list, int));
  va_end(list);
  return total;
}
int mixed(int first, ...) {
  va_list list;
  va_start(list, first);
  double number = va_arg(list, double);
  const char *text = va_arg(list, const char *);
  va_end(list);
  printf("%g %s ", number, text);
  return show(first) + (int)(number * 2);
}
#endif
