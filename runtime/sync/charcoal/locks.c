/* The calls of charcoal/locks.h that wait more than once or call code of the program, in Charcoal C. */
#include "sync/cond.h"
#include "sync/once.h"
#include <charcoal/dialect.h>
#include <errno.h>

int ch_once_run(ch_once *o, int (*fn)(void *), void *argument) {
  int result = ch_once_enter(o);
  if (result != CH_ONCE_RUN)
    return result;
  result = fn(argument);
  ch_once_leave(o, result == 0);
  return result;
}

int ch_cond_wait(ch_cond *c, ch_mutex *m) {
  int result = ch_cond_sleep(c, m);
  if (result == CH_COND_NOT_BEGUN)
    return ECANCELED;
  if (result == EPERM)
    return result;
  noncancellable ch_lock(m);
  return result;
}
