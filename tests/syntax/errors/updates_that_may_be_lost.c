#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
static long total, hits, table[3];
static struct { int n; } stats;
static pthread_mutex_t mutex;
int get(int);
static void maybe(long *p) { if (*p < 0) get(1); }
static int leaf(int n) { return n + 1; }
static void add(long *p) { long v = *p; maybe(p); *p = v + 1; }
static void sum(long *p) { *p = *p + get(1); }
static void member(void) { stats.n = stats.n + get(1); }
static void step(void) { long v = hits, w = v * 2; yield; hits = w; }
static void some(int n) { long v = hits; if (n) get(n); hits = v + 1; }
// Nothing is lost by these.
static void after(long *p) { *p += get(1); }
static void locked(void) { pthread_mutex_lock(&mutex); long v = total; get(1); total = v + 1; pthread_mutex_unlock(&mutex); }
static void together(void) { atomic { long v = total; get(1); total = v + 1; } }
static void asserted(void) { assert_no_yield { long v = total; get(1); total = v + 1; } }
static void again(void) { long v = total; get(1); if (total == v) total = v + 1; }
static void quick(void) { long v = total; printf("%d", leaf(1)); total = v + 1; }
static void own(int n) { table[n] = table[n] + get(n); }
static void fresh(void) { long v = total; get(1); v = 3; total = v; }
static void private(long *p) { *p = *p + get(1); }
int main(void) {
  ch_activity a[2];
  long mine = 0, ours = 0;
  for (int i = 0; i < 2; i++)
    activate [&a[i]] (i) {
      add(&total), sum(&hits), member(), step(), some(i);
      after(&total), locked(), together(), asserted(), again(), quick(), own(i), fresh();
      long p = 0;
      private(&p);
      ours = ours + get(1);
    }
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&a[i]);
  do { async mine = mine + get(1); } finish;
}
