#include <charcoal.h>
int g(int);
void f(int n) {
  switch (n) {
    atomic {
    case 1:
      g(n);
    }
  }
}
