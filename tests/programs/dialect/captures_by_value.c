/* Captures by value of every kind: each activity keeps what the variable held when it was spawned, across its own
 * suspensions. */
// outcome: captures_by_value.expected
#include <charcoal.h>
#include <stdio.h>
#include <string.h>
#define N 8
struct small {
  char c;
  short s;
};
struct large {
  int v[40];
};
struct bits {
  unsigned a : 3, b : 20;
  signed c : 9;
};
union any {
  long l;
  double d;
  char c[16];
};
struct aligned_ {
  _Alignas(64) int v;
};
typedef int vec __attribute__((vector_size(16)));
static int other(int x) {
  yield;
  return x;
}
static int failures;
#define KIND(name, T, make, same)                                                                                      \
  static void name(void) {                                                                                             \
    ch_activity h[N] = {0};                                                                                            \
    int ok[N] = {0};                                                                                                   \
    for (int i = 0; i < N; i++) {                                                                                      \
      T v;                                                                                                             \
      memset(&v, 0, sizeof v);                                                                                         \
      make(v, i);                                                                                                      \
      activate [&h[i]] (v, i) {                                                                                        \
        yield;                                                                                                         \
        T w = v;                                                                                                       \
        other(i);                                                                                                      \
        make(w, i);                                                                                                    \
        yield;                                                                                                         \
        ok[i] = same(v, w) && other(i) == i;                                                                           \
        make(v, i + 1);                                                                                                \
        yield;                                                                                                         \
        T u = w;                                                                                                       \
        make(u, i + 1);                                                                                                \
        ok[i] &= same(v, u);                                                                                           \
      }                                                                                                                \
      make(v, 99);                                                                                                     \
    }                                                                                                                  \
    int sum = 0;                                                                                                       \
    for (int i = 0; i < N; i++) {                                                                                      \
      if (ch_activity_wait(&h[i]))                                                                                     \
        failures++;                                                                                                    \
      sum += ok[i];                                                                                                    \
    }                                                                                                                  \
    printf(#name " %d\n", sum);                                                                                        \
  }
#define SET(v, k) ((v) = (__typeof__(v))(k))
#define EQ(a, b) ((a) == (b))
#define MEM(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0)
#define SMALL(x, k) ((x).c = (char)(k), (x).s = (short)((k) * 300))
#define LARGE(x, k)                                                                                                    \
  do {                                                                                                                 \
    for (int j_ = 0; j_ < 40; j_++)                                                                                    \
      (x).v[j_] = (k) * j_;                                                                                            \
  } while (0)
#define BITS(x, k) ((x).a = (unsigned)(k) & 7, (x).b = (unsigned)(k) * 1001 & 0xfffff, (x).c = -(k))
#define SAMEBITS(x, y) ((x).a == (y).a && (x).b == (y).b && (x).c == (y).c)
#define ANY(x, k) ((x).l = (k) * 0x100000001L)
#define ALIGNED(x, k) ((x).v = (k))
#define SAMEV(x, y) ((x).v == (y).v && (unsigned long)&(x) % 64 == 0)
#define VEC(x, k) ((x) = (vec){(k), 1, (k) * 2, 3})
KIND(chars, char, SET, EQ)
KIND(bools, _Bool, SET, EQ)
KIND(shorts, unsigned short, SET, EQ) KIND(ints, int, SET, EQ) KIND(longs, long, SET, EQ) KIND(wides, __int128, SET, EQ)
    KIND(floats, float, SET, EQ) KIND(doubles, double, SET, EQ) KIND(longdoubles, long double, SET, EQ)
        KIND(complexes, _Complex double, SET, EQ) KIND(structs, struct small, SMALL, MEM)
            KIND(larges, struct large, LARGE, MEM) KIND(bitfields, struct bits, BITS, SAMEBITS)
                KIND(unions, union any, ANY, MEM) KIND(aligneds, struct aligned_, ALIGNED, SAMEV)
                    KIND(vectors, vec, VEC, MEM) static void pointers(void) {
  ch_activity h[N] = {0};
  static int cells[N];
  for (int i = 0; i < N; i++) {
    int *p = cells + i;
    const char *s = "text" + i % 4;
    activate [&h[i]] (p, s) {
      yield;
      *p += (int)strlen(s);
      yield;
      p++;
      yield;
      p[-1] += other(100);
    }
    p = 0;
    s = 0;
  }
  int sum = 0;
  for (int i = 0; i < N; i++) {
    ch_activity_wait(&h[i]);
    sum += cells[i];
  }
  printf("pointers %d\n", sum);
}
static void several(void) {
  ch_activity h[N] = {0};
  int got[N];
  for (int i = 0; i < N; i++) {
    char a = (char)i;
    double b = i * 0.5;
    struct large c;
    LARGE(c, i);
    long d = i * 7;
    activate [&h[i]] (a, b, c, d, i) {
      yield;
      got[i] = a + (int)(b * 2) + c.v[3] + (int)d;
      yield;
      got[i] += other(a);
    }
    a = 0;
    b = 0;
    d = 0;
    c.v[3] = 0;
  }
  int sum = 0;
  for (int i = 0; i < N; i++) {
    ch_activity_wait(&h[i]);
    sum = sum * 3 + got[i];
  }
  printf("several %d\n", sum);
}
int main(void) {
  chars();
  bools();
  shorts();
  ints();
  longs();
  wides();
  floats();
  doubles();
  longdoubles();
  complexes();
  structs();
  larges();
  bitfields();
  unions();
  aligneds();
  vectors();
  pointers();
  several();
  printf("failures %d\n", failures);
}
