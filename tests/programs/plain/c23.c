/* C23: typeof, auto, constexpr, nullptr, bool, _BitInt, enumerations with a type, attributes, empty initialisers,
 * binary literals. */
// flags: -std=c23
#include <stddef.h>
#include <stdio.h>
#define NI [[gnu::noinline]]
static unsigned e;
NI static int t(int x) {
  e = e * 31u + (unsigned)x;
  return x;
}
enum tiny : unsigned char { A = 1, B = 0b1111'0000 };
constexpr int limit = 5;
NI static enum tiny flip(enum tiny v) {
  t(v);
  return v == A ? B : A;
}
NI static unsigned _BitInt(17) odd(unsigned _BitInt(17) v) {
  t((int)v);
  return v * 3u;
}
NI static _BitInt(100) wide(_BitInt(100) v, int k) {
  while (k-- > 0) {
    v = v * 7 + t(k);
  }
  return v;
}
NI static _BitInt(300) wider(_BitInt(300) v) {
  t(1);
  return v * v - 1;
}
NI [[nodiscard]] static bool check(nullptr_t, int *p) { return p == nullptr && t(1); }
struct s {
  int a;
  struct {
    int b[3];
  };
};
NI static struct s mk(int k) { return (struct s){.a = t(k), .b = {[1] = t(k + 1)}}; }
int variadic(...) { return t(4); }
int main() {
  auto x = t(3);
  typeof(x) y = t(4);
  typeof_unqual(limit) z = limit + t(1);
  static thread_local int tl = 5;
  tl += t(2);
  struct s v = mk(6), w = {};
  int arr[limit] = {};
  arr[t(2)] = 9;
  static_assert(limit == 5);
  printf("%d %d %d %d %d %d\n", x, y, z, tl, flip(A), flip(B));
  printf("%u %lld %lld %d\n", (unsigned)odd(100000), (long long)(wide(3, 20) >> 20), (long long)wider(1000000007),
         check(nullptr, nullptr));
  printf("%d %d %d %d %d\n", v.a, v.b[1], w.b[2], arr[2], variadic(1, 2.0));
  int k = t(5);
  if (k > 3)
    printf("%d\n", k);
  [[maybe_unused]] int unused = t(1);
  printf("%d %u\n", _Generic(x, int: t(1), default: t(2)), e);
}
