/* Permits (charcoal/locks.h). Invariant: `free` is never below 0. */
#include "sync/gate.h"
#include <limits.h>

static ch_permits *of(const struct ch_gate *g) { return (ch_permits *)(uintptr_t)g; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return c->wanted <= of(g)->free; }
static void take(struct ch_gate *g, struct ch_gate__clause *c) { of(g)->free -= c->wanted; }
static int mistake(const struct ch_gate *g, const struct ch_gate__clause *c) {
  return (void)g, c->wanted < 0 ? EINVAL : 0;
}

static const struct ch_gate_kind kind = {"permits", fits, take, mistake, NULL, NULL, NULL, .brief = false};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);

CH_GATE_CALL(ch_permits_take, ch_permits, &p->gate, (ch_permits * p, long n), (p, n), n, types)
CH_GATE_CLAUSE(ch_permits_take, &p->gate, n, types, ch_permits *p, long n)

void ch_permits_init(ch_permits *p, long n, unsigned flags) {
  *p = (ch_permits){.free = n < 0 ? 0 : n};
  ch_gate_init(&p->gate, flags);
}

int ch_permits_try(ch_permits *p, long n) { return ch_gate_try(types, &p->gate, n, NULL); }

int ch_permits_give(ch_permits *p, long n) {
  if (n < 0)
    return EINVAL;
  ch_gate_enter(&p->gate);
  int result = p->free > LONG_MAX - n ? EOVERFLOW : 0;
  if (!result)
    p->free += n;
  ch_gate_leave(&p->gate);
  return result;
}

int ch_permits_destroy(ch_permits *p) {
  ch_gate_enter(&p->gate);
  int result = ch_gate_end(&p->gate);
  ch_object_leave(&p->gate.object);
  return result;
}
