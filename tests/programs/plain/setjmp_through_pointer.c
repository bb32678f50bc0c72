/* setjmp through a pointer: C does not promise it, but it works where compilers know nothing of it. */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf b;
static void f(int n) {
  printf("f%d\n", n);
  if (n == 0)
    longjmp(b, 9);
  f(n - 1);
}
int main(void) {
  int (*volatile p)(jmp_buf) = _setjmp;
  int r;
  volatile int k = 0;
  if ((r = p(b)) == 0) {
    k = 5;
    f(3);
  }
  printf("%d %d\n", r, k);
  return 0;
}
