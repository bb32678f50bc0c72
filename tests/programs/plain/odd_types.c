/* Types of unusual width and kind as parameters, results and values that live across a wait, by name and through
 * pointers. */
#include <stdio.h>
#include <unistd.h>
#include <complex.h>
#define NI __attribute__((noinline))
typedef float v4 __attribute__((vector_size(16)));
typedef _Float16 h8 __attribute__((vector_size(16)));
typedef int v3 __attribute__((ext_vector_type(3)));
typedef _Bool m8 __attribute__((ext_vector_type(8)));
static void w(void) { usleep(1); }
#define ONE(T, name)                                                                                                   \
  NI static T name(T x) {                                                                                              \
    T y = x;                                                                                                           \
    w();                                                                                                               \
    y += x;                                                                                                            \
    w();                                                                                                               \
    return y;                                                                                                          \
  }                                                                                                                    \
  static T (*volatile p_##name)(T) = name;
ONE(_Float16, hf)
ONE(__int128, i128)
ONE(long double, ld)
ONE(v4, fv) ONE(h8, hv) ONE(v3, iv) ONE(double _Complex, dc) ONE(float _Complex, fc) ONE(long double _Complex, lc)
    ONE(_Float16 _Complex, hc) ONE(_BitInt(7), b7) ONE(_BitInt(65), b65) ONE(_BitInt(200), b200)
        ONE(unsigned _BitInt(33), b33) ONE(__float128, q) NI static m8 mm(m8 x) {
  w();
  return ~x;
}
NI static _Bool bb(_Bool x, unsigned char y) {
  w();
  return !x ^ (y & 1);
}
int main(void) {
  printf("%g %lld %Lg\n", (double)p_hf((_Float16)2.5f), (long long)p_i128(7), p_ld(1.25L));
  v4 a = p_fv((v4){1, 2, 3, 4});
  h8 b = p_hv((h8){1, 2});
  v3 d = p_iv((v3){1, 2, 3});
  printf("%g %g %d\n", a[3], (double)b[1], d[2]);
  printf("%g %g %Lg %g\n", cimag(p_dc(1 + 2 * I)), cimagf(p_fc(1 + 2 * I)), cimagl(p_lc(1 + 2 * I)),
         (double)__imag__ p_hc((_Float16)1));
  printf("%d %lld %lld %lld %g\n", (int)p_b7(5), (long long)p_b65(77), (long long)p_b200(99), (long long)p_b33(11),
         (double)p_q(1.5Q));
  m8 m = mm((m8){1, 0, 1});
  printf("%d%d %g %d\n", (int)m[0], (int)m[1], 1.0, bb(1, 2));
}
