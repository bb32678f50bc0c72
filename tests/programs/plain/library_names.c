/* A program that has functions of its own named like calls of the C library, which have interruptible versions in the
 * runtime: its own must be called. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct conn {
  int v;
};
NI long read(int a, void *b, unsigned long c) {
  (void)b;
  return t(a) + 1000 + (long)c;
}
NI int connect(int a, const struct conn *b, unsigned c) { return t(a) + b->v * 10 + (int)c; }
NI unsigned sleep(unsigned x) { return (unsigned)t((int)x) * 3; }
NI static int poll(int a, int b) { return t(a) * b; }
NI static double recv(double x) {
  t(5);
  return x / 2;
}
NI int getaddrinfo(const char *a, const char *b, const void *h, void **r) {
  (void)h;
  *r = (void *)b;
  return t(a[0]);
}
NI static void *accept(void *p) {
  t(1);
  return p;
}
NI int usleep(unsigned x) { return t((int)x) + 7; }
int main(void) {
  struct conn c = {4};
  void *r;
  long (*volatile p)(int, void *, unsigned long) = read;
  unsigned (*volatile s)(unsigned) = sleep;
  int (*volatile q)(int, int) = poll;
  printf("%ld %d %u %d %g %d %d %d\n", read(1, 0, 5), connect(2, &c, 3), sleep(4), poll(5, 6), recv(7),
         getaddrinfo("abc", "d", 0, &r), accept(&c) == &c, usleep(8));
  printf("%ld %u %d %s\n%u\n", p(9, 0, 1), s(2), q(3, 4), (char *)r, e);
}
