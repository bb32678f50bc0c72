#include <charcoal.h>
int n;
void f(void) {
  assert_no_yield n++;
  assert_no_yield;
  if (n) goto inside;
  assert_no_yield { inside: n++; }
  assert_no_yield(n == 1);
}
