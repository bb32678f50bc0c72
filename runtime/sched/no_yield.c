/* See no_yield.h. Only the thread's running code can be in such a block, because the program ends if code is set aside
 * in one. So there is no state to save at a switch.
 *
 * A block counts as a spinlock that is held: yield points inside are void (domain.c), other than those pauses that the
 * program asks for by name. */
#include "sched/no_yield.h"
#include "charcoal.h"
#include "sched/domain.h"

__thread __attribute__((tls_model("initial-exec"))) struct ch_no_yield_block ch_no_yield_block;

const char *ch_no_yield(const char *site) {
  struct ch_no_yield_block *block = &ch_no_yield_block;
  const char *before = block->site;
  if (site && !before) {
    if (!(__atomic_load_n(&ch_watched, __ATOMIC_RELAXED) & CH_WATCH_NO_YIELD))
      __atomic_or_fetch(&ch_watched, CH_WATCH_NO_YIELD, __ATOMIC_RELAXED);
    block->who = ch_domain.current;
    ch_domain.spinlocks++;
  } else if (!site && before && ch_domain.spinlocks > 0) {
    ch_domain.spinlocks--;
  }
  block->site = site;
  return before;
}

void ch_no_yield_drop(void) { (void)ch_no_yield(NULL); }
