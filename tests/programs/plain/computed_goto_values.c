/* Label values: differences in tables, labels kept in locals and structures across calls, compared. */
#include <stdio.h>
static unsigned h;
__attribute__((noinline)) static int t(int x) {
  h = h * 29 + (unsigned)x;
  return x;
}
__attribute__((noinline)) static int differences(const unsigned char *p) {
  static const int offset[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero, &&stop - &&zero};
  int acc = 1;
  goto *(&&zero + offset[*p]);
zero:
  acc += t(acc);
  goto *(&&zero + offset[*++p]);
one:
  acc *= t(3);
  goto *(&&zero + offset[*++p]);
two:
  acc -= t(acc / 2);
  goto *(&&zero + offset[*++p]);
stop:
  return acc;
}
__attribute__((noinline)) static int kept(int n) {
  void *back = &&first, *there;
  int r = 0;
first:
  r += t(1);
  there = n & 1 ? &&odd : &&even;
  t(r);
  goto *there;
odd:
  r += t(10);
  back = &&last;
  if (--n > 0)
    goto first;
  goto *back;
even:
  r += t(100);
  if (--n > 0)
    goto *back;
last:
  return r;
}
struct co {
  void *where;
  int i, sum;
};
__attribute__((noinline)) static int coroutine(struct co *c) {
  if (c->where)
    goto * c->where;
  for (c->i = 0; c->i < 5; c->i++) {
    c->sum += t(c->i);
    c->where = &&resume_a;
    return 1;
  resume_a:
    c->sum += t(c->sum) % 3;
    c->where = &&resume_b;
    return 2;
  resume_b:;
  }
  c->where = 0;
  return 0;
}
int main(void) {
  unsigned char prog[] = {0, 1, 2, 0, 1, 1, 2, 3};
  printf("%d\n", differences(prog));
  for (int n = 1; n < 6; n++)
    printf("%d ", kept(n));
  struct co c = {0};
  int steps = 0, s = 0, r;
  while ((r = coroutine(&c)))
    steps++, s = s * 2 + r;
  printf("\n%d %d %d %u\n", steps, s, c.sum, h);
}
