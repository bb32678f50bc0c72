#include <stdio.h>
int a(int), b(int), c(int);
int main(void) {
  int x = a(1), y = b(2), z = c(3);
  int (*volatile p)(int) = b;
  printf("%d %d %d %d\n", x, y, z, p(4));
}
