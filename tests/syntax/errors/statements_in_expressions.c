#include <charcoal.h>
static ch_sem s;
int f(int);
int values(int n) {
  int r = async f(1);
  do {
    r = n + async f(2);
    async r = f(3), async n = f(4);
  } finish;
  r = activate f(5);
  f(async { n = 6; });
  r += waituntil (ch_sem_wait(&s)) { n = 7; };
  r = noncancellable f(8);
  return async f(8);
}
