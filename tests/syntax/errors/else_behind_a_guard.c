#include <charcoal.h>
static int x;
void f(ch_sem *s) {
  waituntil (ch_sem_wait(s)) {}
  if (x) f(s);
  waituntil (ch_sem_wait(s)) {}
  or when (x) else f(s);
}
