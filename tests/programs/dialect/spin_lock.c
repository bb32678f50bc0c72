/* A spin lock in a header, as libraries have them for their global state: its holder may be set aside, and whoever
 * spins must let it go on. */
// outcome: spin_lock.expected
#include <charcoal.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int held;
static int value;

static void lock(void) {
  for (;;) {
    if (!atomic_exchange_explicit(&held, 1, memory_order_acquire))
      return;
    while (atomic_load_explicit(&held, memory_order_relaxed))
      ;
  }
}
static void unlock(void) { atomic_store_explicit(&held, 0, memory_order_release); }

__attribute__((noinline)) static void work(void) {
  int before = value;
  yield;
  value = before + 1;
}

int main(void) {
  ch_activity a[10];
  for (int i = 0; i < 10; i++)
    activate [&a[i]] {
      for (int k = 0; k < 100; k++) {
        lock();
        work();
        unlock();
      }
    }
  for (int i = 0; i < 10; i++)
    ch_activity_wait(&a[i]);
  printf("%d\n", value);
  return 0;
}
