// Each function declares words of the dialect as names of its own, and the one behind it uses them as words.
#include <charcoal.h>
#include <stdio.h>
static int parameter(int yield, int atomic) { return yield + atomic; }
static int after_parameters(int n) { yield; atomic n++; return n; }
static int locals(int n) { int async = n, finish = 1; { int cancel = async; return cancel + finish; } }
static int after_locals(int n) { do { async n++; if (n > 100) cancel; } finish; return n; }
static int of_a_pointer(int (*activate)(int within)) { return activate(1); }
static int after_a_pointer(int n) {
  ch_activity a;
  activate [&a] { n++; }
  ch_activity_wait(&a);
  within (1000000000) do { n++; } finish;
  return n;
}
static int types(int n) { typedef int noncancellable; struct by { int x; } by = {n}; noncancellable m = by.x; return m; }
static int after_types(int n) { noncancellable { n++; } by (ch_now() + 1000000000) do { n++; } finish; return n; }
static int old(yield) int yield; { yield; yield++; return yield; }
static int after_old(int n) { yield; return n; }
int main(void) {
  printf("%d %d ", parameter(1, 2), after_parameters(1));
  printf("%d %d ", locals(3), after_locals(4));
  printf("%d %d ", of_a_pointer(after_old), after_a_pointer(5));
  printf("%d %d ", types(6), after_types(7));
  printf("%d %d\n", old(8), after_old(9));
  return 0;
}
