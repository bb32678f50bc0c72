#include <charcoal.h>
#include <charcoal/locks.h>
void f(ch_permits *p) {
  waituntil (ch_sleep()) {}
  waituntil (ch_sleep(1, 2)) {}
  or waituntil (ch_permits_take(p)) {}
}
