/* Locals that come to life before a call and are first written after it, several at once, in loops and branches. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static void fill(int *p, int n, int v) {
  for (int i = 0; i < n; i++)
    p[i] = v + i;
}
NI static int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 % 10007 + p[i];
  return s;
}
NI static int late(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    int a[8];
    t(i);
    fill(a, 8, i);
    {
      int b[8];
      t(i + 1);
      fill(b, 8, 100 + i);
      r += sum(b, 8);
    }
    {
      int c[8];
      t(2);
      fill(c, 8, 200);
      r = r * 3 % 10007 + sum(c, 8);
    }
    r += sum(a, 8);
  }
  return r;
}
NI static int branches(int n) {
  int r;
  {
    int a[16];
    t(1);
    if (n & 1) {
      fill(a, 16, n);
      r = sum(a, 16);
    } else {
      t(2);
      fill(a, 16, 3);
      r = t(a[3]);
    }
  }
  {
    int b[16], c[16];
    t(3);
    fill(b, 16, r);
    t(4);
    fill(c, 16, 7);
    r = r * 5 + sum(b, 16) - sum(c, 16);
  }
  return r;
}
NI static int volatiles(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    volatile int x;
    t(i);
    x = i;
    r += x;
    volatile char y[3];
    t(i);
    y[2] = (char)i;
    r += y[2];
    t(1);
  }
  return r;
}
struct s {
  int v[6];
};
NI static struct s mk(int k) {
  struct s r;
  t(k);
  fill(r.v, 6, k);
  return r;
}
NI static int temporaries(int n) { return sum(mk(n).v, 6) + sum(mk(t(n + 1)).v, 6) + mk(3).v[t(2)]; }
NI static int again(int n) {
  int r = 0;
top:;
  int a[5];
  if (r)
    r += sum(a, 0);
  t(n);
  fill(a, 5, n);
  r += sum(a, 5);
  if (--n > 0)
    goto top;
  return r;
}
int main(void) {
  printf("%d %d %d %d %d %d\n%u\n", late(4), branches(1), branches(2), volatiles(5), temporaries(4), again(4), e);
}
