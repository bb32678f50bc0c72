/* Vector types of 8 to 64 bytes: returned, passed, kept across calls, in structures and arrays. */
#include <stdio.h>
#include <stdint.h>
#define NI __attribute__((noinline))
typedef int v2 __attribute__((vector_size(8)));
typedef int v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32)));
typedef int v16 __attribute__((vector_size(64)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef int x3 __attribute__((ext_vector_type(3)));
typedef _Bool m8 __attribute__((ext_vector_type(8)));
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
#define VEC(T, n, E)                                                                                                   \
  NI static T mk_##T(int k) {                                                                                          \
    T v;                                                                                                               \
    for (int i = 0; i < n; i++)                                                                                        \
      v[i] = (E)t(k + i);                                                                                              \
    return v;                                                                                                          \
  }                                                                                                                    \
  NI static T op_##T(T a, int k, T b) {                                                                                \
    T s = a;                                                                                                           \
    for (int i = 0; i < k; i++) {                                                                                      \
      s += b;                                                                                                          \
      t(i);                                                                                                            \
      s -= a;                                                                                                          \
      t(i);                                                                                                            \
      s = s * 3;                                                                                                       \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  NI static double sum_##T(T a) {                                                                                      \
    double s = 0;                                                                                                      \
    for (int i = 0; i < n; i++)                                                                                        \
      s = s * 2 + (double)a[i] * t(1);                                                                                 \
    return s;                                                                                                          \
  }                                                                                                                    \
  static void show_##T(void) {                                                                                         \
    T a = mk_##T(1), b = mk_##T(t(5));                                                                                 \
    T arr[3] = {a, b, op_##T(a, 3, b)};                                                                                \
    struct {                                                                                                           \
      char c;                                                                                                          \
      T v;                                                                                                             \
    } s = {1, arr[t(2)]};                                                                                              \
    t((int)((uintptr_t)&s.v % _Alignof(T)));                                                                           \
    printf("%g %g %g\n", sum_##T(arr[t(1)]), sum_##T(s.v), sum_##T(op_##T(s.v, 2, arr[0])));                           \
  }
VEC(v2, 2, int)
VEC(v4, 4, int)
VEC(v8, 8, int)
VEC(v16, 16, int) VEC(f4, 4, float) VEC(d4, 4, double) VEC(x3, 3, int) NI static v4 shuffle(v4 a, v4 b) {
  v4 r = __builtin_shufflevector(a, b, 0, 5, 2, 7);
  t(r[1]);
  return r;
}
NI static f4 convert(v4 a) {
  f4 r = __builtin_convertvector(a, f4);
  t(1);
  return r / 2;
}
NI static int mask(x3 a, x3 b) {
  x3 m = a < b;
  t(2);
  return m.x + m.y * 2 + m.z * 4;
}
NI static m8 set(m8 m, _Bool one) {
  m[2] = one;
  t(1);
  m[7] = !one;
  t(2);
  m[4] = 1;
  return m;
}
int main(void) {
  show_v2();
  show_v4();
  show_v8();
  show_v16();
  show_f4();
  show_d4();
  show_x3();
  v4 a = {1, 2, 3, 4}, b = {9, 8, 7, 6};
  v4 c = shuffle(a, b);
  f4 d = convert(c);
  for (int i = 0; i < 4; i++) {
    m8 m = set((m8)(i % 2), i < 2);
    for (int k = 0; k < 8; k++)
      t(m[k]);
  }
  x3 p = {1, 5, 3}, q = {2, 2, 9};
  printf("%d %d %d %d %g %g %d\n%u\n", c[0], c[1], c[2], c[3], (double)d[1], (double)d[3], mask(p, q), e);
}
