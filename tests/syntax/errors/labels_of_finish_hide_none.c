#include <charcoal.h>
int g(int);
void f(int n) {
q:
  do {
    async {
    q:
      do {
        async g(n);
        cancel q;
      } finish;
    }
    q: within (5) do g(n); finish;
  } finish;
}
