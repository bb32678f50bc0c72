/* Functions that never return: exit from the depth, noreturn inferred and declared, infinite loops left by longjmp. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static jmp_buf b;
static int n;
NI static int t(int x) {
  n += x;
  return x;
}
NI static _Noreturn void fail(int c) {
  printf("fail %d\n", t(c));
  longjmp(b, c);
}
NI static void inferred(int c) {
  t(c);
  if (c & 1)
    fail(c);
  for (;;) {
    if (t(1) && n > 100)
      longjmp(b, n);
  }
}
NI static int mustnot(int c) {
  switch (c) {
  case 0:
    return t(1);
  case 1:
    fail(1);
  default:
    fail(t(c));
  }
}
NI static _Noreturn void leave(int d) {
  if (d == 0) {
    printf("leaving %d\n", t(n));
    exit(43);
  }
  leave(d - 1);
}
static void last(void) { printf("last %d\n", t(1)); }
NI static void either(int d) {
  if (t(d) > 3)
    leave(d);
  printf("either %d\n", d);
}
int main(void) {
  atexit(last);
  int r;
  if ((r = setjmp(b)) == 0)
    inferred(1);
  printf("%d\n", r);
  if ((r = setjmp(b)) == 0)
    inferred(2);
  printf("%d\n", r);
  if ((r = setjmp(b)) == 0)
    printf("%d\n", mustnot(0));
  if ((r = setjmp(b)) == 0)
    mustnot(1);
  printf("%d\n", r);
  if ((r = setjmp(b)) == 0)
    mustnot(7);
  printf("%d\n", r);
  either(2);
  either(5);
  printf("not reached\n");
}
