#include <charcoal.h>
#include <unistd.h>
static int settle(int n) { return usleep(n); }
static void gives(void) { yield; }
ch_never_waits int promises(int n);
int f(ch_sem *s, int n) {
  assert_no_yield { n++; ch_sem_wait(s); }
  assert_no_yield {
    if (n) settle(n);
  }
  if (n) assert_no_yield { yield; }
  assert_no_yield { gives(); ch_sem_wait(s); }
  do { async assert_no_yield { ch_reschedule(); } } finish;
  assert_no_yield { activate { usleep(1); } n += promises(n) + ch_sem_trywait(s); }
  return settle(n);
}
ch_never_waits int keeps(int n) { assert_no_yield { return n; } }
