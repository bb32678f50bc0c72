#include <charcoal.h>
#include <charcoal/clauses.h>
ch_never_waits int waits(ch_sem *s);
int waits(ch_sem *s) {
  waituntil (ch_sem_wait(s)) { return 1; }
  return 0;
}
ch_never_waits int looks(ch_sem *s);
int looks(ch_sem *s) {
  waituntil (ch_sem_wait(s)) { return 1; }
  else { return 0; }
  return 2;
}
