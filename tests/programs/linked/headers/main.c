#include "common.h"
#include <stdio.h>
static int helper(int x) { return count(x) * 1000; }
int main(void) {
  int a = one(1), b = two(2), c = calls_back(helper, 3), d = calls_back(twice, 2);
  printf("%d %d %d %d %d\n", a, b, c, d, per_thread);
  for (const struct item *i = items; i->f; i++)
    printf("%s %d\n", i->name, i->f(7));
  int (*volatile t)(int) = thrice;
  printf("%d %d\n", address_of_thrice() == t, address_of_twice_one()(5));
}
