#include <stdarg.h>
int replaced(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count--)
    total = total * 2 + va_arg(list, int);
  va_end(list);
  return total;
}
int by_alias(int count, ...) {
  va_list list;
  va_start(list, count);
  int first = va_arg(list, int);
  va_end(list);
  return 1000 * first + count;
}
