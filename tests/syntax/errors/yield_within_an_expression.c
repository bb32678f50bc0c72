#include <charcoal.h>
int f(int n) {
  n = yield;
  return n;
}
