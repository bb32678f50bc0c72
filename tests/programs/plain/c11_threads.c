/* C11 threads and thread-local destructors through tss. */
// flags: -pthread
#include <stdio.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static tss_t k;
static int sum, stage;
static thread_local int mine = 3;
__attribute__((noinline)) static int t(int x) {
  mine += x;
  return x;
}
static void drop(void *p) {
  mtx_lock(&m);
  sum += *(int *)p;
  mtx_unlock(&m);
}
static int run(void *p) {
  int id = *(int *)p, v = id * t(2);
  tss_set(k, &v);
  mtx_lock(&m);
  while (stage != id)
    cnd_wait(&c, &m);
  stage += t(1);
  sum = sum * 2 + id;
  cnd_broadcast(&c);
  mtx_unlock(&m);
  int r = mine;
  if (id == 2) {
    static int w = 7;
    tss_set(k, &w);
    thrd_exit(r + 100);
  }
  static int z[4];
  z[id] = v;
  tss_set(k, &z[id]);
  return r;
}
int main(void) {
  thrd_t th[4];
  int id[4], r, all = 0;
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  tss_create(&k, drop);
  for (int i = 0; i < 4; i++) {
    id[i] = i;
    thrd_create(&th[i], run, &id[i]);
  }
  for (int i = 0; i < 4; i++) {
    thrd_join(th[i], &r);
    all = all * 10 + r;
  }
  printf("%d %d %d\n", all, stage, mine);
}
