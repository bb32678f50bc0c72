/* Addresses of members with __attribute__((annotate)), lent, kept and used alone, across calls. */
#include <stdio.h>
#define NI __attribute__((noinline))
#define NOTE __attribute__((annotate("note")))
struct noted {
  int plain;
  int first NOTE;
  struct {
    long inner NOTE;
    short list[5] NOTE;
  } part NOTE;
};
static int calls;
NI static int step(int x) { return x + ++calls % 3; }
NI static void add(int *p, int n) {
  *p += step(n);
  *p ^= step(*p);
}
NI static int lent(int v) {
  struct noted s = {v, v, {v, {1, 2, 3, 4, 5}}};
  int *p = &s.first;
  for (int i = 0; i < 4; i++) {
    add(p, i);
    *p += step(v);
  }
  return s.first + s.plain;
}
NI static int alone(int v) {
  struct noted s = {v, v, {v, {1, 2, 3, 4, 5}}};
  s.first = step(v);
  s.part.inner += step(s.first);
  s.part.list[v % 5] += step((int)s.part.inner);
  return s.first + (int)s.part.inner + s.part.list[v % 5];
}
NI static int last(int v) {
  struct noted s = {v, step(v), {v, {0}}};
  add(&s.first, v);
  return step(s.first);
}
static int *kept;
NI static void through(void) { *kept += step(2); }
NI static void in_tail_position(int v, int *out) {
  struct noted s = {v, v, {v, {0}}};
  kept = &s.first;
  step(v);
  *out = s.first;
  through();
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 40; i++) {
    int out;
    in_tail_position(i, &out);
    sum = (int)((unsigned)sum * 31 & 0xffff) + lent(i) + 3 * alone(i) + 7 * last(i) + out;
  }
  printf("%d %d\n", sum, calls);
}
