#include <charcoal.h>
#include <stdio.h>
static int atomic(int x) { return x + 1; }
static int yield(void) { return 4; }
int f(void) { int k = atomic(3); atomic(4); return k + yield() + (atomic (5)); }
int main(void) { printf("%d\n", f()); }
