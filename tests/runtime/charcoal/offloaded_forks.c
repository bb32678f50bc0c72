/* tfork_offload: calls that block their thread, as events. */
#include "harness.h"
#include <charcoal/events.h>
#include <sched.h>

/* Blocks its thread until somebody else has run in the domain. */
static _Atomic int lets_go;
static long blocks(int n) {
  while (!lets_go)
    sched_yield();
  return 10L * n;
}
static void blocks_without_result(long *to) { *to = blocks(7); }

TEST(tfork_offload_lets_a_thread_make_the_call) {
  long v[3] = {0}, other = 0;
  int id, seen = 0;
  rendezvous(int) r;
  long (*pointer)(int) = blocks;
  lets_go = 0;
  activate {
    EXPECT(v[0] == 0 && other == 0);
    lets_go = 1;
  }
  twait {
    for (int i = 0; i < 3; i++)
      tfork_offload(blocks(i + 1), &v[i]);
    tfork_offload(pointer(9));
    tfork_offload(blocks_without_result(&other));
  }
  EXPECT(v[0] == 10 && v[1] == 20 && v[2] == 30 && other == 70);
  tfork_offload(r, 1, pointer(5), &other);
  tfork_offload(r, 2, blocks(1));
  for (int i = 0; i < 2; i++) {
    EXPECT(twait(r, &id) == 0);
    seen |= id;
  }
  EXPECT(seen == 3 && other == 50);
}

TEST(an_offloaded_call_outlives_its_event) {
  rendezvous(int) r;
  long v = 0, ended = 0;
  lets_go = 0;
  tfork_offload(r, 1, blocks(1), &v);
  tfork_offload(r, 2, blocks_without_result(&ended));
  ch_reschedule(); /* both have begun */
  ch_rendezvous_cancel(r);
  lets_go = 1;
  while (!*(volatile long *)&ended)
    ch_sleep(1000000);
  EXPECT(v == 0 && ch_triggered(r) == 0);
}
