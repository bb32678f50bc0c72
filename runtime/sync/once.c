#include "sync/once.h"
#include "sync/gate.h"

enum { IDLE, RUNNING, DONE };

static ch_once *of(const struct ch_gate *g) { return (ch_once *)(uintptr_t)g; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return (void)c, of(g)->state != RUNNING; }
static void take(struct ch_gate *g, struct ch_gate__clause *c) {
  if (of(g)->state == IDLE) {
    of(g)->state = RUNNING;
    c->clause.value = CH_ONCE_RUN;
  }
}

static const struct ch_gate_kind kind = {"once", fits, take, NULL, NULL, NULL};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);

CH_GATE_CALL(ch_once_enter, ch_once, &o->gate, (ch_once * o), (o), 0, types)

void ch_once_init(ch_once *o, unsigned flags) {
  *o = (ch_once){.state = IDLE};
  ch_gate_init(&o->gate, flags);
}

void ch_once_leave(ch_once *o, int done) {
  ch_gate_enter(&o->gate);
  o->state = done ? DONE : IDLE;
  ch_gate_leave(&o->gate);
}
