/* Each line that ends with "error" has one, at that line; the others have none. */
#include <charcoal/events.h>
struct place {
  int a;
};
void lookup(event(int) done);
void several(event(int, struct place, const char *) done);
void f(void) {
  rendezvous(struct place) places;
  rendezvous() plain;
  double d = 0;
  const char *id = 0;
  int i = 0;
  struct place p = {0};
  lookup(mkevent(plain, &i));
  lookup(mkevent(plain, &d)); // error
  (void)mkevent(plain, i); // error
  (void)mkevent(places, p, &i);
  (void)mkevent(places, i, &i); // error
  (void)mkevent(places, id); // error
  (void)mkevent(places); // error
  (void)mkevent(&i); // error
  several(mkevent(places, p, &i, &p, &id));
  several(mkevent(places, p, &i, &id, &p)); // error
  twait { several(mkevent(&i, &p, &id)); }
  twait(places, &p);
  twait(places, &id); // error
  twait(i); // error
  ch_trigger(mkevent(plain, &i), i);
  ch_trigger(mkevent(plain, &i), id); // error
  ch_trigger(mkevent(plain, &i)); // error
  ch_trigger_after(1, mkevent(plain, &i)); // error
  event(int) e = mkevent(plain); // error
  event(long) other = mkevent(plain, &i); // error
  (void)e;
  (void)other;
}
