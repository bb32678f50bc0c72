/* Barriers (charcoal/locks.h). A branch that waits at a barrier waits for nothing else, so the last branch to arrive
 * can claim all others. Invariant, while the object is not entered: fewer than n wait, and `arrived` is 0. */
#include "sync/gate.h"

static ch_barrier *of(const struct ch_gate *g) { return (ch_barrier *)(uintptr_t)g; }

/* `arrived` is not 0 while a round is let on: those of it who are still in the list. */
static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return (void)c, of(g)->arrived > 0; }
static bool would_be_last(const struct ch_gate *g) { return g->waiting + 1 >= of(g)->n; }
static bool is_last(struct ch_gate *g, const struct ch_gate__clause *c) {
  (void)c;
  if (!would_be_last(g))
    return false;
  ch_gate_drop_gone(g);
  return would_be_last(g);
}
static void take(struct ch_gate *g, struct ch_gate__clause *c) {
  if (of(g)->arrived > 0) {
    of(g)->arrived--;
    return;
  }
  of(g)->arrived = (unsigned)g->waiting;
  c->clause.value = CH_BARRIER_LAST;
}

static const struct ch_gate_kind kind = {"barrier", fits, take, NULL, is_last, NULL, NULL, .brief = false};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);

CH_GATE_CALL(ch_barrier_wait, ch_barrier, &b->gate, (ch_barrier * b), (b), 0, types)

void ch_barrier_init(ch_barrier *b, unsigned n, unsigned flags) {
  *b = (ch_barrier){.n = n};
  ch_gate_init(&b->gate, flags);
}

int ch_barrier_destroy(ch_barrier *b) {
  ch_gate_enter(&b->gate);
  int result = ch_gate_end(&b->gate);
  ch_object_leave(&b->gate.object);
  return result;
}
