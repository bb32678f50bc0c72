/* The clause forms of the clock, semaphores and activities. */
#include "wait/wait.h"

#include "activity/activity.h"
#include "charcoal/clauses.h"
#include "reactor/timer.h"
#include <limits.h>

/* ---- time: timers whose calls have results ---- */

static bool is_due(const struct ch_clause *c) { return ch_timer_clause_type.ready(c); }
static int enlist_time(struct ch_clause *c) {
  return is_due(c) ? CH_CLAUSE_READY : ch_timer_clause_type.enlist(c); /* a time that has passed is ready at once */
}
static bool withdraw_time(struct ch_clause *c) { return ch_timer_clause_type.withdraw(c); }

static intptr_t slept(struct ch_clause *c) { return (void)c, 0; }
static const struct ch_clause_type sleep_type = {.what = "timer",
                                                 .by = CH_BY_WORLD,
                                                 .enlist = enlist_time,
                                                 .withdraw = withdraw_time,
                                                 .selected = slept,
                                                 .ready = is_due};

static int64_t after(int64_t duration) {
  int64_t time, now = ch_now();
  return __builtin_add_overflow(now, duration, &time) ? duration < 0 ? now : CH_FOREVER : time;
}

/* A time that never comes is nothing that the program waits for: the report of a deadlock must not wait for it. */
static struct ch_clause time_clause(const struct ch_clause_type *type, void *object, int64_t time) {
  return time == CH_FOREVER ? ch_never_clause() : (struct ch_clause){.type = type, .object = object, .value = time};
}

void ch_sleep__clause(struct ch_sleep__clause *c, int64_t duration) {
  c->clause = time_clause(&sleep_type, NULL, after(duration));
}
void ch_sleep_until__clause(struct ch_sleep_until__clause *c, int64_t time) {
  c->clause = time_clause(&sleep_type, NULL, time);
}

void ch_ticker_init(ch_ticker *t, int64_t period) {
  t->period = period < 1 ? 1 : period;
  t->next = after(t->period);
}

/* A program may have filled the ticker in, with any numbers. */
static void advance(ch_ticker *t) {
  const int64_t now = ch_now(), period = t->period < 1 ? 1 : t->period;
  const uint64_t first = (uint64_t)t->next, late = now > t->next ? (uint64_t)now - first : 0;
  if ((now > t->next ? now : t->next) > CH_FOREVER - period)
    t->next = CH_FOREVER;
  else
    t->next = (int64_t)(first + (late / (uint64_t)period + 1) * (uint64_t)period);
}

/* The tick is taken when the clause is claimed: until its waiter runs, another one could take it as well. */
static bool has_ticked(const struct ch_clause *c) { return ((const ch_ticker *)c->object)->next <= ch_now(); }
static bool take_tick(struct ch_clause *c) {
  if (!has_ticked(c))
    return false;
  advance(c->object);
  c->value = 0;
  return true;
}
static int enlist_tick(struct ch_clause *c) { return take_tick(c) ? CH_CLAUSE_READY : ch_timer_clause_type.enlist(c); }
static const struct ch_clause_type tick_type = {.what = "ticker",
                                                .by = CH_BY_WORLD,
                                                .enlist = enlist_tick,
                                                .withdraw = withdraw_time,
                                                .ready = has_ticked,
                                                .at_once = take_tick};
_Static_assert(offsetof(ch_ticker, next) == 0, "a ticker begins with the time that its clauses wait for");

void ch_tick__clause(struct ch_tick__clause *c, ch_ticker *t) { c->clause = time_clause(&tick_type, t, t->next); }

/* ---- semaphores ---- */

void ch_sem_wait__clause(struct ch_sem_wait__clause *c, ch_sem *s) {
  c->clause = (struct ch_clause){.type = &ch_sem_clause_type, .object = s};
}

/* ---- activities: whose handle fires all who are on its list ---- */

static int enlist_activity(struct ch_clause *c) {
  ch_activity *a = c->object;
  c->value = ch_activity_state(a);
  if (c->value != EINPROGRESS)
    return CH_CLAUSE_READY;
  ch_list(&a->waiters, c);
  return CH_CLAUSE_LISTED;
}
static bool has_ended(const struct ch_clause *c) { return ch_activity_state(c->object) != EINPROGRESS; }
static const struct ch_clause_type activity_type = {.what = "activity", .enlist = enlist_activity, .ready = has_ended};

void ch_activity_wait__clause(struct ch_activity_wait__clause *c, ch_activity *a) {
  c->clause = (struct ch_clause){.type = &activity_type, .object = a};
}
