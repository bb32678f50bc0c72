#include <charcoal.h>
#include <charcoal/events.h>

void lookup(event(int));

void f(void) {
  int a;
  twait lookup(mkevent(&a));
  twait;
  twait { lookup(mkevent(&a)); }
}
