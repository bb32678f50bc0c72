/* The handlers of forks, and the word by which an unnoticed child is known. See forks.h. */
#define _GNU_SOURCE
#include "frames/forks.h"
#include "sched/check.h"
#include <sys/mman.h>

/* The word has memory of its own, as large as the largest page. Where the kernel does not know MADV_WIPEONFORK (before
 * Linux 4.14) a child keeps its parent's value, and remains unnoticed. */
#ifdef __aarch64__
#define PAGE 65536
#else
#define PAGE 4096
#endif
uint32_t ch_process_is_known[PAGE / sizeof(uint32_t)] __attribute__((aligned(PAGE)));

/* Functions that are called in the order in which they were added. */
enum { ROOM = 32 }; /* more than the runtime has */
struct calls {
  void (*all[ROOM])(void);
  unsigned count;
};
static struct calls late, hooks;

static void add(struct calls *to, void (*function)(void)) {
  const unsigned at = __atomic_fetch_add(&to->count, 1, __ATOMIC_RELAXED);
  CH_INVARIANT(at < ROOM, "there is room for all handlers of forks");
  __atomic_store_n(&to->all[at], function, __ATOMIC_RELEASE);
}

static void call(struct calls *those) {
  for (unsigned i = 0; i < ROOM; i++)
    if (those->all[i]) /* it may be that the parent was just adding it */
      those->all[i]();
}

static void is_known(void) { *ch_process_is_known = 1; }

__attribute__((constructor(CH_INNER_LOCK))) static void watch_for_children(void) {
  madvise(ch_process_is_known, sizeof ch_process_is_known, MADV_WIPEONFORK);
  is_known();
  pthread_atfork(NULL, NULL, is_known);
}

void ch_lock_at_fork(void (*before)(void), void (*after)(void), void (*instead)(void)) {
  pthread_atfork(before, after, after);
  add(&late, instead);
}

void ch_child_hook(void (*hook)(void)) { add(&hooks, hook); }
void ch_run_child_hooks(void) { call(&hooks); }

void ch_fork_run_late(void) {
  is_known();
  call(&late);
  call(&hooks);
}
