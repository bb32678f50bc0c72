/* Pointers to functions of the C library, in tables beside the program's own, through casts, variadic, and builtins as
 * arguments. */
// flags: -lm
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static double half(double x) {
  t(1);
  return x / 2;
}
NI static size_t count(const char *s) {
  size_t n = 0;
  while (s[n])
    n += (size_t)t(1);
  return n;
}
NI static int rot13(int c) {
  t(c);
  return isalpha(c) ? (tolower(c) - 'a' + 13) % 26 + 'a' : c;
}
static double (*const real[])(double) = {sin, half, sqrt, floor};
static size_t (*const lengths[])(const char *) = {strlen, count};
static int (*const chars[])(int) = {toupper, rot13, tolower, isdigit};
static void *(*const alloc[])(size_t) = {malloc};
static int (*const say[])(const char *, ...) = {printf};
static int (*const fmt)(char *, size_t, const char *, ...) = snprintf;
struct ops {
  void *(*get)(size_t);
  void (*put)(void *);
  int (*cmp)(const char *, const char *);
};
NI static int apply(char *s, int (*f)(int)) {
  int n = 0;
  for (; *s; s++, n++)
    *s = (char)f((unsigned char)*s);
  return n;
}
NI static int by_string(const void *a, const void *b) {
  t(1);
  return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(void) {
  double r = 0;
  for (int i = 0; i < 4; i++)
    r = r * 3 + real[i](2.25 + t(i));
  char s[] = "Hello, World 42", u[40];
  int n = 0;
  for (int i = 0; i < 3; i++)
    n += apply(s, chars[i]);
  size_t z = lengths[t(0)](s) * 100 + lengths[t(1)](s);
  struct ops o = {malloc, free, strcmp};
  char *p = o.get((size_t)t(20));
  strcpy(p, s);
  int c = o.cmp(p, s);
  o.put(p);
  void *q = alloc[0](5);
  free(q);
  const char *w[] = {"pear", "apple", "fig"};
  qsort(w, 3, sizeof *w, by_string);
  void (*volatile sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;
  int v[] = {3, 2, 1};
  const char *w2[] = {"z", "y"};
  sort(w2, 2, sizeof *w2, by_string);
  int len = fmt(u, sizeof u, "%d-%s-%.2f", t(5), "x", half(3));
  say[t(0)]("%g %s %d %zu %d %s %s %s %s %d %s %d\n", r, s, n, z, c, w[0], w[1], w[2], w2[0], len, u, v[0]);
  memcpy(u, memset(s, t('a'), (size_t)t(3)), (size_t)t(4));
  printf("%.4s %d %d\n%u\n", u, __builtin_popcount((unsigned)t(255)), __builtin_add_overflow(t(2147483647), t(1), &n),
         e);
}
