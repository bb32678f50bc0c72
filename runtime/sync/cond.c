/* Conditions (charcoal/locks.h). A waiter is put on the list before it gives the mutex back, so it cannot miss a signal
 * that is sent by an activity which has the mutex. Invariant, while the object is not entered: `signals` is 0. */
#include "sync/cond.h"
#include "sync/gate.h"

static ch_cond *of(const struct ch_gate *g) { return (ch_cond *)(uintptr_t)g; }
static ch_mutex *mutex_of(const struct ch_gate__clause *c) { return (ch_mutex *)c->wanted; }

static bool fits(const struct ch_gate *g, const struct ch_gate__clause *c) { return (void)c, of(g)->signals > 0; }
static void take(struct ch_gate *g, struct ch_gate__clause *c) { (void)c, of(g)->signals--; }
static int mistake(const struct ch_gate *g, const struct ch_gate__clause *c) {
  const ch_mutex *m = mutex_of(c);
  return (void)g, m->owner != c->owner || m->times != 1 ? EPERM : 0;
}
static void listed(struct ch_gate__clause *c) { ch_unlock(mutex_of(c)); }

static const struct ch_gate_kind kind = {"condition", fits, take, mistake, NULL, listed, NULL, .brief = false};
static const struct ch_gate_type types[2] = CH_GATE_TYPES(&kind, NULL);
static const struct ch_leaf leaves[2] = CH_FORM_LEAVES("ch_cond_wait", struct ch_gate__clause);

/* 0: the form is filled in. */
static int begin(struct ch_gate__clause *form, ch_cond *c, ch_mutex *m) {
  if (ch_is_marked())
    return CH_COND_NOT_BEGUN;
  if (!ch_is_in_branch())
    return EPERM;
  ch_gate_form(form, types, &c->gate, (long)m, NULL);
  return mistake(&c->gate, form);
}

struct ch_int_result ch_cond_sleep_int(ch_cond *, ch_mutex *) CH_INT_NAME(ch_cond_sleep);
struct ch_int_result ch_cond_sleep_int(ch_cond *c, ch_mutex *m) {
  struct ch_gate__clause form;
  int result = begin(&form, c, m);
  return result ? ch_done(result) : ch_form_wait_int(leaves, &form.clause);
}
int ch_cond_sleep(ch_cond *c, ch_mutex *m) {
  struct ch_gate__clause form;
  int result = begin(&form, c, m);
  return result ? result : (int)ch_form_wait(leaves, &form.clause);
}

void ch_cond_init(ch_cond *c, unsigned flags) {
  *c = (ch_cond){.signals = 0};
  ch_gate_init(&c->gate, flags);
}

/* A signal that nobody takes is lost. */
static int wake(ch_cond *c, unsigned long most) {
  struct ch_claimed_list woken = {0};
  ch_gate_enter(&c->gate);
  c->signals = most;
  ch_gate_serve(&c->gate, &woken);
  c->signals = 0;
  ch_object_leave(&c->gate.object);
  ch_wake_all(&woken);
  return 0;
}
int ch_cond_signal(ch_cond *c) { return wake(c, 1); }
int ch_cond_broadcast(ch_cond *c) { return wake(c, -1UL); }

int ch_cond_destroy(ch_cond *c) {
  ch_gate_enter(&c->gate);
  int result = ch_gate_end(&c->gate);
  ch_object_leave(&c->gate.object);
  return result;
}
