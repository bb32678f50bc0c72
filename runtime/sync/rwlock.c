/* Read-write locks (charcoal/locks.h). Invariant: there are readers or a writer, never both. */
#include "sync/held.h"

enum { READ, WRITE };

static ch_rwlock *of(const struct ch_gate *g) { return (ch_rwlock *)(uintptr_t)g; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) {
  return !of(g)->writer && (c->wanted == READ || of(g)->readers == 0);
}
static void take(struct ch_gate *g, struct ch_gate__clause *c) {
  if (c->wanted == READ)
    of(g)->readers++;
  else
    of(g)->writer = c->owner;
}
static int mistake(const struct ch_gate *g, const struct ch_gate__clause *c) {
  return of(g)->writer && of(g)->writer == c->owner && ch_gate_is_alone() ? EDEADLK : 0;
}

static const void *holder(const struct ch_gate *g) { return of(g)->writer; }
static const struct ch_gate_kind kind = {"rwlock", fits, take, mistake, NULL, NULL, holder, .brief = true};
/* After the body: what could not be had is not given back. */
static void give_back(struct ch_clause *c) {
  if (c->value == 0)
    ch_rw_unlock(c->object);
}
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);
static const struct ch_gate_type held_types[2] = CH_GATE_TYPES(&kind, give_back);

CH_GATE_CALL(ch_read_lock, ch_rwlock, &l->gate, (ch_rwlock * l), (l), READ, types)
CH_GATE_CALL(ch_write_lock, ch_rwlock, &l->gate, (ch_rwlock * l), (l), WRITE, types)
CH_GATE_CLAUSE(ch_read_lock, &l->gate, READ, types, ch_rwlock *l)
CH_GATE_CLAUSE(ch_write_lock, &l->gate, WRITE, types, ch_rwlock *l)

CH_GATE_CALL(ch_read_hold, ch_rwlock, &l->gate, (ch_rwlock * l), (l), READ, types)
CH_GATE_CALL(ch_write_hold, ch_rwlock, &l->gate, (ch_rwlock * l), (l), WRITE, types)
CH_GATE_CLAUSE(ch_read_hold, &l->gate, READ, held_types, ch_rwlock *l)
CH_GATE_CLAUSE(ch_write_hold, &l->gate, WRITE, held_types, ch_rwlock *l)

void ch_rwlock_init(ch_rwlock *l, unsigned flags) {
  *l = (ch_rwlock){.readers = 0};
  ch_gate_init(&l->gate, flags);
}

static int try_it(ch_rwlock *l, long how, const void *place) {
  int result = ch_gate_try(types, &l->gate, how, place);
  return result == EAGAIN || result == EDEADLK ? EBUSY : result;
}
int ch_try_read_lock(ch_rwlock *l) { return try_it(l, READ, NULL); }
int ch_try_write_lock(ch_rwlock *l) { return try_it(l, WRITE, __builtin_return_address(0)); }

int ch_rw_unlock(ch_rwlock *l) {
  int result = 0;
  ch_gate_enter(&l->gate);
  if (l->readers > 0) {
    l->readers--;
  } else if (l->writer && l->writer == ch_gate_self()) {
    l->writer = NULL;
    ch_held_forget(&l->gate);
  } else {
    result = EPERM;
  }
  ch_gate_leave(&l->gate);
  return result;
}

int ch_rwlock_destroy(ch_rwlock *l) {
  ch_gate_enter(&l->gate);
  int result = l->readers || l->writer ? EBUSY : ch_gate_end(&l->gate);
  ch_object_leave(&l->gate.object);
  return result;
}
