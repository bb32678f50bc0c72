#include <charcoal.h>
int g(int);
void f(int n) {
  int unused, set = 0;
queries:
never:
  do {
    int n = 1;
    async { int k = n; g(1) == 2; }
    if (set)
      cancel queries;
  } finish;
  int after_everything;
}
