/* getcontext, makecontext and swapcontext in the program itself. */
// skip: address (its fake stack does not follow swapcontext)
#include <stdio.h>
#include <ucontext.h>
#define NI __attribute__((noinline))
static ucontext_t main_, a, b;
static char sa[65536], sb[65536];
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
static void ping(int n, int m) {
  for (int i = 0; i < n; i++) {
    t(i + m);
    swapcontext(&a, &b);
  }
}
static void pong(void) {
  for (;;) {
    t(100);
    swapcontext(&b, &a);
  }
}
NI static int again(void) {
  volatile int n = 0;
  ucontext_t c;
  getcontext(&c);
  n = n + 1;
  if (t(n) < 4)
    setcontext(&c);
  return n;
}
int main(void) {
  getcontext(&a);
  a.uc_stack.ss_sp = sa;
  a.uc_stack.ss_size = sizeof sa;
  a.uc_link = &main_;
  makecontext(&a, (void (*)(void))ping, 2, t(5), 7);
  getcontext(&b);
  b.uc_stack.ss_sp = sb;
  b.uc_stack.ss_size = sizeof sb;
  makecontext(&b, pong, 0);
  swapcontext(&main_, &a);
  printf("%u\n%d\n", e, again());
}
