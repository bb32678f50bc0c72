/* Captures by reference: activities share the spawner's locals of every kind while they and it are suspended again and
 * again. */
// outcome: captures_by_reference.expected
#include <charcoal.h>
#include <stdio.h>
#include <string.h>
#define N 10
struct box {
  int v[8];
  struct {
    double d;
    char text[12];
  } in;
};
static int pass(int x) {
  yield;
  return x;
}
static int add(int *p, int x) {
  yield;
  *p += pass(x);
  return *p;
}
static void scalars(void) {
  int total = 0;
  long wide = 1;
  double real = 0;
  char text[N + 1] = {0};
  ch_activity h[N] = {0};
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) {
      for (int k = 0; k < 5; k++) {
        yield;
        atomic {
          total += pass(i);
          wide += i;
          real += 0.5;
        }
      }
      text[i] = (char)('a' + pass(i));
    }
  for (int i = 0; i < N; i++)
    ch_activity_wait(&h[i]);
  printf("%d %ld %g %s\n", total, wide, real, text);
}
static void structures(int n) {
  struct box b;
  memset(&b, 0, sizeof b);
  int vla[n];
  memset(vla, 0, sizeof vla);
  ch_activity h[N] = {0};
  struct box *p = &b;
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) {
      int mine = i;
      add(&mine, 5);
      atomic b.v[i % 8] += mine;
      yield;
      atomic { p->in.d += vla[i % n] + i; }
      vla[i % n] |= 1 << pass(i % 3);
    }
  for (int i = 0; i < N; i++)
    ch_activity_wait(&h[i]);
  int s = 0;
  for (int i = 0; i < 8; i++)
    s = s * 3 + b.v[i];
  printf("%d %d\n", s, vla[0] | vla[n - 1] << 4);
}
static int nested(void) {
  int depth0 = 0, seen = 0;
  ch_activity outer = {0};
  activate [&outer] {
    int depth1 = pass(10);
    ch_activity inner[3] = {0};
    for (int i = 0; i < 3; i++)
      activate [&inner[i]] (i) {
        int depth2 = pass(100 + i);
        yield;
        atomic {
          depth0 += depth2;
          depth1 += i;
          seen++;
        }
      }
    for (int i = 0; i < 3; i++)
      ch_activity_wait(&inner[i]);
    yield;
    depth0 += depth1 * 1000;
  }
  ch_activity_wait(&outer);
  return depth0 + seen * 100000;
}
static int parameters(int a, double b, struct box c) {
  ch_activity h = {0};
  activate [&h] {
    yield;
    a += pass(2);
    b *= 2;
    c.v[1] = a;
    yield;
    c.in.text[0] = 'X';
  }
  a *= 10;
  yield;
  ch_activity_wait(&h);
  return (a == 32 || a == 30 || a == 50 ? 1 : 0) * 100 + (int)b + (c.v[1] > 0) + c.in.text[0];
}
int main(void) {
  scalars();
  structures(4);
  printf("%d\n", nested());
  struct box c = {{0}};
  printf("%d\n", parameters(3, 1.5, c));
}
