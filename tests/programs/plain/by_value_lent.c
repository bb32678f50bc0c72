/* The address of a by-value parameter goes to a call in tail position: the callee needs it until it returns. */
#include <stdio.h>
#define NI __attribute__((noinline))
struct s {
  int v[12];
};
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int sum(const struct s *p) {
  int r = 0;
  for (int i = 0; i < 12; i++)
    r = r * 3 + p->v[t(i)];
  return r;
}
NI static int by_value(struct s a) { return sum(&a); }
NI static int changed(struct s a, int k) {
  a.v[t(k)] = 99;
  return sum(&a);
}
int main(void) {
  struct s x;
  for (int i = 0; i < 12; i++)
    x.v[i] = i * i;
  printf("%d %d %d\n", by_value(x), changed(x, 3), by_value(x));
  printf("%u\n", e);
}
