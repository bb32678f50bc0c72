#include <stdio.h>
static int calls;
int original(int x) {
  calls += x;
  for (int i = 0; i < x; i++)
    printf("%d ", calls);
  puts("original");
  return x + calls;
}
extern int strong(int) __attribute__((alias("original")));
extern int weak(int) __attribute__((weak, alias("original")));
extern int replaced(int) __attribute__((weak, alias("original")));
static int hidden(int x) {
  printf("hidden %d\n", x);
  return x * 2;
}
extern int of_static(int) __attribute__((alias("hidden")));
int (*by_alias(void))(int) { return of_static; }
struct large {
  long a[5];
};
struct large make(struct large by_value) {
  printf("%ld\n", by_value.a[4]);
  by_value.a[0] += by_value.a[4];
  return by_value;
}
extern struct large make2(struct large) __attribute__((weak, alias("make")));
int sum(int n, ...) {
  __builtin_va_list ap;
  __builtin_va_start(ap, n);
  int s = 0;
  while (n--)
    printf("%d ", s += __builtin_va_arg(ap, int));
  __builtin_va_end(ap);
  puts("");
  return s;
}
extern int sum2(int, ...) __attribute__((weak, alias("sum")));
extern int sum3(int, ...) __attribute__((alias("sum")));
__attribute__((weak)) int main(void) {
  puts("the weak main");
  return 1;
}
