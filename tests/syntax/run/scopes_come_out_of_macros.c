// Each word, and parts of the forms, out of macros. In virtual time.
#include <charcoal.h>
#include <errno.h>
#include <stdio.h>
#define BOTH(a, b) do { async a; async b; } finish
#define BEGIN do {
#define END } finish
#define PARALLEL_FOR(v, n) for (int v##_ = 0; v##_ < (n); v##_++) async for (int v = v##_, once = 1; once; once = 0)
#define GO async
#define TIMEOUT(ms) within ((ms) * 1000000LL)
#define GIVE_UP(name) cancel name
#define SAFE noncancellable
#define WAIT_FOR(statement) do { statement; } finish
static int total;
static int nap(int ms) {
  int error = ch_sleep(ms * 1000000LL);
  total += ms;
  return error;
}
static inline SAFE int safe_nap(int ms) { return nap(ms); }
int main(void) {
  int a = -1, b = -1;
  BOTH(a = nap(2), b = nap(1));
  BEGIN
    GO nap(1);
    PARALLEL_FOR(i, 5) { nap(5 - i); total += 100 * i; }
    if (a) GO nap(1); else GO nap(2);
  END;
  printf("%d %d %d\n", a, b, total);
q: TIMEOUT(3) BEGIN
    GO { a = nap(100); }
    GO SAFE b = nap(10);
    GO { nap(1); GIVE_UP(q); }
  END;
  printf("%d %d\n", a == ECANCELED, b);
  TIMEOUT(1) WAIT_FOR(a = safe_nap(5));
  WAIT_FOR(GO b = nap(1); cancel);
  printf("%d %d %d\n", a, b == ECANCELED, total);
}
