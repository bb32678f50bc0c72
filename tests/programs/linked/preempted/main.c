#include <stdio.h>
int hook(int), not_replaced(int), library_calls(int), (*library_hook(void))(int);
int main(void) {
  printf("%d %d %d %d %d\n", hook(1), library_calls(2), not_replaced(3), library_hook()(4), library_hook() == hook);
}
