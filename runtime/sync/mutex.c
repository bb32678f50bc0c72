/* Mutexes (charcoal/locks.h). Invariant: `owner` is NULL if and only if `times` is 0. */
#include "sync/held.h"

static ch_mutex *of(const struct ch_gate *g) { return (ch_mutex *)(uintptr_t)g; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return (void)c, !of(g)->owner; }
static bool is_again(struct ch_gate *g, const struct ch_gate__clause *c) {
  return of(g)->recursive && of(g)->owner == c->owner;
}
static void take(struct ch_gate *g, struct ch_gate__clause *c) {
  of(g)->owner = c->owner;
  of(g)->times++;
}

static int mistake(const struct ch_gate *g, const struct ch_gate__clause *c) {
  const ch_mutex *m = of(g);
  return m->owner && m->owner == c->owner && !m->recursive && ch_gate_is_alone() ? EDEADLK : 0;
}

static void give_back(struct ch_clause *c) {
  if (c->value == 0)
    ch_unlock(c->object);
}

static const void *holder(const struct ch_gate *g) { return of(g)->owner; }
static const struct ch_gate_kind kind = {"mutex", fits, take, mistake, is_again, NULL, holder, .brief = true};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);
static const struct ch_gate_type held_types[2] = CH_GATE_TYPES(&kind, give_back);

/* A mutex for which nobody waits, in a program without checks: nothing but the mutex has to be looked at or changed. A
 * local one has to be this domain's, and a shared one has been entered. */
static inline bool is_simple(const ch_mutex *m) { return m->gate.waiting == 0 && !ch_checks; }
static inline bool lock_entered(ch_mutex *m) {
  if (CH_UNLIKELY(!is_simple(m) || m->owner))
    return false;
  m->owner = ch_gate_self();
  m->times = 1;
  return true;
}
static inline bool unlock_entered(ch_mutex *m) {
  if (CH_UNLIKELY(!is_simple(m) || m->times != 1 || m->owner != ch_gate_self()))
    return false;
  m->owner = NULL;
  m->times = 0;
  return true;
}
/* No part of their callers, which need no stack frame without them. */
__attribute__((noinline)) static bool lock_shared(ch_mutex *m) {
  if (ch_atomic_load(&m->owner) || ch_atomic_load(&m->gate.object.lock))
    return false;
  ch_object_lock(&m->gate.object);
  bool locked = lock_entered(m);
  ch_object_unlock(&m->gate.object);
  return locked;
}
__attribute__((noinline)) static bool unlock_shared(ch_mutex *m) {
  ch_object_lock(&m->gate.object);
  bool unlocked = unlock_entered(m);
  ch_object_unlock(&m->gate.object);
  return unlocked;
}

static inline bool lock_simple(ch_mutex *m) {
  if (ch_is_marked() || CH_UNLIKELY(!ch_is_in_branch()))
    return false;
  if (CH_UNLIKELY(m->gate.object.domain != &ch_domain))
    return m->gate.object.shared && lock_shared(m);
  return lock_entered(m);
}
static inline bool unlock_simple(ch_mutex *m) {
  if (CH_UNLIKELY(m->gate.object.domain != &ch_domain))
    return m->gate.object.shared && unlock_shared(m);
  return unlock_entered(m);
}

CH_GATE_CALL_OR(lock_simple(m), ch_lock, ch_mutex, &m->gate, (ch_mutex * m), (m), 1, types)
CH_GATE_CALL_OR(lock_simple(m), ch_hold, ch_mutex, &m->gate, (ch_mutex * m), (m), 1, types)
CH_GATE_CLAUSE(ch_lock, &m->gate, 1, types, ch_mutex *m)
CH_GATE_CLAUSE(ch_hold, &m->gate, 1, held_types, ch_mutex *m)

void ch_mutex_init(ch_mutex *m, unsigned flags) {
  *m = (ch_mutex){.recursive = (flags & CH_MUTEX_RECURSIVE) != 0};
  ch_gate_init(&m->gate, flags);
}

int ch_try_lock(ch_mutex *m) {
  if (lock_simple(m))
    return 0;
  int result = ch_gate_try(types, &m->gate, 1, __builtin_return_address(0));
  return result == EAGAIN || result == EDEADLK ? EBUSY : result;
}

int ch_unlock(ch_mutex *m) {
  if (CH_LIKELY(unlock_simple(m)))
    return 0;
  ch_gate_enter(&m->gate);
  int result = m->owner && m->owner == ch_gate_self() ? 0 : EPERM;
  if (!result && --m->times == 0) {
    m->owner = NULL;
    ch_held_forget(&m->gate);
  }
  ch_gate_leave(&m->gate);
  return result;
}

int ch_mutex_destroy(ch_mutex *m) {
  ch_gate_enter(&m->gate);
  int result = m->owner ? EBUSY : ch_gate_end(&m->gate);
  ch_object_leave(&m->gate.object);
  return result;
}
