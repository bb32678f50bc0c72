// Law 11: async, finish, cancel and their kin elided by any compiler: what does not depend on overlap is the same.
#include <charcoal.h>
#include <stdio.h>

static long total;
static int evaluated;

static int slow(int n) {
  ch_sleep(1000 * (int64_t)(5 - n));
  total += n;
  return n * n;
}

static noncancellable int safe(int n) { return slow(n) + 1; }

static int64_t count(int64_t n) {
  evaluated++;
  return n;
}

static int early(int n) {
  do {
    async slow(1);
    if (n)
      return 7 + (int)total * 0;
    async slow(2);
    if (!n)
      goto out;
    async slow(100);
  } finish;
  return 9;
out:
  return 8;
}

static int sum(int n) { // all of 1 .. n, at once
  int squares[8] = {0}, result = 0;
  do {
    for (int i = 0; i < n; i++) {
      async ch_copy(i) { squares[i] = slow(i); } // the other i changes while slow() waits
    }
  } finish;
  for (int i = 0; i < n; i++)
    result += squares[i];
  return result;
}

int main(void) {
  int a = 0, b = 0;
  do {
    async a = slow(3);
    async { b = slow(1); b++; }
  } finish;
  printf("%d %d %ld\n", a, b, total);

  do async a = safe(2); finish;
  printf("%d %d\n", a, sum(5));

  queries: within (count(60 * (int64_t)1000000000)) do {
    async { a = slow(1); if (a < 0) ch_cancel(queries); }
    by (ch_now() + count(1) + 60 * (int64_t)1000000000) do
      if (a) async slow(2); else { async slow(3); async async b = slow(4); }
    finish;
    if (ch_cancelled())
      cancel;
  } finish;
  printf("%d %d %d\n", a, b, evaluated);

  if (a) do { noncancellable { b = slow(2); } noncancellable a = slow(1); if (b < 0) goto out; } finish; else b = 99;
out:
  printf("%d %d %d %d\n", a, b, early(0), early(1));
  do { switch (a) { case 1: async slow(1); break; default: async slow(2); } do { a++; } while (a < 4); } finish;
  printf("%d %ld\n", a, total);
  if (a < 0)
    goto queries;
  return 0;
}
