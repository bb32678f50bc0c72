/* Calls through pointers of another type than the function's, as old programs make them; undefined in C, working on
 * every common machine. */
// skip: undefined (this is what the sanitizer's function check is for)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int returns_int(int x) { return t(x) + 1; }
NI static void returns_void(int x) { t(x); }
NI static long returns_long(long a, long b) { return t((int)a) * b; }
NI static char *returns_pointer(char *p, int k) {
  t(k);
  return p + k;
}
NI static unsigned char returns_byte(int x) { return (unsigned char)t(x); }
NI static int fewer(int a) { return t(a) * 2; }
struct s {
  int a, b;
};
NI static int by_struct_pointer(struct s *p) {
  t(p->a);
  return p->a * p->b;
}
NI static int compare_ints(const int *a, const int *b) {
  t(*a);
  return (*a > *b) - (*a < *b);
}
NI static void free_like(struct s *p) {
  t(p->b);
  p->a = -1;
}
NI static double no_arguments(void) {
  t(3);
  return 2.5;
}
typedef void (*vfn)(int);
typedef int (*cmp)(const void *, const void *);
typedef int (*two)(int, int);
typedef int (*gen)(void *);
NI static void each(void *p, int n, void (*f)(void *)) {
  for (int i = 0; i < n; i++)
    f((struct s *)p + i);
}
int main(void) {
  ((vfn)returns_int)(t(1));
  void (*volatile v)(int) = (vfn)returns_int;
  v(2);
  v = returns_void;
  v(3);
  int (*volatile i)(int) = returns_int;
  printf("%d\n", i(4));
  unsigned long (*volatile u)(long, unsigned long) = (unsigned long (*)(long, unsigned long))returns_long;
  printf("%lu\n", u(3, 1000000007));
  void *(*volatile p)(void *, int) = (void *(*)(void *, int))returns_pointer;
  printf("%s\n", (char *)p("abcdef", 2));
  two volatile w = (two)fewer;
  printf("%d\n", w(5, 6));
  gen volatile g = (gen)by_struct_pointer;
  struct s s[3] = {{1, 2}, {3, 4}, {5, 6}};
  printf("%d\n", g(&s[1]));
  each(s, 3, (void (*)(void *))free_like);
  printf("%d %d\n", s[0].a, s[2].a);
  int a[] = {3, 1, 2, 9, 5};
  qsort(a, 5, sizeof *a, (cmp)compare_ints);
  printf("%d %d %d %d %d\n", a[0], a[1], a[2], a[3], a[4]);
  double (*volatile d)() = (double (*)())no_arguments;
  printf("%g\n", d());
  int (*volatile b)(int) = (int (*)(int))returns_byte;
  printf("%d\n", b(7) & 255);
  int (*volatile unproto)() = (int (*)())returns_int;
  printf("%d\n%u\n", unproto(8), e);
}
