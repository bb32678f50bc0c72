// Law 3: `finish` returns when, and only when, every branch started inside it has ended; on every way out. In virtual time.
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t start;
static int64_t passed(void) { return (ch_now() - start) / 1000000; }
static int done;

static int nap(int ms, int value) {
  ch_sleep(ms * 1000000LL);
  done++;
  return value;
}

static int by_return(int n) {
  do {
    async nap(5, 0);
    if (n)
      return (int)passed(); // evaluated before the wait
    async nap(100, 0);
  } finish;
  return -1;
}

struct large { int naps, rest[20]; };
static struct large by_return_of_a_structure(void) {
  struct large result = {3, {0}};
  do {
    async { nap(5, 0); result.naps = 4; }
    return result; // copied before the wait, too
  } finish;
}

static void by_goto(void) {
  do {
    async nap(5, 0);
    do {
      async nap(7, 0);
      goto out;
    } finish;
  } finish;
out:
  printf("goto: %d done after %d\n", done, (int)passed());
}

static int tree(int depth) { // every branch has a finish of its own
  int left = 0, right = 0;
  if (!depth)
    return nap(rand() % 20, 1);
  do {
    async left = tree(depth - 1);
    async right = tree(depth - 1);
  } finish;
  return left + right;
}

static void begin(void) {
  start = ch_now();
  done = 0;
}

struct wide {
  long v[6];
};
static struct wide widen(int n) {
  struct wide w = {{n, n + 1, n + 2, n + 3, n + 4, n + 5}};
  ch_sleep(n * 1000LL);
  return w;
}

int main(void) {
  int a = 0, b = 0, c = 0;
  begin();
  do {
    async a = nap(30, 1);
    async b = nap(10, 2);
    c = nap(20, 3);
  } finish;
  printf("%d %d %d: %d done after %d\n", a, b, c, done, (int)passed());

  begin();
  do {
    async {
      nap(10, 0);
      async nap(50, 0); // finish waits for it as well
      nap(10, 0);
    }
  } finish;
  printf("branches of branches: %d done after %d\n", done, (int)passed());

  begin();
  int result = by_return(1), after = (int)passed(); // not in one expression: the order would be open
  printf("return: %d, %d done after %d\n", result, done, after);
  begin();
  struct large large = by_return_of_a_structure();
  printf("return of a structure: %d, %d done after %d\n", large.naps, done, (int)passed());
  begin();
  by_goto();

  begin();
  do
    for (int i = 0; i < 100; i++) {
      async {
        int k = i; // i goes on when we wait
        nap(k, 0);
        a += k;
      }
    }
  finish;
  printf("a loop: %d, %d done after %d\n", a, done, (int)passed());

  begin();
  int leaves = tree(7);
  printf("a tree: %d, %d done, %s\n", leaves, done, passed() < 20 ? "at once" : "one after the other");

  begin();
  struct wide w[4];
  double d[3] = {0};
  do {
    for (int i = 0; i < 4; i++)
      async { int k = i; w[k] = widen(10 - k); }
    for (int i = 0; i < 3; i++)
      async { int k = i; d[k] = nap(3 - k, k) / 2.0; }
  } finish;
  for (int i = 0; i < 4; i++)
    printf("%ld %ld, ", w[i].v[0], w[i].v[5]);
  printf("%g %g\n", d[1], d[2]);

  begin();
  int n = 5, array[n]; // sizes known at run time are shared as well
  for (int i = 0; i < n; i++)
    array[i] = i;
  do {
    async { nap(5, 0); array[n - 1] = (int)sizeof array; }
    async array[0] = nap(2, 7);
  } finish;
  printf("%d %d\n", array[0], array[n - 1] == 5 * (int)sizeof(int));

  begin();
  ch_activity other;
  activate [&other] { // an activity has branches of its own
    do {
      async nap(20, 0);
      if (n)
        return;
    } finish;
  }
  do async nap(10, 0); finish;
  ch_activity_wait(&other);
  printf("activities: %d done after %d\n", done, (int)passed());

  begin();
  do ; finish;
  do { } finish;
  do { do { do { async a = nap(1, 4); } finish; b = a; } finish; } finish;
  printf("nested: %d after %d\n", b, (int)passed());
}
