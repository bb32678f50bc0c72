// async, finish, cancel, noncancellable, within and by are names wherever the shape of a form does not follow, or the
// program has declared them.
#include <charcoal.h>
#include <stdio.h>
struct job { int async, finish, cancel; struct { int by, within; } noncancellable; };
enum { by_value = 1 };
typedef struct job by_t;
static int within(int low, int x, int high) { return low <= x && x <= high; }
static int (*handler)(int);
static int twice(int finish) { return 2 * finish; }
static int labels(int n) {
  int async = 0;
  if (n) goto finish;
  async = 1;
cancel:
  async += 10;
finish:
  if (async == 1) goto cancel;
  return async + n;
}
static int locals(int by) {
  int cancel = by, finish[2] = {1, 2}, *within_ = finish;
  cancel += finish[0];
  cancel = cancel * *within_;
  do cancel--; while (cancel > 3);
  do { int finish = 1; cancel += finish; } while (0);
  { int (*async)(int) = twice; cancel = async(cancel); }
  { int noncancellable = 4; noncancellable *= 2; cancel += noncancellable; }
  switch (by) { case 1: cancel++; default: finish[1]--; }
  return cancel + finish[1];
}
static int mixed(int n) { // both in one function
  struct job async = {n, 1, 2, {3, 4}};
  int by = 0;
  do {
    async { by += async.finish; }
    async.async += 5;
    async { by += async.cancel; cancel; }
  } finish;
  return by + async.async + async.noncancellable.within;
}
static void (*cancel)(void);
static int cancels;
static void count(void) { cancels++; }
static int declared(void) {
  cancel = count;
  cancel();
  (*cancel)();
  do { cancel(); cancel; } finish; // in a finish the statement `cancel;` can mean nothing else
  return cancels;
}
int main(void) {
  by_t job = {1, 2, 3, {4, 5}}, *by = &job;
  handler = twice;
  printf("%d %d %d %d %d\n", within(1, by->finish, 3), labels(0), labels(1), locals(5), mixed(2));
  printf("%d %d %d\n", declared(), handler(by->noncancellable.by), by->async + by_value);
}
