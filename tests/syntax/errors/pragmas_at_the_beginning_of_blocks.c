// No error: these pragmas have to stand before everything else in a block, and the front end puts nothing before them.
#include <charcoal.h>
#include <charcoal/events.h>

double compute(double);

noncancellable double whole(double x) {
#pragma STDC FP_CONTRACT OFF
  return compute(x) * x + 3;
}

tamed answer(double x, event(double) done) {
#pragma clang fp contract(off)
  ch_trigger(done, compute(x) * x + 3);
}

double each(double x) {
#pragma STDC FENV_ACCESS ON
#pragma STDC FP_CONTRACT OFF
  rendezvous() all;
  answer(x, mkevent(all, &x));
  ch_twait_all(all);
  twait {
#pragma STDC FENV_ACCESS OFF
    rendezvous() inner;
    answer(x, mkevent(&x));
    ch_rendezvous_cancel(inner);
  }
  do {
#pragma STDC CX_LIMITED_RANGE ON
    async {
#pragma float_control(precise, on)
      x = compute(x) * x + 3;
    }
  } finish;
  return x;
}
