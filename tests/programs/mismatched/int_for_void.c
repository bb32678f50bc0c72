/* A void function called as one that returns int (result unused), and tables that mix both: as dispatch tables of old
 * programs do. */
// skip: undefined (this is what the sanitizer's function check is for)
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static void a(int x) { t(x); }
NI static int b(int x) { return t(x) * 3; }
NI static void *c(int x) {
  t(x);
  return &e;
}
NI static double d(int x) { return t(x) * 0.5; }
struct big {
  long v[6];
};
NI static void leafless(int x) {
  for (int i = 0; i < x; i++)
    a(i);
}
NI static long long f(int x, ...) { return t(x); }
NI static float _Complex g(int x) { return (float)t(x); }
NI static _Bool h(int x) { return t(x) & 1; }
NI static __int128 w(int x) { return (__int128)t(x) << 70; }
NI static long double ld(int x) { return t(x); }
typedef int (*generic)(int);
static const generic table[] = {(generic)a,        b,          (generic)c, (generic)d,
                                (generic)leafless, (generic)g, (generic)h, (generic)w};
int main(void) {
  for (int k = 0; k < 3; k++)
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
      table[i]((int)i + k);
  int (*volatile p)(int) = (generic)h;
  printf("%d\n", p(3) & 255);
  void (*volatile q)(int) = (void (*)(int))w;
  q(5);
  q = (void (*)(int))d;
  q(6);
  q = (void (*)(int))g;
  q(7);
  ((int (*)(int))a)(9);
  int (*volatile n)(int) = (generic)f;
  printf("%d\n%u\n", n(4), e);
}
