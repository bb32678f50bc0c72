#include <charcoal.h>
int g(int);
void f(int n) {
  do {
    async int x = g(n);
    async size_t y = 3;
    async static int z;
    x = y + z;
  } finish;
}
