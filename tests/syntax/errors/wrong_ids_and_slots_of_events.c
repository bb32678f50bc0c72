#include <charcoal/events.h>
struct place {
  int a;
};
void f(struct place p, double d, int i, const char *text) {
  rendezvous(int) ids;
  rendezvous() plain;
  rendezvous(struct place) places;
  mkevent(ids, text, &i);
  mkevent(places, i, &i);
  mkevent(plain, i);
  mkevent(ids);
  mkevent(&i);
  mkevent(i);
  twait(ids, &d);
  twait(ids, i);
  twait(i);
  _BitInt(40) many_bits = 0;
  mkevent(plain, &many_bits);
}
