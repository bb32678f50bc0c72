#include "common.h"
static int total;
int count(int x) {
  total += x;
  per_thread++;
  return x + total % 3;
}
static int helper(int x) { return twice(x) - table[x % 3]; }
int two(int x) { return helper(x) + calls_back(helper, 4) + calls_back(thrice, 2); }
int (*address_of_thrice(void))(int) { return thrice; }
