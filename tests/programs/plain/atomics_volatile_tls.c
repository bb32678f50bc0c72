/* _Atomic, volatile and thread-local objects around calls. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdbool.h>
#define NI __attribute__((noinline))
static _Atomic int ai;
static atomic_long al;
static atomic_flag fl = ATOMIC_FLAG_INIT;
static volatile int vi;
static _Thread_local int ti = 5;
static __thread struct {
  int a;
  char b[20];
} ts = {1, "x"};
NI static int t(int x) {
  ti += x;
  vi++;
  return x;
}
struct wide {
  _Alignas(8) int a;
  int b;
};
static _Atomic struct wide aw;
NI static int *tls_address(void) { return &ti; }
NI static int volatile_dance(int n) {
  volatile int a = 1;
  int b = 2;
  for (int i = 0; i < n; i++) {
    a += t(i);
    b ^= a;
    a = a * 2 % 1001;
    t(a);
    b += vi & 3;
  }
  return a * 1000 + b % 1000;
}
NI static int atomics(int n) {
  _Atomic int local = 3;
  int expected = 3;
  bool ok = atomic_compare_exchange_strong(&local, &expected, t(n));
  ok &= !atomic_compare_exchange_strong(&local, &expected, t(9));
  ok &= expected == n;
  local += t(4);
  local ^= t(1);
  int old = atomic_fetch_sub(&local, t(2));
  ai |= t(8);
  al += t(3);
  atomic_fetch_add_explicit(&al, t(4), memory_order_relaxed);
  return ok * 10000 + old * 100 + local;
}
int main(void) {
  printf("%d\n", volatile_dance(20));
  printf("%d %d %ld\n", atomics(6), ai, al);
  printf("%d %d\n", atomic_flag_test_and_set(&fl), atomic_flag_test_and_set(&fl));
  struct wide w = aw;
  w.a = t(1);
  w.b = t(2);
  aw = w;
  struct wide z = aw;
  printf("%d %d\n", z.a, z.b);
  int *p = tls_address();
  *p += t(100);
  ts.a += t(3);
  ts.b[1] = (char)t('y');
  printf("%d %d %s %d\n", *p == ti, ts.a, ts.b, ti);
  volatile struct wide vs = {1, 2};
  vs.a += t(5);
  vs.b = vs.a * t(2);
  struct wide c = vs;
  printf("%d %d %d\n", c.a, c.b, vi);
  int *volatile vp = &ti;
  *vp = t(1);
  atomic_thread_fence(memory_order_seq_cst);
  printf("%d\n", ti);
}
