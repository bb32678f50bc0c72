#include <charcoal.h>
#include <unistd.h>
ch_may_block int mine(int);
static ch_may_block int own(int n) { return n; }
int g(int);
#define LOCKED(x) atomic { x; }
atomic int f(int n) {
  usleep(3);
  g(mine(n));
  return sizeof(usleep(4));
}
void h(int n) {
  usleep(1);
  atomic {
    usleep(1);
    activate { usleep(2); mine(1); }
    do async usleep(3); finish;
    if (n) own(3);
  }
  usleep(1);
  atomic int k = mine(4);
  g(atomic (k + mine(5)));
  usleep(6);
  LOCKED(read(1, 0, 0))
  atomic usleep(7);
  g(k);
}
