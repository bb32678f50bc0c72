#include <charcoal.h>
static ch_sem s;
int f(void);
void clauses(int n) {
  int r;
  waituntil (when (n) f()) {}
  waituntil (when (n > 1) ch_sem_wait(&s)) n = 1;
  or waituntil (r = when (n) ch_sem_wait(&s)) {}
  waituntil (ch_sem_wait(&s) when (n)) {}
  waituntil (if (n) ch_sem_wait(&s)) {}
  waituntil (fair ch_sem_wait(&s)) {}
  fair waituntil (ch_sem_wait(&s)) {}
  waituntil (async f()) {}
  waituntil (waituntil (ch_sem_wait(&s))) {}
  waituntil (ch_sem_wait(&s) { n++; }
  waituntil { case ch_sem_wait(&s): break; default: break; }
}
