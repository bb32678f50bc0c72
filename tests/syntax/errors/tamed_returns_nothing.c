#include <charcoal/events.h>
tamed f(int n) {
  if (n)
    return;
  return n;
}
tamed int g(int n) {
  twait { ch_trigger_after(n, mkevent()); }
}
tamed int n;
