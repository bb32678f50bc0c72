#include <charcoal.h>
int g(int);
void f(int n) {
  q: do {
    async g(n);
    cancel(q);
    cancel();
    cancel q
  } finish;
  do { cancel } finish;
  do { cancel g(n); } finish;
  do { if (n) cancel else g(n); } finish;
  cancel;
  yield();
  yield
  g(n);
  yield n = 3;
  if (n) { yield }
  while (n) yield
}
