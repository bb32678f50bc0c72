/* Tells whether a domain has only one activity, whose calls are then the C library's. See single_activity.h. */
#include "posix/single_activity.h"
#include "activity/scope.h"
#include "reactor/inbox.h"
#include "reactor/operation.h"
#include "reactor/reactor.h"
#include "sched/child.h"

static bool is_alone(const struct ch_domain *d) {
  return d->live == 1 && d->group == &d->base && d->current && !d->current->scope && !d->base.head &&
         d->base.outside == 0 && d->marked_count == 0 && ch_inbox_expected == 0 && !ch_has_sources() &&
         !ch_inbox_is_open();
}

/* What threads of the parent do for activities that are not in this child ends, or it would be waited for. */
static void end_what_is_lost(void) {
  if (ch_operations_revive())
    ch_child_clear_queues();
}

/* If others have run or waited here before, the reactor may still have something to tell the kernel: a poll that was
 * withdrawn may hold a closed descriptor open. So the reactor is asked first. */
bool ch_is_single_activity(void) {
  static __thread uint64_t settled = 1; /* the initial value means that only main has run, once */
  struct ch_domain *d = &ch_domain;
  if (ch_reactor == &ch_reactor_simulated)
    return false; /* simulated time does not pass during a plain call */
  if (d->spinlocks > 0)
    return false; /* this includes assert_no_yield, in which a wait is an error even without other activities */
  if (CH_UNLIKELY(ch_some_are_gone))
    end_what_is_lost();
  if (!is_alone(d))
    return false;
  if (CH_UNLIKELY(settled != d->switches)) {
    ch_reactor_poll(0);
    ch_reactor_poll(0);
    settled = d->switches;
  }
  return is_alone(d);
}
