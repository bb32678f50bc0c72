/* Busy activities without a single yield of their own: the time slice interleaves them at whatever call it ends, and none of them notices. */
// outcome: slices.expected
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define N 5
struct state { unsigned a, b; double x; int hist[16]; };
__attribute__((noinline)) static unsigned mix(unsigned h, unsigned v) { return (h ^ v) * 16777619u; }
__attribute__((noinline)) static struct state round_(struct state s, int i) { s.a = mix(s.a, (unsigned)i); s.b += mix(s.b, s.a) & 255; s.x = s.x * 0.5 + (double)(s.a % 97); s.hist[s.a % 16]++; return s; }
__attribute__((noinline)) static unsigned descend(int d, unsigned h, const struct state *s) { unsigned mine[4] = {h, h + 1, s->a, (unsigned)d}; if (d == 0) return mix(h, s->b); unsigned r = descend(d - 1, mix(h, mine[d & 3]), s); return mix(r, mine[(d + 1) & 3]); }
__attribute__((noinline)) static unsigned work(int who, int rounds) { struct state s = {(unsigned)who, 1, 0, {0}}; unsigned h = 0; for (int i = 0; i < rounds; i++) { s = round_(s, i); h = mix(h, descend(i % 12, s.b, &s)); if (i % 64 == 0) { char *p = malloc(64); snprintf(p, 64, "%u %g", s.a, s.x); h = mix(h, (unsigned)strlen(p)); free(p); } } for (int i = 0; i < 16; i++) h = mix(h, (unsigned)s.hist[i]); return h; }
static double seconds(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec * 1e-9; }
int main(void) {
  /* alone, to know what is right, and how many rounds take 30 ms */
  int rounds = 500; unsigned alone[N]; double before = seconds(); (void)work(0, rounds); double took = seconds() - before; while (took < 0.03 && rounds < 1 << 22) { rounds *= 2; took *= 2; }
  atomic { for (int i = 0; i < N; i++) alone[i] = work(i, rounds); }
  struct ch_stats was, is; ch_stats(&was); ch_activity h[N] = {0}; unsigned got[N]; for (int i = 0; i < N; i++) activate [&h[i]] (i) { got[i] = work(i, rounds); } int same = 0; for (int i = 0; i < N; i++) { ch_activity_wait(&h[i]); same += got[i] == alone[i]; } ch_stats(&is);
  printf("%d %s\n", same, is.switches - was.switches > 2 * N ? "interleaved" : "not interleaved");
}
