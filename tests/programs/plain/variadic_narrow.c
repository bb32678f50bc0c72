/* Variable arguments that are written narrower than they are read: 0 for a null pointer, 1 for a long. On x86-64 this
 * works in plain C, for the registers' upper halves are zeros; whatever was passed before must not show through. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static __attribute__((noinline)) int count(const char *first, ...) {
  va_list list;
  int n = 0;
  va_start(list, first);
  for (const char *s = first; s; s = va_arg(list, const char *))
    n++;
  va_end(list);
  usleep(1);
  return n;
}

static __attribute__((noinline)) long weigh(int n, ...) {
  va_list list;
  long sum = 0;
  va_start(list, n);
  usleep(1);
  for (int i = 0; i < n; i++)
    sum += (i + 1) * va_arg(list, long);
  va_end(list);
  return sum;
}

static void option(int code, ...) {
  va_list list;
  va_start(list, code);
  printf("option %d is %ld\n", code, va_arg(list, long));
  va_end(list);
}

int main(int argc, char **argv) {
  printf("%d\n", count("a", "b", "c", "d", (char *)0));
  printf("%d\n", count("a", "b", "c", 0));
  printf("%d\n", count("a", 0));
  printf("%ld\n", weigh(4, -1L, -2L, -3L, -4L));
  printf("%ld\n", weigh(4, 1, 2, argc, (unsigned char)argc));
  printf("%ld\n", weigh(3, 7u, 'x', argc > 1));
  option(1, -1L);
  option(2, argc);
  option(3, 0);
  (void)argv;
  return 0;
}
