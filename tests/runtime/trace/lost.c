/* Updates are lost while their activity sleeps: the trace has them. */
#include <charcoal.h>

static long total;

static __attribute__((noinline)) void add(long n) {
  long before = total;
  ch_sleep(1000000);
  total = before + n;
}

int main(void) {
  ch_activity a[2];
  for (int i = 0; i < 2; i++)
    activate [&a[i]] (i) { add(i + 1); }
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&a[i]);
}
