#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
static long total, hits, table[3];
static struct { int n; } stats;
static struct node { struct node *next, *before; long n; } *list, *last;
static pthread_mutex_t mutex;
int get(int);
static void maybe(long *p) { if (*p < 0) get(1); }
static int leaf(int n) { return n + 1; }
static void add(long *p) { long v = *p; maybe(p); *p = v + 1; }
static void sum(long *p) { *p = *p + get(1); }
static void member(void) { stats.n = stats.n + get(1); }
static void step(void) { long v = hits, w = v * 2; yield; hits = w; }
static void some(int n) { long v = hits; if (n) get(n); hits = v + 1; }
static void push(struct node **to, struct node *n) { n->next = *to; get(1); *to = n; }
static void enter(struct node *n) { *n = (struct node){list, last, get(1)}; list = n; }
// Nothing is lost by these.
static void late(struct node *n) { get(1); n->next = list, list = n; get(1); }
static void looked(struct node *n) { n->next = list; get(1); if (n->next == list) list = n; }
static void renewed(struct node *n, struct node *m) { n->next = list; get(1); n = m; list = n; }
static void restored(struct node *n) { n->next = list, list = n; get(1); list = n->next; }
static void elsewhere(struct node *n) { n->next = list; get(1); last = n; }
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
      struct node n[9];
      push(&list, n), enter(n + 1), late(n + 2), looked(n + 3), renewed(n + 4, n + 5), restored(n + 6), elsewhere(n + 7);
      long p = 0;
      private(&p);
      ours = ours + get(1);
    }
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&a[i]);
  do { async mine = mine + get(1); } finish;
}
