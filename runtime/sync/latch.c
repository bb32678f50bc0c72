/* Latches (charcoal/locks.h). Invariant: while the count is 0 nobody waits. */
#include "sync/gate.h"

static ch_latch *of(const struct ch_gate *g) { return (ch_latch *)(uintptr_t)g; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return (void)c, of(g)->count == 0; }
static void take(struct ch_gate *g, struct ch_gate__clause *c) { (void)g, (void)c; }

static const struct ch_gate_kind kind = {"latch", fits, take, NULL, NULL, NULL, NULL, .brief = false};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);

CH_GATE_CALL(ch_latch_wait, ch_latch, &l->gate, (ch_latch * l), (l), 0, types)
CH_GATE_CLAUSE(ch_latch_wait, &l->gate, 0, types, ch_latch *l)

void ch_latch_init(ch_latch *l, long count, unsigned flags) {
  *l = (ch_latch){.count = count < 0 ? 0 : count};
  ch_gate_init(&l->gate, flags);
}

int ch_latch_add(ch_latch *l, long n) {
  long sum;
  ch_gate_enter(&l->gate);
  int result = __builtin_add_overflow(l->count, n, &sum) || sum < 0 ? EINVAL : 0;
  if (!result)
    l->count = sum;
  ch_gate_leave(&l->gate);
  return result;
}
int ch_latch_done(ch_latch *l) { return ch_latch_add(l, -1); }

int ch_latch_destroy(ch_latch *l) {
  ch_gate_enter(&l->gate);
  int result = ch_gate_end(&l->gate);
  ch_object_leave(&l->gate.object);
  return result;
}
