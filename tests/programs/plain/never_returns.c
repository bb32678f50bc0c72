/* Locals whose addresses are in use in functions that never return: main that exits, endless loops left by longjmp,
 * abort-guarded paths. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static unsigned e;
static jmp_buf out;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct pair {
  int a, b;
};
NI static void set(struct pair *p, int k) {
  t(k);
  p->a = k;
  t(k + 1);
  p->b = p->a + 1;
  t(p->b);
}
NI static _Noreturn void endless(int n) {
  struct pair p = {0, 0};
  int rounds = 0;
  for (;;) {
    set(&p, n + rounds);
    int *q = &rounds;
    *q += t(1);
    if (p.b - p.a != 1 || p.a != n + rounds - 1) {
      printf("wrong %d %d\n", p.a, p.b);
      exit(2);
    }
    if (rounds == 5)
      longjmp(out, p.b);
  }
}
NI static int guarded(int n) {
  struct pair p;
  set(&p, n);
  if (p.a != n)
    abort();
  if (n > 3) {
    int arr[4];
    struct pair q;
    set(&q, t(n));
    arr[n & 3] = q.a;
    int *r = arr;
    t(*(r + (n & 3)));
    if (r[n & 3] == 9) {
      printf("%d\n", q.b);
      longjmp(out, 33);
    }
    return r[n & 3];
  }
  return p.b;
}
NI static _Noreturn void finish(struct pair *up) {
  struct pair mine;
  set(&mine, up->a);
  up->b += mine.b;
  printf("%d %d %u\n", mine.b, up->b, e);
  exit(up->b & 63);
}
int main(void) {
  volatile int r = setjmp(out);
  if (r == 0)
    endless(3);
  if (r != 33) {
    printf("%d %d %d\n", r, guarded(1), guarded(5));
    guarded(9);
  }
  printf("%d\n", r);
  struct pair p;
  set(&p, 40);
  finish(&p);
}
