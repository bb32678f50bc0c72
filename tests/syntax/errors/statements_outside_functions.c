#include <charcoal.h>
int g(void);
void f(int x) {
  do {
    async { x = g(); }
  } finish; }
  waituntil (ch_sleep(1)) x = 2;
  async { g(); }
  within (5) do g(); finish;
}
int finish, async(int n);
