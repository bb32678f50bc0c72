#include <charcoal.h>
int g(void);
void f(int x) {
  if (x)
    waituntil (ch_sleep(1)) g();
  else
    g();
  if (x) {
    waituntil (ch_sleep(1)) g();
    else g();
  } else
    waituntil (ch_sleep(1)) g();
    else g();
}
