#include <charcoal.h>
void f(int n) {
  waituntil (ch_sleep(1)) or waituntil (ch_sleep(2)) n = 2;
  waituntil (ch_sleep(1)) else n = 1;
  waituntil (ch_sleep(1)) int m = 5;
  waituntil (ch_sleep(1)) n = 1;
  and waituntil (ch_sleep(2)) int64_t m;
  waituntil (ch_sleep(1)) n = 1;
  else typedef int other;
  waituntil (ch_sleep(1)) n = 1; // right
  or waituntil (ch_sleep(2));
}
