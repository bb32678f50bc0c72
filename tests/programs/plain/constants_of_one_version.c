/* Static functions called directly with one constant and one use of the result, and through pointers with others:
 * interprocedural constants must not leak. */
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
struct s {
  int a, b;
};
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int always_one_two(int x, int y) { return t(x) + y; }
NI static int result_unused(int x) {
  t(x);
  return x * 5;
}
NI static int unused_argument(int a, int b, int c) {
  t(a);
  return c;
}
NI static int by_pointer(const int *p) { return t(*p) + 1; }
NI static int constant_result(int x) {
  t(x);
  return 7;
}
NI static int *same_pointer(int *p) {
  t(1);
  return p;
}
NI static void only_fields(struct s *p) { t(p->a); }
NI static int cmp(const void *a, const void *b) { return t(*(const int *)a) - *(const int *)b; }
int main(void) {
  always_one_two(1, 2);
  always_one_two(1, 2);
  result_unused(3);
  int s = unused_argument(1, 2, 3) + unused_argument(4, 2, 3), v = 9, w = 10;
  s += by_pointer(&v) + constant_result(s) + *same_pointer(&v);
  struct s x = {5, 6};
  only_fields(&x);
  int (*volatile a)(int, int) = always_one_two;
  int (*volatile b)(int) = result_unused;
  int (*volatile c)(int, int, int) = unused_argument;
  int (*volatile d)(const int *) = by_pointer;
  int *(*volatile f)(int *) = same_pointer;
  void (*volatile g)(struct s *) = only_fields;
  int (*volatile h)(int) = constant_result;
  x.b = 8;
  g(&x);
  printf("%d %d %d %d %d %d %d\n", s, a(4, 5), b(6), c(7, 8, 9), d(&w), *f(&w), h(3));
  int arr[] = {3, 1, 2};
  cmp(arr, arr + 1);
  qsort(arr, 3, sizeof *arr, cmp);
  int (*volatile k)(const void *, const void *) = cmp;
  printf("%d %d %d %d\n%u\n", arr[0], arr[1], arr[2], k(arr + 2, arr), e);
}
