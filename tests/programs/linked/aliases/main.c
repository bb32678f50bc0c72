#include <stdio.h>
struct large {
  long a[5];
};
int original(int), strong(int), weak(int), replaced(int), of_static(int), sum2(int, ...), sum3(int, ...);
int (*by_alias(void))(int);
struct large make2(struct large);
int main(void) {
  int (*pointers[])(int) = {original, strong, weak, replaced, of_static, by_alias()};
  for (int i = 0; i < 6; i++)
    printf("%d\n", pointers[i](i));
  printf("%d %d %d %d %d\n", original(1), strong(2), weak(3), replaced(4), of_static(5));
  struct large l = {{1, 2, 3, 4, 5}};
  printf("%ld\n", make2(l).a[0]);
  printf("%d %d\n", sum2(3, 1, 2, 3), sum3(2, 10, 20));
}
