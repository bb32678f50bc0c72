/* Globals that change across calls, restrict, const and pure functions, hoisting and dead-store traps. */
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
int g = 1;
static int s = 2, *gp = &g;
static struct {
  int a, b[4];
} st;
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  g += x;
  s ^= x;
  st.b[x & 3] += x;
  return x;
}
NI static int reload(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    r += g * 3 + s;
    t(i);
    r ^= g + s;
    *gp = r & 7;
  }
  return r;
}
NI static void copy(int *restrict a, const int *restrict b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + t(i);
}
__attribute__((pure)) NI static int length(const char *p) {
  int n = 0;
  while (*p++)
    n++;
  return n;
}
__attribute__((const)) NI static int square(int x) { return x * x; }
NI static int uses_pure(char *p) {
  int r = 0;
  for (int i = 0; i < length(p); i++) {
    r += square(length(p));
    if (t(i) == 3)
      p[length(p) - 1] = 0;
  }
  return r;
}
NI static int dead_stores(int n) {
  int a = 1;
  int *p = &a;
  a = 2;
  if (n > 5) {
    a = 3;
    t(n);
    return *p;
  }
  a = t(4);
  a += g;
  g = 5;
  t(1);
  g = 6;
  return a + g;
}
NI static int conditional_global(int k) {
  int old = g;
  g = k;
  int r = t(k);
  if (g != k)
    r += 1000;
  g = old;
  return r + st.b[k & 3];
}
NI static int heap(int n) {
  int *p = malloc(sizeof *p * (size_t)n), r = 0;
  for (int i = 0; i < n; i++)
    p[i] = t(i);
  for (int i = 0; i < n; i++)
    r = r * 3 + p[i];
  free(p);
  return r;
}
NI static int constant_array(int i) {
  static const int tab[] = {3, 1, 4, 1, 5, 9};
  int loc[] = {2, 7, 1, 8, 2, 8};
  t(i);
  return tab[i] * 10 + loc[5 - i];
}
int main(void) {
  printf("%d %d %d\n", reload(20), g, s);
  int a[8], b[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  copy(a, b, 8);
  for (int i = 0; i < 8; i++)
    printf("%d ", a[i]);
  char p[] = "pure string";
  printf("%d %s\n", uses_pure(p), p);
  printf("%d %d %d %d %d %d\n%u\n", dead_stores(3), dead_stores(9), conditional_global(2), conditional_global(7),
         heap(9), constant_array(2), e);
}
