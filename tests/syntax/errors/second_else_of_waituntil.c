#include <charcoal.h>
static ch_sem s;
int f(int n) {
  if (n)
    waituntil (ch_sem_wait(&s)) {
      n = 1;
    } else {
      n = 2;
    }
  else
    n = 3;
  waituntil (ch_sem_wait(&s)) {
    n = 4;
  } else {
    n = 5;
  } else {
    n = 6;
  }
  return n;
}
