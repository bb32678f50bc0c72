#include <charcoal.h>
void f(int i, int j) {
  do {
    async (i, ) { f(i, j); }
    async (i, j) { f(i, j); }
  } finish;
  activate (i, j, ) { f(i, j); }
}
