#include <stdio.h>
int hook(int), other_hook(int), through_weak(int), only_weak(int);
int (*address_from_weak(void))(int);
int main(void) {
  int (*volatile p)(int) = hook;
  printf("%d %d %d\n", hook(1), p(2), through_weak(3));
  printf("%d %d %d\n", other_hook(4), only_weak(5), address_from_weak() == hook);
  printf("%d\n", address_from_weak()(6));
}
