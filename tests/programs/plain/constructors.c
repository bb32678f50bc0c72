/* Constructors and destructors with priorities, calling functions that can suspend; atexit beside them. */
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static int state, list[20], used;
NI static int t(int x) {
  list[used++] = x;
  return x;
}
__attribute__((constructor(201))) static void first(void) { state = t(1); }
__attribute__((constructor)) static void third(void) {
  for (int i = 0; i < 3; i++)
    state += t(i) * 10;
}
__attribute__((constructor(202))) static void second(void) { state = state * 5 + t(2); }
__attribute__((destructor(300))) static void dlast(void) { printf("destructor 300 %d\n", t(3)); }
__attribute__((destructor)) static void dfirst(void) { printf("destructor %d %d\n", t(4), state); }
static void a1(void) { printf("atexit 1 %d\n", t(5)); }
static void a2(void) {
  printf("atexit 2 %d\n", t(6));
  atexit(a1);
}
int main(void) {
  printf("main %d %d\n", state, used);
  atexit(a1);
  atexit(a2);
  for (int i = 0; i < used; i++)
    printf("%d ", list[i]);
  printf("\n");
  return t(3) + 4;
}
