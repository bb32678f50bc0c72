#include <stdarg.h>
#include <stdio.h>
int __real_first(int), __real_puts(const char *), __real_dots(int, ...);
int __wrap_first(int x) { return 1000 + __real_first(x); }
int __wrap_second(int x) { return printf("second\n"), x + 2000; }
int __wrap_puts(const char *text) { return printf("puts "), __real_puts(text); }
int __wrap_dots(int count, ...) {
  va_list list;
  va_start(list, count);
  int first = va_arg(list, int);
  va_end(list);
  return 4000 + __real_dots(3, first, count, 500);
}
