#include <charcoal.h>
int g(int);
void f(int n) {
  for (int i = 0; i < n; i++)
    do {
      if (g(i))
        break;
      atomic {
        continue;
      }
    } finish;
  do {
    for (;;)
      break;
    break;
  } finish;
}
