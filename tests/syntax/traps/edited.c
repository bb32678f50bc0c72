#include <charcoal.h>
int callee(int x);
int caller(int counted) {
  ch_activity a;
  activate [&a] (counted) {
    counted += callee(counted);
  }
  atomic { counted++; }
  yield;
  do { async counted = callee(counted); } finish;
  return counted;
}
