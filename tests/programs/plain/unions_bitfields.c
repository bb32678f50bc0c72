/* Unions and bit-fields live across calls, by value, returned, and updated with call results. */
#include <stdio.h>
#include <string.h>
#include <stdint.h>
#define NI __attribute__((noinline))
union u {
  uint64_t q;
  uint32_t d[2];
  uint8_t b[8];
  float f;
  double g;
};
struct bits {
  unsigned a : 3;
  signed b : 5;
  unsigned long long c : 40;
  _Bool d : 1;
  unsigned : 0;
  signed e : 17;
  unsigned f : 31;
};
struct mixed {
  int tag;
  union {
    long l;
    double d;
    char s[24];
    struct {
      short x, y, z;
    };
  };
};
NI static int t(int x) { return x; }
NI static union u make(uint64_t v) {
  union u r;
  r.q = v;
  return r;
}
NI static struct bits pack(int i) {
  struct bits r = {0};
  r.a = (unsigned)t(i) & 7;
  r.b = (t(i) & 15) - 8;
  r.c = (uint64_t)t(i) << 33;
  r.d = t(i) & 1;
  r.e = -t(i);
  r.f = 0x7fffffffu - (unsigned)t(i);
  return r;
}
NI static long unpack(struct bits b) { return b.a + b.b * 8L + (long)(b.c >> 30) + b.d * 1000 + b.e * 2000L + b.f; }
NI static struct mixed mk(int tag) {
  struct mixed m;
  memset(&m, 0, sizeof m);
  m.tag = t(tag);
  switch (tag) {
  case 0:
    m.l = t(77) * 1000000007L;
    break;
  case 1:
    m.d = t(3) / 8.0;
    break;
  case 2:
    snprintf(m.s, sizeof m.s, "text %d", t(9));
    break;
  default:
    m.x = (short)t(1);
    m.y = (short)t(-2);
    m.z = (short)t(3);
  }
  return m;
}
NI static void show(struct mixed m) {
  switch (m.tag) {
  case 0:
    printf("%ld ", m.l);
    break;
  case 1:
    printf("%g ", m.d);
    break;
  case 2:
    printf("%s ", m.s);
    break;
  default:
    printf("%d/%d/%d ", m.x, m.y, m.z);
  }
}
struct packed {
  char a;
  int b : 11;
  long c;
  short d;
} __attribute__((packed));
NI static struct packed pk(int x) {
  struct packed p = {(char)x, t(x) - 500, t(x) * 0x100000001L, (short)t(-x)};
  return p;
}
int main(void) {
  union u a = make(0x3ff0000040490fdbull);
  for (int i = 0; i < 8; i++) {
    a.b[i] ^= (uint8_t)t(i);
    if (t(i) & 1)
      a.d[i & 1] += (uint32_t)t(i * 3);
  }
  printf("%llx %x %x\n", (unsigned long long)a.q, a.d[0], a.d[1]);
  for (int i = 0; i < 20; i += 3) {
    struct bits b = pack(i);
    b.a += (unsigned)t(1);
    b.b++;
    b.e -= t(5);
    b.c |= (unsigned)t(1);
    b.d ^= t(1);
    printf("%ld %d ", unpack(b), b.e);
  }
  printf("\n");
  for (int i = 0; i < 4; i++)
    show(mk(i));
  struct packed p = pk(1234);
  p.b += t(3);
  p.c -= t(9);
  p.d = (short)(p.d + t(1));
  printf("\n%d %d %ld %d %zu\n", p.a, p.b, p.c, p.d, sizeof p);
}
