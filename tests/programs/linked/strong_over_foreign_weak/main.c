#include <stdio.h>
int hook(int), only_weak(int), through(int);
int (*get(void))(int);
int main(void) {
  int (*volatile p)(int) = hook;
  printf("%d %d %d %d %d\n", hook(1), p(2), through(3), only_weak(4), get()(5));
}
