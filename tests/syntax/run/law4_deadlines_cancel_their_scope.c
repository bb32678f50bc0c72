// A deadline cancels its scope when its time has come, and no other; it is withdrawn with the scope. In virtual time.
#include <charcoal.h>
#include <errno.h>
#include <stdio.h>

#define MS 1000000LL
static int64_t start;
static int evaluated;
static int passed(void) { return (int)((ch_now() - start) / MS); }
static int64_t count(int64_t t) {
  evaluated++;
  return t;
}

static int late(void) { // the paper's figure 4, in one line
  int error;
  within (5 * MS) do error = ch_sleep(100 * MS); finish;
  return error;
}

static int in_time(void) {
  within (50 * MS) do return ch_sleep(10 * MS); finish;
}

int main(void) {
  int a, b = -1, c = -1;
  start = ch_now();
  a = late();
  printf("%d after %d\n", a == ECANCELED, passed());
  start = ch_now();
  a = in_time();
  printf("%d after %d\n", a, passed());
  a = ch_sleep(100 * MS); // nothing is left of it
  printf("%d after %d\n", a, passed());

  start = ch_now();
  within (count(10 * MS)) do {
    async a = ch_sleep(5 * MS);
    async b = ch_sleep(20 * MS);
    by (start + count(7 * MS)) do c = ch_sleep(20 * MS); finish;
    printf("inner: %d after %d, outer: %d\n", c == ECANCELED, passed(), ch_cancelled());
    c = ch_sleep(20 * MS);
    printf("outer: %d after %d\n", c == ECANCELED, passed());
  } finish;
  printf("%d %d %d after %d, evaluated %d\n", a, b == ECANCELED, c == ECANCELED, passed(), evaluated);

  // Nearest first: the outer one may come earlier.
  start = ch_now();
  within (3 * MS) do
    within (1000 * MS) do
      a = ch_sleep(2000 * MS);
    finish;
  finish;
  printf("%d after %d\n", a == ECANCELED, passed());

  // A time that has passed; one that never comes.
  within (-1) do a = ch_sleep(MS); finish;
  by (0) do b = ch_sleep(MS); finish;
  within (CH_FOREVER) do c = ch_sleep(MS); finish;
  printf("%d %d %d\n", a == ECANCELED, b == ECANCELED, c);
  by (INT64_MIN) do a = ch_sleep(MS); finish;
  by (CH_FOREVER) do c = ch_sleep(MS); finish;
  printf("%d %d\n", a == ECANCELED, c);

  // Ended by hand before the time.
  start = ch_now();
reply:
  within (1000 * MS) do {
    async { ch_sleep(2 * MS); cancel reply; }
    a = ch_sleep(5000 * MS);
  } finish;
  printf("%d after %d\n", a == ECANCELED, passed());

  // noncancellable is for deadlines, too.
  start = ch_now();
  within (1 * MS) do {
    noncancellable a = ch_sleep(3 * MS);
    b = ch_sleep(3 * MS);
  } finish;
  printf("%d %d after %d\n", a, b == ECANCELED, passed());

  // A thousand at once, each with its own.
  int cancelled = 0, done = 0;
  start = ch_now();
  do
    for (int i = 0; i < 1000; i++)
      async {
        int k = i, error = 0;
        within ((k + 1) * MS) do error = ch_sleep((k % 2 ? k + 2 : k) * MS); finish;
        error ? cancelled++ : done++;
      }
  finish;
  printf("%d cancelled, %d done after %d\n", cancelled, done, passed());
}
