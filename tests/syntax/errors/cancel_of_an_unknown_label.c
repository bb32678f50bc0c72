#include <charcoal.h>
int g(int);
void f(int n) {
first:
  do {
    async g(n);
  } finish;
loop:
  while (n) {
    do {
      async { cancel first; }
      cancel loop;
      ch_cancel(nowhere);
    } finish;
  }
  cancel first;
}
