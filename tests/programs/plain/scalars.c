/* Every scalar kind returned, passed and live across calls: narrow, bool, 64, 128 bit, floating, complex, _BitInt. */
// flags: -lm
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
#define TYPE(name, T, init, as)                                                                                        \
  NI static T ret_##name(int k) {                                                                                      \
    T v = (T)(init);                                                                                                   \
    t(k);                                                                                                              \
    return v;                                                                                                          \
  }                                                                                                                    \
  NI static T fold_##name(T a, int k, T b, T c) {                                                                      \
    T s = a;                                                                                                           \
    for (int i = 0; i < k; i++) {                                                                                      \
      s = (T)(s + b);                                                                                                  \
      t(i);                                                                                                            \
      s = (T)(s - c);                                                                                                  \
      t(i);                                                                                                            \
      s = (T)(s + a);                                                                                                  \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  NI static T live_##name(int k) {                                                                                     \
    T a = ret_##name(k), b = ret_##name(k + 1), c = ret_##name(t(k + 2));                                              \
    T r = fold_##name(a, 3, b, c);                                                                                     \
    t(k);                                                                                                              \
    return (T)(r + a - b + c);                                                                                         \
  }                                                                                                                    \
  static void show_##name(int k) {                                                                                     \
    T v = live_##name(k);                                                                                              \
    as;                                                                                                                \
  }
#define INT printf("%lld ", (long long)v)
#define FLT printf("%.15g ", (double)v)
#define CPX printf("%g%+gi ", (double)creal(v), (double)cimag(v))
TYPE(boolean, _Bool, k & 1, INT)
TYPE(schar, signed char, k * 3, INT)
TYPE(uchar, unsigned char, k * 5, INT)
TYPE(sshort, short, k * 300, INT) TYPE(ushort, unsigned short, k * 500, INT) TYPE(sint, int, k * 3000, INT)
    TYPE(uint, unsigned, (unsigned)k * 500000u, INT) TYPE(slong, long, k * 3000000000L, INT)
        TYPE(ulong, unsigned long, (unsigned)k * 5000000000ul, INT)
            TYPE(s128, __int128, ((__int128)k << 70) + k,
                 printf("%llx.%llx ", (unsigned long long)(v >> 64), (unsigned long long)v))
                TYPE(u128, unsigned __int128, ((unsigned __int128)(unsigned)k << 90) + 7,
                     printf("%llx.%llx ", (unsigned long long)(v >> 64), (unsigned long long)v))
                    TYPE(flt, float, k * 0.25f, FLT) TYPE(dbl, double, k * 1.1, FLT)
                        TYPE(ldbl, long double, k * 1.3L, printf("%.18Lg ", v)) TYPE(f128, __float128, k * 1.7, FLT)
                            TYPE(half, _Float16, k * 0.5, FLT) TYPE(cflt, float complex, k + 2.0f * I, CPX)
                                TYPE(cdbl, double complex, k * 1.5 + k * I, CPX)
                                    TYPE(cldbl, long double complex, k * 1.5L - k * I, CPX)
                                        TYPE(cint, _Complex int, k, printf("%d ", __real__ v))
                                            TYPE(big37, unsigned _BitInt(37), (unsigned)k * 12345u, INT)
                                                TYPE(big200, unsigned _BitInt(200),
                                                     ((unsigned _BitInt(200))(unsigned)k << 150) + 3u,
                                                     printf("%llx ", (unsigned long long)(v >> 140))) NI
    static char *ptr(char *p, int k) {
  t(k);
  return p + k;
}
NI static const char *const *pp(const char *const *p) {
  t(5);
  return p + 1;
}
NI static int (*fn(int k))(int) {
  t(k);
  return k & 1 ? t : 0;
}
enum small { A = -1, B = 100 };
enum __attribute__((packed)) tiny { X, Y = 200 };
NI static enum small se(int k) {
  t(k);
  return k ? B : A;
}
NI static enum tiny te(int k) {
  t(k);
  return k ? Y : X;
}
NI static void nothing(int k) { t(k); }
NI static uint8_t narrow(uint8_t a, int8_t b, uint16_t c, int16_t d) {
  t(a);
  t(b);
  a = (uint8_t)(a + c);
  t(a);
  return (uint8_t)(a - b + d);
}
int main(void) {
  for (int k = 1; k < 6; k += 2) {
    show_boolean(k);
    show_schar(k);
    show_uchar(k);
    show_sshort(k);
    show_ushort(k);
    show_sint(k);
    show_uint(k);
    show_slong(k);
    show_ulong(k);
    show_s128(k);
    show_u128(k);
    show_flt(k);
    show_dbl(k);
    show_ldbl(k);
    show_f128(k);
    show_half(k);
    show_cflt(k);
    show_cdbl(k);
    show_cldbl(k);
    show_cint(k);
    show_big37(k);
    show_big200(k);
    printf("\n");
  }
  char text[] = "abcdef";
  const char *const words[] = {"one", "two"};
  nothing(t(1));
  printf("%s %s %d %d %d %d %d %u\n", ptr(text, 2), *pp(words), fn(1)(3), fn(2) == 0, se(1) + se(0), te(1), te(0),
         narrow(250, -3, 500, 77));
  long double x = 1;
  __int128 y = 1;
  double complex z = 1;
  for (int i = 1; i < 30; i++) {
    x = x * t(i) / 3.0L;
    y = y * t(3) + t(i);
    z = z * (t(1) + 0.5 * I);
    if (cabs(z) > 100)
      z /= t(50);
  }
  printf("%.17Lg %llx %.12g %.12g\n%u\n", x, (unsigned long long)(y >> 9), creal(z), cimag(z), e);
}
