/* Over-aligned locals, parameters and members: 32 to 4096 bytes, alive across calls. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
#define TEST(n)                                                                                                        \
  struct a##n {                                                                                                        \
    _Alignas(n) char c[n + 1];                                                                                         \
    int v;                                                                                                             \
  };                                                                                                                   \
  NI static int touch##n(struct a##n *p, int k) {                                                                      \
    if (((uintptr_t)p) % n)                                                                                            \
      return 1;                                                                                                        \
    p->c[n] ^= (char)t(k);                                                                                             \
    p->v += k;                                                                                                         \
    return 0;                                                                                                          \
  }                                                                                                                    \
  NI static struct a##n pass##n(struct a##n x, int k) {                                                                \
    t(k);                                                                                                              \
    x.v += (int)((uintptr_t)&x % n);                                                                                   \
    x.c[0]++;                                                                                                          \
    return x;                                                                                                          \
  }                                                                                                                    \
  NI static int test##n(int d) {                                                                                       \
    _Alignas(n) int local[3] = {t(1), t(2), t(3)};                                                                     \
    struct a##n s;                                                                                                     \
    memset(&s, d, sizeof s);                                                                                           \
    s.v = 0;                                                                                                           \
    int bad = ((uintptr_t)local % n) != 0;                                                                             \
    bad += touch##n(&s, d);                                                                                            \
    int *p = &local[t(1)];                                                                                             \
    bad += touch##n(&s, *p);                                                                                           \
    if (d)                                                                                                             \
      bad += test##n(d - 1) >= 1000;                                                                                   \
    *p += t(4);                                                                                                        \
    struct a##n r = pass##n(s, t(5));                                                                                  \
    return bad * 1000 + local[0] + local[1] * 10 + r.v + (r.c[0] == d + 1) + ((uintptr_t)local % n != 0) * 500;        \
  }
TEST(32) TEST(64) TEST(128) TEST(256) TEST(4096) int main(void) {
  printf("%d %d %d %d %d\n%u\n", test32(3), test64(3), test128(3), test256(3), test4096(2), e);
}
