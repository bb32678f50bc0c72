// `async (i) { … }` has its own i; everything else is shared. In virtual time.
#include <charcoal.h>
#include <stdio.h>
static int nap(int ms, int v) { ch_sleep(ms * 1000000LL); return v; }
int main(void) {
  int squares[5], n = 3, seen = 0;
  _Alignas(64) char wide[64] = "w";
  const int c = 4;
  do {
    for (int i = 0; i < 5; i++) {
      int twice = 2 * i;
      async ch_copy(i, c) { squares[i] = nap(5 - i, i * c); i = 99; }
      async { nap(9, 0); seen += twice; } // one variable for all of them
    }
    async ch_copy(wide, n) { nap(1, 0); n += wide[0] == 'w' && (unsigned long)&wide % 64 == 0; printf("%d\n", n); }
    wide[0] = 0; n = 7;
  } finish;
  for (int i = 0; i < 5; i++) printf("%d ", squares[i]);
  printf("%d %d\n", n, seen);
}
