#include "common.h"
extern inline int thrice(int x);
__thread int per_thread = 3;
int table[] = {5, 6, 7};
static int helper(int x) { return thrice(x) + 1; }
int one(int x) { return twice(x) + helper(x) + calls_back(helper, 3) + fact(4); }
int (*address_of_twice_one(void))(int) { return twice; }
const struct item items[] = {{helper, "helper one"}, {thrice, "thrice"}, {one, "one"}, {two, "two"}, {0}};
