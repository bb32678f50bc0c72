#include <charcoal.h>
#include <stdio.h>
static int yield, atomic;
int (*activate)(int);
static int id(int x) { return x + atomic; }
static int *arr[2];
int call(void) { activate = id; yield; activate(3); (activate)(4); atomic *= 2; atomic = 5; return activate(yield) + atomic; }
static int two(void) { int (*activate[2])(int) = {id, id}; activate[1](5); return activate[0](1); }
int main(void) { printf("%d %d\n", call(), two()); }
