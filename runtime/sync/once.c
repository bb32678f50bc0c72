/* The plain part of ch_once_run. See once.h. */
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

static const struct ch_gate_kind kind = {"once", fits, take, NULL, NULL, NULL, NULL, .brief = false};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);

CH_GATE_CALL(ch_once_enter, ch_once, &o->gate, (ch_once * o), (o), 0, types)

/* The caller's to run: in plain code, as all that a clause does when it has been selected. */
static intptr_t selected(struct ch_clause *c) {
  const struct ch_once_run__clause *own = (const struct ch_once_run__clause *)c;
  if (c->value != CH_ONCE_RUN)
    return (intptr_t)c->value;
  int result = own->fn(own->argument);
  ch_once_leave(c->object, result == 0);
  return result;
}
#define CLAUSE_TYPE(who)                                                                                               \
  {{"once", who, ch_gate_enlist, ch_gate_withdraw, .selected = selected, .ready = ch_gate_is_ready}, &kind}
static const struct ch_gate_type clause_types[2] = {CLAUSE_TYPE(CH_BY_DOMAIN), CLAUSE_TYPE(CH_BY_OTHERS)};

void ch_once_run__clause(struct ch_once_run__clause *c, ch_once *o, int (*fn)(void *), void *argument) {
  ch_gate_form(&c->gate, clause_types, &o->gate, 1, NULL);
  c->fn = fn;
  c->argument = argument;
}

void ch_once_init(ch_once *o, unsigned flags) {
  *o = (ch_once){.state = IDLE};
  ch_gate_init(&o->gate, flags);
}

void ch_once_leave(ch_once *o, int done) {
  ch_gate_enter(&o->gate);
  o->state = done ? DONE : IDLE;
  ch_gate_leave(&o->gate);
}
