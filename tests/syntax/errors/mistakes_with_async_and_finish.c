#include <charcoal.h>
int g(int);
void f(int i, int *r) {
  do { async (i) r[i] = g(i); } finish;
  do { async (i) g(i); async; async (i, i) { g(i); } async (i + 1) { g(i); } } finish;
  do { async [&r] { g(i); } async (void) g(i); } finish;
  do { async g(i); if (i) async } finish;
  do { async g(i) } finish;
  do { async g(i); } finish
  g(1);
  do { async g(i); }
  do { async g(i); } finish g(2);
  finish { async g(i); }
  do { async g(i); } while (i);
  do { g(i); finish; }
  while (i);
  g(i); finish
}
void h(void) { async g(1); }
