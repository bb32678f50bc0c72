#include "lib.h"
#include <stdio.h>
static unsigned e;
__attribute__((noinline)) static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
static int square(int x) { return t(x) * x; }
static int back_to_ours(int x) { return ours_deep(square, 2) + t(x); }
static int back_to_theirs(int x) { return theirs_deep(back_to_ours, 3) + t(x); }
int ours_overridden(int x) {
  return t(x) + 5000;
} /* the executable's own definition takes its place, in the library too */
int main(void) {
  int a[] = {1, 2, 3, 4};
  printf("%d %d %d %d\n", ours_map(square, a, 4), theirs_map(square, a, 2), ours_map(theirs_add, a, 3),
         theirs_map(ours_add, a, 3));
  printf("%d %d %d %d %d %d\n", ours_pick(1)(2), ours_pick(2)(2), theirs_pick(1)(2), theirs_pick(2)(2),
         ours_pick(3) == ours_add, theirs_pick(3) == theirs_add);
  struct pair p = ours_pair(3), q = theirs_pair(4);
  struct big b = {{1, 2, 3, 4}};
  b = theirs_big(ours_big(b));
  printf("%ld %ld %d %d\n", p.a + p.b, q.a + q.b, b.v[3], b.v[1]);
  printf("%d %d\n", ours_overridden(1), ours_calls_overridden(2));
  printf("%d %d %d\n", back_to_theirs(1), ours_deep(back_to_theirs, 4), theirs_deep(ours_add, 3));
  ours_variable += t(1);
  printf("%d %d %u\n", ours_variable, theirs_variable, e);
}
