/* Busy activities without a single yield of their own: the time slice interleaves them at whatever call it ends, and
 * none of them notices. */
// outcome: slices.expected
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 5
struct state {
  unsigned a, b;
  double x;
  int hist[16];
};
__attribute__((noinline)) static unsigned mix(unsigned h, unsigned v) { return (h ^ v) * 16777619u; }
__attribute__((noinline)) static struct state round_(struct state s, int i) {
  s.a = mix(s.a, (unsigned)i);
  s.b += mix(s.b, s.a) & 255;
  s.x = s.x * 0.5 + (double)(s.a % 97);
  s.hist[s.a % 16]++;
  return s;
}
__attribute__((noinline)) static unsigned descend(int d, unsigned h, const struct state *s) {
  unsigned mine[4] = {h, h + 1, s->a, (unsigned)d};
  if (d == 0)
    return mix(h, s->b);
  unsigned r = descend(d - 1, mix(h, mine[d & 3]), s);
  return mix(r, mine[(d + 1) & 3]);
}
__attribute__((noinline)) static unsigned work(int who, int rounds) {
  struct state s = {(unsigned)who, 1, 0, {0}};
  unsigned h = 0;
  for (int i = 0; i < rounds; i++) {
    s = round_(s, i);
    h = mix(h, descend(i % 12, s.b, &s));
    if (i % 64 == 0) {
      char *p = malloc(64);
      snprintf(p, 64, "%u %g", s.a, s.x);
      h = mix(h, (unsigned)strlen(p));
      free(p);
    }
  }
  for (int i = 0; i < 16; i++)
    h = mix(h, (unsigned)s.hist[i]);
  return h;
}
static unsigned long long switches(void) {
  struct ch_stats s;
  ch_stats(&s);
  return s.switches;
}
/* Runs the activities side by side; the number of results that are right. */
static int beside(int rounds, const unsigned *alone) {
  ch_activity h[N] = {0};
  unsigned got[N];
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) { got[i] = work(i, rounds); }
  int same = 0;
  for (int i = 0; i < N; i++) {
    ch_activity_wait(&h[i]);
    same += got[i] == alone[i];
  }
  return same;
}
int main(void) {
  /* How long work must be for a slice to end in it depends on the machine, whose clock may be coarse, too: it grows
   * until they take turns, and a result that is wrong ends it. */
  int same = N, turns = 0;
  for (int rounds = 1 << 12; same == N && !turns && rounds <= 1 << 22; rounds *= 4) {
    unsigned alone[N];
    atomic {
      for (int i = 0; i < N; i++)
        alone[i] = work(i, rounds);
    }
    unsigned long long before = switches();
    same = beside(rounds, alone);
    turns = switches() - before > 2 * N;
  }
  printf("%d %s\n", same, turns ? "interleaved" : "not interleaved");
}
