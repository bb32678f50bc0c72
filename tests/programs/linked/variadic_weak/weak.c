#include <stdarg.h>
#include <stdio.h>
static int show(int x) {
  printf("%d ", x);
  return x;
}
#define SUM(name)                                                                                                      \
  int name(int count, ...) {                                                                                           \
    va_list list;                                                                                                      \
    va_start(list, count);                                                                                             \
    int total = 0;                                                                                                     \
    while (count--)                                                                                                    \
      total += show(va_arg(list, int));                                                                                \
    va_end(list);                                                                                                      \
    return total;                                                                                                      \
  }
__attribute__((weak)) SUM(replaced);
__attribute__((weak)) SUM(kept);
__attribute__((weak)) SUM(without_dots);
SUM(strong);
int by_alias(int, ...) __attribute__((weak, alias("strong")));
int called_there(int i) { return replaced(2, i, 3) + kept(1, i) + by_alias(1, i) + without_dots(i, 9); }
