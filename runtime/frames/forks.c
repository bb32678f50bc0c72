/* The handlers of forks, and the word by which an unnoticed child is known. See forks.h. */
#define _GNU_SOURCE
#include "frames/forks.h"
#include <sys/mman.h>

/* The word has memory of its own, as large as the largest page. Where the kernel does not know MADV_WIPEONFORK (before
 * Linux 4.14) a child keeps its parent's value, and remains unnoticed. */
#ifdef __aarch64__
#define PAGE 65536
#else
#define PAGE 4096
#endif
uint32_t ch_process_is_known[PAGE / sizeof(uint32_t)] __attribute__((aligned(PAGE)));

/* More than the runtime has. */
enum { ROOM = 64 };
static void (*all_late[ROOM])(void);
static unsigned registered;

static void is_known(void) { *ch_process_is_known = 1; }

__attribute__((constructor(CH_INNER_LOCK))) static void watch_for_children(void) {
  madvise(ch_process_is_known, sizeof ch_process_is_known, MADV_WIPEONFORK);
  is_known();
  pthread_atfork(NULL, NULL, is_known); /* before the program's handlers, which may wait */
}

void ch_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void), void (*late)(void)) {
  pthread_atfork(before, in_parent, in_child);
  unsigned at = late ? __atomic_fetch_add(&registered, 1, __ATOMIC_RELAXED) : ROOM;
  if (at < ROOM)
    __atomic_store_n(&all_late[at], late, __ATOMIC_RELEASE);
}

void ch_fork_run_late(void) {
  is_known();
  for (unsigned i = 0; i < ROOM && all_late[i]; i++)
    all_late[i]();
}
