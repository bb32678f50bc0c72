/* setjmp, declared by the program and not as <setjmp.h> does it. */
#include <stdio.h>
long setjmp(void *);
void longjmp(void *, int) __attribute__((noreturn));
static long b[64];
static void f(int n) {
  printf("f%d\n", n);
  if (n == 0)
    longjmp(b, 7);
  f(n - 1);
}
int main(void) {
  volatile int k = 0;
  int r = (int)setjmp(b);
  if (r == 0) {
    k = 5;
    f(3);
  }
  printf("%d %d\n", r, k);
  return 0;
}
