/* Floating point kept across calls: rounding modes, x87, exceptions, NaN and signed zero, fused and long accumulations.
 */
// flags: -lm -ffp-contract=off -frounding-math
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static double third(double x) {
  t(1);
  return x / 3.0;
}
NI static long double x87(int n) {
  long double s = 1;
  for (int i = 1; i < n; i++) {
    s += 1.0L / t(i);
    s *= 1.0L + (long double)1e-19;
  }
  return s;
}
NI static int rounding(void) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int r = 0;
  for (int i = 0; i < 4; i++) {
    fesetround(modes[t(i)]);
    volatile double x = third(1.0), y = third(-1.0);
    r = r * 10 + (x > 1.0 / 3) + 2 * (y < -1.0 / 3) + 4 * (fegetround() == modes[i]);
  }
  fesetround(FE_TONEAREST);
  return r;
}
NI static int flags(void) {
  feclearexcept(FE_ALL_EXCEPT);
  volatile double z = 0;
  int before = fetestexcept(FE_DIVBYZERO) != 0;
  volatile double q = 1 / z;
  t(2);
  int after = fetestexcept(FE_DIVBYZERO) != 0;
  return before * 10 + after + (isinf(q) != 0) * 100;
}
NI static double compensated(int n) {
  double s = 0, c = 0;
  for (int i = 1; i <= n; i++) {
    double y = 1.0 / t(i) - c, u = s + y;
    c = u - s - y;
    s = u;
  }
  return s;
}
NI static double special(double x) {
  t(3);
  return copysign(1, x) + (isnan(x) ? 100 : 0) + (signbit(x) ? 10 : 0);
}
NI static float chain(float a, float b, float c, float d) {
  float r = a;
  r = r * b + (float)t(1);
  r = r / c - d;
  t(2);
  return sqrtf(r * r) + a + b + c + d;
}
int main(void) {
  printf("%d %d %.17g %.20Lg\n", rounding(), flags(), compensated(50), x87(30));
  printf("%g %g %g %g\n", special(-0.0), special(NAN), special(-INFINITY), (double)chain(1.5f, 2.5f, 3.5f, 4.5f));
  printf("%.15g %.15g\n%u\n", sin(third(t(2))) + pow(third(5), third(4)), fma(third(1), 3, -1), e);
}
