/* The plain part of tasks. task.h has the invariants. */
#include "sched/task.h"
#include "activity/cancel.h"
#include "report/dump.h"
#include "wait/wait.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static ch_task *task_of_cancel(struct ch_letter *l) { return (ch_task *)((char *)l - offsetof(ch_task, cancel)); }

ch_task *ch_task_new(struct ch_inbox *inbox, intptr_t (*fn)(void *), void *argument) {
  ch_task *t = calloc(1, sizeof *t);
  if (t) {
    t->inbox = inbox;
    t->fn = fn;
    t->argument = argument;
    t->references = 2;
  }
  return t;
}

static void begin_opened(struct ch_letter *l) {
  ch_task *t = (ch_task *)l;
  t->run(t);
}
void ch_task_post(ch_task *t, void (*spawn)(ch_task *)) {
  t->run = spawn;
  t->begin.open = begin_opened;
  ch_inbox_post(t->inbox, &t->begin);
}

void ch_task_begins(ch_task *t) {
  t->activity = ch_activity_of(ch_domain.current);
  if (t->begun_cancelled)
    ch_branch_cancel(t->activity);
}

void ch_task_ends(ch_task *t, intptr_t result) {
  t->activity = NULL;
  t->result = result;
  __atomic_store_n(&t->finished, true, __ATOMIC_RELEASE);
  ch_waiter_schedule(&t->ended);
  ch_task_release(t);
}

void ch_task_release(ch_task *t) {
  if (__atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL) == 0)
    free(t);
}
void ch_task_detach(ch_task *t) { ch_task_release(t); }

bool ch_task_is_current(const ch_task *t) {
  return t->inbox == ch_inbox_of_thread && ch_domain.current && t->activity == ch_activity_of(ch_domain.current);
}

static void cancel_opened(struct ch_letter *l) {
  ch_task *t = task_of_cancel(l);
  if (t->activity)
    ch_branch_cancel(t->activity);
  else
    t->begun_cancelled = true;
  ch_task_release(t);
}

void ch_task_cancel(ch_task *t) {
  if (__atomic_load_n(&t->finished, __ATOMIC_ACQUIRE) || __atomic_exchange_n(&t->cancelled, true, __ATOMIC_RELAXED))
    return;
  __atomic_add_fetch(&t->references, 1, __ATOMIC_RELAXED);
  t->cancel.open = cancel_opened;
  if (!ch_inbox_post(t->inbox, &t->cancel)) /* it has finished meanwhile, and so has its domain */
    ch_task_release(t);
}

/* ---- joining as a clause ---- */

static ch_task *task_of(const struct ch_clause *c) { return (ch_task *)((char *)c->object - offsetof(ch_task, ended)); }
static bool is_own(const struct ch_clause *c) { return ch_task_is_current(task_of(c)); }

static int enlist(struct ch_clause *c) {
  if (!is_own(c))
    return ch_waiter_enlist(c);
  if (!ch_claim_own(c))
    return CH_CLAUSE_DECIDED;
  c->value = EDEADLK;
  return CH_CLAUSE_READY;
}
static bool at_once(struct ch_clause *c) {
  if (!is_own(c))
    return ch_waiter_at_once(c);
  c->value = EDEADLK;
  return true;
}
static bool is_ready(const struct ch_clause *c) { return is_own(c) || ch_waiter_is_ready(c); }
static intptr_t joined(struct ch_clause *c) {
  intptr_t *result = ((struct ch_task_join__clause *)c)->result;
  if (c->value != 0)
    return (intptr_t)c->value;
  if (result)
    *result = task_of(c)->result;
  ch_task_release(task_of(c));
  return 0;
}
static const struct ch_clause_type join_type = {.what = "the end of a task",
                                                .by = CH_BY_OTHERS,
                                                .enlist = enlist,
                                                .withdraw = ch_waiter_withdraw,
                                                .selected = joined,
                                                .ready = is_ready,
                                                .at_once = at_once};

void ch_task_join__clause(struct ch_task_join__clause *c, ch_task *t, intptr_t *result) {
  c->clause = (struct ch_clause){.type = &join_type, .object = &t->ended};
  c->result = result;
}

/* ---- cancelling all ---- */

static void cancel_one(struct ch_branch *b, void *unused) { (void)unused, ch_branch_cancel(b); }
void ch_domain_cancel_all(void) { ch_dump_activities(cancel_one, NULL); }
