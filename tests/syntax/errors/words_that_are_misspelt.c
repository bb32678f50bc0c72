#include <charcoal.h>
int g(int);
void f(int n, int *r) {
  do { async g(n); } finsh;
  do { asnyc g(n); asynch { g(1); } } finish;
  do { aysnc r[0] = g(n); asinc (n) { g(n); } } fnish;
  q: witin (5) do { cancle q; cansel; } finnish;
  atomci { g(n); }
  atmoic n = g(n);
  actvate { g(n); }
  activte [0] (n) { g(n); }
  acitvate g(n);
  yeild;
  noncancelable { g(n); }
  do { g(n); } finis;
}
typedef int asyn, atomics;
int names(int yeld, int field) {
  asyn a = 1;
  atomics b, wield = 2;
  struct { int x; } finist;
  wield;
  field;
  finist;
  return a + b + yeld;
}
