/* Definitions in the style of before 1989, and calls without prototypes. */
// flags: -std=c89 -Wno-everything
#include <stdio.h>
static unsigned e;
int t(x)
int x;
{
  e = e * 31 + (unsigned)x;
  return x;
}
int add(a, b, c)
int a;
char b;
short c;
{
  return t(a) + b * t(c);
}
double scale(f, d, n)
float f;
double d;
int n;
{
  double r = 0;
  while (n-- > 0)
    r += f * d + t(n);
  return r;
}
long later();
static char *pick(words, i)
char **words;
int i;
{
  return words[t(i)];
}
int implicit(x)
int x;
{
  return t(x) + 5;
}
int (*table[])() = {t, add, implicit};
int main() {
  static char *w[] = {"zero", "one", "two"};
  printf("%d %g %ld %s %d\n", add(1, 2, 3), scale(1.5, 2.0, 4), later(5L, 6), pick(w, 2), implicit(4));
  printf("%d %d %d\n%u\n", (*table[0])(1), (*table[1])(1, 2, 3), table[2](9), e);
  return 0;
}
long later(a, b)
long a;
int b;
{
  return a * t(b);
}
