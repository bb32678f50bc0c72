/* Weak, alias and ifunc symbols; addresses compared; undefined weak functions. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
__attribute__((weak)) int weak_defined(int x) { return t(x) + 1; }
extern int weak_missing(int) __attribute__((weak));
NI int original(int x) { return t(x) * 2; }
int alias_(int) __attribute__((alias("original")));
int weak_alias(int) __attribute__((weak, alias("original")));
NI static int fast(int x) { return t(x) + 100; }
NI static int slow(int x) { return t(x) + 200; }
static int (*choose(void))(int) { return fast; }
int selected(int) __attribute__((ifunc("choose")));
NI static int static_target(int x) { return t(x) - 1; }
static int static_alias(int) __attribute__((alias("static_target")));
int variable = 5;
extern int variable_alias __attribute__((alias("variable")));
typedef int (*fn)(int);
NI static int call(fn f, int x) { return f(x); }
static fn table[] = {t, original, alias_, weak_alias, weak_defined, selected, static_alias, slow, 0};
int main(void) {
  printf("%d %d %d %d %d %d\n", weak_defined(1), original(2), alias_(3), weak_alias(4), selected(5), static_alias(6));
  fn volatile o = original, al = alias_, w = weak_alias;
  printf("%d %d %d %d\n", table[1] == o, al == o, w == table[3], table[2] == al);
  printf("%d %d\n", weak_missing == 0, weak_missing ? weak_missing(1) : -1);
  for (int i = 0; table[i]; i++)
    printf("%d ", call(table[i], i));
  fn volatile f = original, g = alias_;
  printf("%d %d\n", f == g, f == t);
  variable_alias += t(3);
  printf("%d\n%u\n", variable, e);
}
