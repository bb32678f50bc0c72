#include <charcoal.h>
int n;
void f(void) {
  atomic error {
    atomic if (n) activate { n++; }
    atomic delay { activate { n++; } }
  }
  atomic containd { activate { n++; } }
  atomic nonsense { n++; }
  if (n) atomic contained { n++; } else atomic contained { n--; }
  void delay(void);
  atomic delay();
}
