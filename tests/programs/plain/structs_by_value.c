/* Structures of 1 to 100 bytes: returned, passed by value, passed on, kept across calls. */
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned effects;
NI static int t(int x) {
  effects = effects * 33 + (unsigned)x;
  return x;
}
static unsigned mix(const void *p, unsigned n) {
  const unsigned char *b = p;
  unsigned h = n;
  while (n--)
    h = h * 131 + *b++;
  return h;
}
#define SIZE(n)                                                                                                        \
  struct s##n {                                                                                                        \
    unsigned char b[n];                                                                                                \
  };                                                                                                                   \
  NI static struct s##n make##n(int seed) {                                                                            \
    struct s##n r;                                                                                                     \
    for (int i = 0; i < n; i++)                                                                                        \
      r.b[i] = (unsigned char)(t(seed) + i * 3);                                                                       \
    return r;                                                                                                          \
  }                                                                                                                    \
  NI static unsigned use##n(int a, struct s##n x, double d, struct s##n y, int z) {                                    \
    unsigned h = mix(&x, n);                                                                                           \
    t(a);                                                                                                              \
    h ^= mix(&y, n) * 3;                                                                                               \
    x.b[0] ^= 1;                                                                                                       \
    t(z);                                                                                                              \
    return h + mix(&x, n) + (unsigned)d + (unsigned)z;                                                                 \
  }                                                                                                                    \
  NI static struct s##n pass##n(struct s##n x, int k) {                                                                \
    if (t(k) == 0)                                                                                                     \
      return x;                                                                                                        \
    x.b[k % n] += 1;                                                                                                   \
    return pass##n(x, k - 1);                                                                                          \
  }                                                                                                                    \
  NI static unsigned test##n(void) {                                                                                   \
    struct s##n a = make##n(n), b = make##n(n + 1);                                                                    \
    unsigned h = use##n(1, a, 2.5, make##n(3), 4);                                                                     \
    struct s##n c = pass##n(b, 5);                                                                                     \
    h = h * 7 + mix(&a, n) + mix(&b, n) * 3 + mix(&c, n) * 5;                                                          \
    return h + use##n(t(5), c, 1.0, a, t(6));                                                                          \
  }
SIZE(1)
SIZE(2)
SIZE(3)
SIZE(4)
SIZE(5)
SIZE(6)
SIZE(7)
SIZE(8)
SIZE(9)
SIZE(10)
SIZE(11)
SIZE(12)
SIZE(13)
SIZE(14)
SIZE(15)
SIZE(16)
SIZE(17)
SIZE(18)
SIZE(19)
SIZE(20)
SIZE(21)
SIZE(22)
SIZE(23)
SIZE(24)
SIZE(25)
SIZE(26)
SIZE(27)
SIZE(28)
SIZE(29)
SIZE(30)
SIZE(31)
SIZE(32)
SIZE(33)
SIZE(34)
SIZE(35)
SIZE(36)
SIZE(37)
SIZE(38)
SIZE(39)
SIZE(40)
SIZE(47)
SIZE(48)
SIZE(49)
SIZE(55)
SIZE(56)
SIZE(63)
SIZE(64)
SIZE(65)
SIZE(72)
SIZE(79)
SIZE(80)
SIZE(81)
SIZE(96)
SIZE(99)
SIZE(100)
struct i1 {
  int a;
};
struct i2 {
  int a, b;
};
struct i3 {
  int a, b, c;
};
struct l2 {
  long a, b;
};
struct l3 {
  long a, b, c;
};
struct f1 {
  float a;
};
struct f2 {
  float a, b;
};
struct f3 {
  float a, b, c;
};
struct f4 {
  float a, b, c, d;
};
struct d1 {
  double a;
};
struct d2 {
  double a, b;
};
struct di {
  double a;
  int b;
};
struct id {
  int a;
  double b;
};
struct lf {
  long a;
  float b;
};
struct cf {
  char a;
  float b;
  double c;
};
struct ld1 {
  long double a;
};
struct ldi {
  long double a;
  int b;
};
struct p {
  void *a;
  const char *b;
};
struct nest {
  struct f2 a;
  struct {
    int x;
  } b;
};
struct arr {
  short a[3];
  char b;
};
#define KIND(s, init, expr)                                                                                            \
  NI static struct s ret_##s(int k) {                                                                                  \
    t(k);                                                                                                              \
    struct s v = init;                                                                                                 \
    t(k + 1);                                                                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  NI static double arg_##s(struct s v, int k, struct s w) {                                                            \
    double r = (expr);                                                                                                 \
    t(k);                                                                                                              \
    v = w;                                                                                                             \
    return r * 2 + (expr);                                                                                             \
  }                                                                                                                    \
  static double try_##s(void) {                                                                                        \
    struct s v = ret_##s(3), w = ret_##s(t(4));                                                                        \
    return arg_##s(v, t(9), w) + arg_##s(ret_##s(7), 1, v);                                                            \
  }
#define C ,
KIND(i1, {k}, v.a)
KIND(i2, {k C - k}, v.a * 3 + v.b)
KIND(i3, {k C 2 C - k}, v.a + v.b + v.c * 5)
KIND(l2, {k C k * 1000000007L}, (double)(v.a + v.b))
KIND(l3, {k C 7 C k * 1000000007L}, (double)(v.a + v.b - v.c))
KIND(f1, {k * 0.5f}, v.a)
KIND(f2, {k * 0.5f C 3}, v.a *v.b)
KIND(f3, {k * 0.5f C 3 C - k}, v.a *v.b + v.c)
KIND(f4, {k C 1.5f C 2.5f C k}, v.a + v.b * v.c - v.d * 7)
KIND(d1, {k / 4.0}, v.a)
KIND(d2, {k / 4.0 C 9}, v.a - v.b)
KIND(di, {k * 1.5 C k}, v.a + v.b)
KIND(id, {k C k * 2.5}, v.a + v.b)
KIND(lf, {k C k * 0.25f}, (double)v.a + v.b)
KIND(cf, {(char)k C 2 C 3}, v.a + v.b * v.c)
KIND(ld1, {k * 1.25L}, (double)v.a)
KIND(ldi, {k * 1.25L C k}, (double)v.a + v.b)
KIND(p, {(void *)(long)k C "xyz"}, (double)(long)v.a + v.b[1])
KIND(nest, {{k C 2} C{k}}, v.a.a + v.a.b * v.b.x)
KIND(arr, {{1 C(short) k C 3} C 4}, v.a[0] + v.a[1] * v.a[2] + v.b)
int main(void) {
  unsigned h;
  printf("1:%u ", h = test1());
  printf("2:%u ", h = test2());
  printf("3:%u ", h = test3());
  printf("4:%u ", h = test4());
  printf("5:%u ", h = test5());
  printf("6:%u ", h = test6());
  printf("7:%u ", h = test7());
  printf("8:%u ", h = test8());
  printf("9:%u ", h = test9());
  printf("10:%u ", h = test10());
  printf("11:%u ", h = test11());
  printf("12:%u ", h = test12());
  printf("13:%u ", h = test13());
  printf("14:%u ", h = test14());
  printf("15:%u ", h = test15());
  printf("16:%u ", h = test16());
  printf("17:%u ", h = test17());
  printf("18:%u ", h = test18());
  printf("19:%u ", h = test19());
  printf("20:%u ", h = test20());
  printf("21:%u ", h = test21());
  printf("22:%u ", h = test22());
  printf("23:%u ", h = test23());
  printf("24:%u ", h = test24());
  printf("25:%u ", h = test25());
  printf("26:%u ", h = test26());
  printf("27:%u ", h = test27());
  printf("28:%u ", h = test28());
  printf("29:%u ", h = test29());
  printf("30:%u ", h = test30());
  printf("31:%u ", h = test31());
  printf("32:%u ", h = test32());
  printf("33:%u ", h = test33());
  printf("34:%u ", h = test34());
  printf("35:%u ", h = test35());
  printf("36:%u ", h = test36());
  printf("37:%u ", h = test37());
  printf("38:%u ", h = test38());
  printf("39:%u ", h = test39());
  printf("40:%u ", h = test40());
  printf("47:%u ", h = test47());
  printf("48:%u ", h = test48());
  printf("49:%u ", h = test49());
  printf("55:%u ", h = test55());
  printf("56:%u ", h = test56());
  printf("63:%u ", h = test63());
  printf("64:%u ", h = test64());
  printf("65:%u ", h = test65());
  printf("72:%u ", h = test72());
  printf("79:%u ", h = test79());
  printf("80:%u ", h = test80());
  printf("81:%u ", h = test81());
  printf("96:%u ", h = test96());
  printf("99:%u ", h = test99());
  printf("100:%u ", h = test100());
  printf("\n");
  printf("i1:%g ", try_i1());
  printf("i2:%g ", try_i2());
  printf("i3:%g ", try_i3());
  printf("l2:%g ", try_l2());
  printf("l3:%g ", try_l3());
  printf("f1:%g ", try_f1());
  printf("f2:%g ", try_f2());
  printf("f3:%g ", try_f3());
  printf("f4:%g ", try_f4());
  printf("d1:%g ", try_d1());
  printf("d2:%g ", try_d2());
  printf("di:%g ", try_di());
  printf("id:%g ", try_id());
  printf("lf:%g ", try_lf());
  printf("cf:%g ", try_cf());
  printf("ld1:%g ", try_ld1());
  printf("ldi:%g ", try_ldi());
  printf("p:%g ", try_p());
  printf("nest:%g ", try_nest());
  printf("arr:%g ", try_arr());
  printf("\n%u\n", effects);
  (void)h;
}
