/* Frames of 64 KiB and more, alive across calls, recursive, partly initialised. */
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static unsigned sum(const unsigned char *p, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i += 997)
    s = s * 33 + p[i];
  return s + (unsigned)t(n & 7);
}
NI static unsigned big(int k) {
  unsigned char a[65536];
  for (int i = 0; i < 65536; i++)
    a[i] = (unsigned char)(i * k);
  unsigned s = sum(a, 65536);
  a[t(9970)] ^= 1;
  return s * 3 + sum(a, 65536);
}
NI static unsigned unescaped(int k) {
  int a[16384];
  for (int i = 0; i < 16384; i++)
    a[i] = i ^ k;
  t(1);
  unsigned s = 0;
  for (int i = 0; i < 16384; i += 511) {
    s = s * 5 + (unsigned)a[i];
    if (i % 4 == 0)
      a[(i * 7) % 16384] += t(i);
  }
  return s;
}
NI static unsigned recursive(int d) {
  char a[20000];
  memset(a, d, sizeof a);
  if (d == 0)
    return 1;
  unsigned r = recursive(d - 1);
  a[t(d)] = 7;
  for (int i = 0; i < 20000; i += 1000)
    r = r * 3 + (unsigned)a[i];
  return r;
}
struct huge {
  int v[5000];
};
NI static struct huge mk(int k) {
  struct huge h;
  for (int i = 0; i < 5000; i++)
    h.v[i] = i * k;
  t(k);
  return h;
}
NI static struct huge twist(struct huge h, int k) {
  h.v[t(k)] = -1;
  return h;
}
int main(void) {
  printf("%u %u %u %u\n", big(3), big(7), unescaped(5), recursive(20));
  struct huge h = twist(twist(mk(3), 10), 20);
  long s = 0;
  for (int i = 0; i < 5000; i++)
    s += h.v[i];
  printf("%ld\n%u\n", s, e);
}
