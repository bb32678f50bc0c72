#include <charcoal.h>
void f(int n) {
  waituntil (ch_sleep(1) { n = 1; }
  or waituntil (ch_sleep(2)) { n = 2; }
  and waituntil (ch_sleep(3)) { n = 3; }
}
