#include <stdio.h>
int first(int), second(int), foreign(int), untouched(int), dots(int, ...);
int main(void) {
  int (*volatile p)(int) = first;
  printf("%d %d %d\n", first(1), p(2), dots(2, 30, 4));
  printf("%d %d\n", second(3), untouched(4));
  printf("%d\n", foreign(5));
  puts("end");
  return 0;
}
