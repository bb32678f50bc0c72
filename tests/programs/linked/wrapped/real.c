#include <stdarg.h>
static unsigned trace;
__attribute__((noinline)) static int step(int x) {
  trace = trace * 31 + (unsigned)x;
  return x;
}
int first(int x) { return step(x) + 100; }
int second(int x) { return step(x) + 200; }
int foreign(int x) { return step(x) + 300; }
int untouched(int x) { return step(x) + 400; }
int dots(int count, ...) {
  va_list list;
  va_start(list, count);
  int sum = 0;
  while (count--)
    sum += step(va_arg(list, int));
  va_end(list);
  return sum;
}
