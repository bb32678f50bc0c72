#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
struct b {
  long v[5];
};
int foreign(int (*)(int, void *), int, void *), foreign_v(int (*)(int, ...), int);
double foreign_d(double (*)(double, int), double);
struct b foreign_b(struct b (*)(struct b, int), struct b);
extern int (*foreign_keep)(int, void *);
static unsigned e;
static jmp_buf out;
__attribute__((noinline)) static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
static int leaf(int x, void *p) { return t(x) + *(int *)p; }
static int nest(int x, void *p) {
  int here = x + *(int *)p;
  return x < 3 ? foreign(leaf, t(x) + 1, &here) : foreign(nest, t(2), &here) % 7;
}
static int jump(int x, void *p) {
  if (t(x) == 4)
    longjmp(*(jmp_buf *)p, 9);
  return x;
}
static double d(double x, int k) {
  t(k);
  return x * k;
}
static struct b bb(struct b x, int k) {
  x.v[t(k)] += k;
  return x;
}
static int va(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int s = 0;
  while (n--)
    s = s * 3 + t(va_arg(ap, int));
  va_end(ap);
  return s;
}
int main(void) {
  int ctx = 5;
  volatile int r = 0;
  printf("%d %d\n", foreign(leaf, 9, &ctx), foreign(nest, 5, &ctx));
  if (setjmp(out) == 0)
    r = foreign(jump, 10, &out);
  else
    r = -1;
  struct b x = foreign_b(bb, (struct b){{1, 2, 3}});
  foreign_keep = nest;
  printf("%d %g %ld %ld %d %d\n%u\n", r, foreign_d(d, 1.5), x.v[1], x.v[2], foreign_v(va, 4), foreign_keep(4, &ctx), e);
}
