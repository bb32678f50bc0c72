/* The cleanup attribute: order, values, every way out of a scope, nested, in loops. */
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static void out(int *p) {
  printf("~%d ", t(*p));
  *p = -1;
}
NI static void release(char **p) {
  printf("free %s ", *p);
  free(*p);
}
#define C __attribute__((cleanup(out))) int
NI static char *copy(const char *s) {
  char *r = malloc(20);
  snprintf(r, 20, "%s", s);
  t(1);
  return r;
}
NI static int returns(int n) {
  C a = t(1);
  if (n == 0)
    return a + 10;
  C b = t(2);
  if (n == 1)
    return t(a) + t(b);
  {
    C c = t(3);
    if (n == 2)
      return c;
  }
  return t(99);
}
NI static int loops(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    C a = i * 10;
    if (t(i) == 1)
      continue;
    C b = a + 1;
    if (t(i) == 3)
      break;
    s += b;
  }
  return s;
}
NI static int gotos(int n) {
  int k = 0;
again: {
  C a = 100 + k;
  if (++k < t(n))
    goto again;
  C b = 200 + k;
  if (t(k) == n)
    goto done;
}
  return -1;
done:
  return k;
}
NI static int switches(int n) {
  switch (n) {
  case 1: {
    C a = t(1);
    break;
  }
  case 2: {
    C b = t(2);
    return b;
  }
  default:;
  }
  return t(n);
}
NI static int strings(void) {
  __attribute__((cleanup(release))) char *a = copy("one");
  __attribute__((cleanup(release))) char *b = copy("two");
  return a[0] * 256 + b[0];
}
NI static int expr(void) {
  return ({
           C a = t(5);
           t(a) + 1;
         }) +
         ({
           C b = t(6);
           b;
         });
}
NI static int vla(int n) {
  int s = 0;
  for (int i = 1; i < n; i++) {
    C g = i;
    int a[i];
    a[i - 1] = t(i);
    s += a[i - 1];
    if (s > 5)
      return s;
  }
  return -s;
}
int main(void) {
  for (int i = 0; i < 4; i++)
    printf("= %d\n", returns(i));
  printf("= %d\n", loops(6));
  printf("= %d\n", gotos(3));
  printf("= %d %d %d\n", switches(1), switches(2), switches(3));
  printf("= %d\n", strings());
  printf("= %d\n", expr());
  printf("= %d\n%u\n", vla(6), e);
}
