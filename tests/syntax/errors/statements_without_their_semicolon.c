#include <charcoal.h>
int g(void);
void f(int x) {
  do {
    async x = g()
    async { x = g(); }
    x++
    within (1) do x = 1; finish;
  } finish;
  waituntil (ch_sleep(1)) x = 1
  or waituntil (ch_sleep(2)) x = 2;
  int y = x
  waituntil (ch_sleep(1)) y = 2;
  g()
  yield;
}
