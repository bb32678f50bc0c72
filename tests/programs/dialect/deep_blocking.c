/* Activities that block deep inside calls of every kind: structures, pointers to locals, variable-length arrays,
 * function pointers, recursion; woken in turn. */
// outcome: deep_blocking.expected
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 12
struct acc {
  long sum;
  int path[6];
};
static ch_sem gate[N];
static ch_sem arrived;
static int blocked, most;
static void block(int who) {
  ch_sem_post(&arrived);
  if (++blocked > most)
    most = blocked;
  ch_sem_wait(&gate[who]);
  blocked--;
}
static struct acc down(int d, struct acc a, int who) {
  if (d == 0) {
    block(who);
    return a;
  }
  a.sum = a.sum * 3 % 1000003 + d;
  a.path[d % 6] += who;
  struct acc r = down(d - 1, a, who);
  if (d % 20 == 0)
    block(who);
  r.sum += a.path[d % 6];
  return r;
}
static int up_pointer(int d, int *up, int who) {
  int mine = d + who, *p = d & 1 ? &mine : up;
  if (d == 0) {
    block(who);
    *up += 1000;
    return *up;
  }
  int r = up_pointer(d - 1, &mine, who);
  *p += 1;
  return r % 100003 + mine + (p == up);
}
static long vla(int n, int who) {
  if (n == 0) {
    block(who);
    return 1;
  }
  long a[n];
  for (int i = 0; i < n; i++)
    a[i] = i * n + who;
  long r = vla(n - 1, who);
  for (int i = 0; i < n; i++)
    r = (r * 3 + a[i]) % 1000003;
  return r;
}
typedef long step(void *, int, int);
static step s_a, s_b, s_c;
static step *const steps[] = {s_a, s_b, s_c};
static long s_a(void *p, int d, int who) {
  *(long *)p += d;
  return d ? steps[d % 3](p, d - 1, who) * 3 % 1009 : (block(who), *(long *)p);
}
static long s_b(void *p, int d, int who) {
  long mine = *(long *)p;
  long r = d ? steps[d % 3](&mine, d - 1, who) : (block(who), 5);
  return (r + mine) % 1009;
}
static long s_c(void *p, int d, int who) {
  char *copy = alloca((size_t)d + 10);
  memset(copy, d, (size_t)d + 10);
  long r = d ? steps[(d + 1) % 3](p, d - 1, who) : (block(who), 7);
  return (r * 5 + copy[d / 2]) % 1009;
}
static int compare(const void *a, const void *b) {
  yield;
  return *(const int *)a - *(const int *)b;
}
static int sorted(int who) {
  int v[9];
  for (int i = 0; i < 9; i++)
    v[i] = (i * 7 + who) % 9;
  qsort(v, 9, sizeof *v, compare);
  block(who);
  int s = 0;
  for (int i = 0; i < 9; i++)
    s = s * 2 + (v[i] == i);
  return s;
}
static __int128 wide(__int128 v, int d, int who) {
  if (!d) {
    block(who);
    return v;
  }
  return wide(v * 3 + who, d - 1, who) + d;
}
static long double real(long double v, int d, int who) {
  if (!d) {
    block(who);
    return v;
  }
  return real(v / 2 + who, d - 1, who) + d;
}
int main(void) {
  ch_activity h[N] = {0};
  long result[N][6];
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) {
      struct acc a = {i, {0}};
      result[i][0] = down(60, a, i).sum;
      int top = i;
      result[i][1] = up_pointer(25, &top, i) + top;
      result[i][2] = vla(9, i);
      long p = i;
      result[i][3] = steps[i % 3](&p, 17, i) + p;
      result[i][4] = sorted(i);
      result[i][5] = (long)(wide(i, 30, i) % 1000003) + (long)real(i, 20, i);
    }
  int rounds = 0;
  int live = N;
  while (live) {
    int all = 1;
    for (int i = 0; i < N; i++) {
      int k = (i * 5 + rounds) % N;
      ch_sem_post(&gate[k]);
      all &= ch_activity_finished(&h[i]);
    }
    rounds++;
    ch_reschedule();
    if (all)
      live = 0;
  }
  for (int i = 0; i < N; i++)
    ch_activity_wait(&h[i]);
  for (int j = 0; j < 6; j++) {
    long s = 0;
    for (int i = 0; i < N; i++)
      s = (s * 31 + result[i][j]) % 1000000007;
    printf("%ld ", s);
  }
  printf("%s\n", most > 1 ? "together" : "one at a time");
}
