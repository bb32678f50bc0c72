#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/locks.h>
static channel(int) numbers;
static ch_permits permits;
static int total;
void use(int *);
ch_never_waits void takes(void);
void takes(void) {
  ch_permits_try(&permits, 1);
  ch_permits_take(&permits, 1);
}
ch_never_waits int once(ch_once *, int (*)(void *));
int once(ch_once *one, int (*first)(void *)) { return ch_once_run(one, first, 0); }
void adds(void) {
  int old = total;
  ch_send(&numbers, &old);
  total = old + 1;
}
void tries(void) {
  int old = total;
  ch_try_send(&numbers, &old);
  total = old + 1;
}
void waited_for_by_a_message(int n) {
  activate use(&n);
  ch_recv(&numbers, &n);
}
void others(void) {
  activate adds();
  activate tries();
}
void chooses(void) {
  int old = total, n;
  waituntil (ch_recv(&numbers, &n)) { total = old + n; }
  or waituntil (ch_permits_take(&permits, 1)) {}
}
ch_never_waits void receives(int *);
void receives(int *n) { ch_recv(&numbers, n); }
