/* Measures entering a tamed function that does not wait; loops of `twait` over timers that are due at once, with an
 * implicit and an explicit rendezvous; fork and join; and an event that is made and dropped. */
#include <charcoal.h>
#include <charcoal/events.h>

#include "calls.h"

static tamed benchfn(unsigned long n, event() finished) {
  for (unsigned long i = 0; i < n; i++) {
    twait { ch_trigger_after(0, mkevent()); }
    done++;
  }
  ch_trigger(finished);
}

static void implicit(unsigned long n) {
  twait { benchfn(n, mkevent()); }
}

static tamed benchfn_explicit(unsigned long n, event() finished) {
  rendezvous() r;
  for (unsigned long i = 0; i < n; i++) {
    ch_trigger_after(0, mkevent(r));
    twait(r);
    done++;
  }
  ch_trigger(finished);
}

static void explicit(unsigned long n) {
  twait { benchfn_explicit(n, mkevent()); }
}

static void threads(unsigned long n) {
  for (unsigned long i = 0; i < n; i++) {
    twait {
      event() e = mkevent();
      activate(e) {
        done++;
        ch_trigger(e);
      }
    }
  }
}

static void wraps(unsigned long n) {
  rendezvous() r;
  for (unsigned long i = 0; i < n; i++) {
    ch_event_cancel(mkevent(r));
    done++;
  }
}

int main(int argc, char **argv) {
  static const struct work works[] = {
      {"nullfn", nullfns, CALLS},
      {"allocation", allocations, CALLS},
      {"wrap", wraps, CALLS},
      {"implicit", implicit, TURNS},
      {"explicit", explicit, TURNS},
      {"threads", threads, TURNS},
      {0},
  };
  run_work(argc, argv, works, &done);
}
