/* The word that decides a wait: `state` of struct ch_wait. It is the only member that several domains change.
 *
 *   OPEN     -> FIRST + index    the clause of that index has been selected
 *   OPEN     -> CANCELLED        by the wait's own domain, if the wait has several clauses
 *   OPEN    <-> SYNCING          the domain that changed it to SYNCING finds out whether a clause can be selected
 *   SYNCING  -> FIRST + index    by the same domain: the clause can be selected, and has been
 *
 * SYNCING lasts for a few instructions. Whoever finds it waits for its end; so nobody misses that an object has become
 * ready.
 *
 * When a clause that is being enlisted meets one that waits for the opposite, both waits have to be decided together.
 * The enlisting domain sets its own wait to SYNCING, claims the other one, and then decides its own wait or sets it to
 * OPEN again. If two waits are SYNCING and want each other, the one with the lower address steps back; so does one of
 * any circle of waits.
 *
 * While a wait is not `exposed`, none of its clauses has been on a shared object's list, and only its own domain can
 * claim it; so its state is then an ordinary variable. In a wait with `and` each clause completes alone. There the word
 * is not used: whoever takes a clause off its list has claimed it.
 */
#ifndef CHARCOAL_WAIT_CLAIM_H
#define CHARCOAL_WAIT_CLAIM_H

#include "charcoal/clause.h"
#include "frames/allocator.h"
#include "sched/child.h"
#include "wait/atomics.h"
#include "wait/link.h"

enum { CH_STATE_OPEN = 0, CH_STATE_SYNCING = 1, CH_STATE_FIRST = 2 };
#define CH_STATE_CANCELLED 0xffffffffu

/* Decides the wait as `state` says. False: it has been decided otherwise before. */
CH_HIDDEN bool ch_wait_decide(struct ch_wait *, uint32_t state);
#ifndef CHARCOAL_EXPLORED
/* The exposed wait of which this domain is enlisting a clause of a local object, between ch_claim_begin and
 * ch_claim_end. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_wait *ch_enlisting_here;
#endif
static inline bool ch_selects_one(const struct ch_clause *c) {
  return c->index < CH_ALONE && !(c->wait->flags & CH_WAIT_AND);
}
/* Claims a clause that is on no list, or that its object takes off the list itself. False: the wait has been decided.
 */
CH_HIDDEN bool ch_claim_unlisted(struct ch_clause *);
/* Stand around the enlisting of a clause of a local object. Between them nobody else can claim the wait; so a clause
 * that is ready has its effect without a claim of its own. False: the wait has been decided. */
CH_HIDDEN bool ch_claim_begin_exposed(struct ch_clause *);
CH_HIDDEN void ch_claim_end_exposed(struct ch_clause *, bool had);
static inline bool ch_claim_begin(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  if (!ch_selects_one(c))
    return true;
  if (CH_UNLIKELY(w->exposed))
    return ch_claim_begin_exposed(c);
  if (w->state != CH_STATE_OPEN)
    return false;
  w->state = CH_STATE_SYNCING;
  return true;
}
static inline void ch_claim_end(struct ch_clause *c, bool had) {
  struct ch_wait *w = c->wait;
  if (ch_selects_one(c)) {
    if (CH_UNLIKELY(w->exposed))
      ch_claim_end_exposed(c, had);
    else
      w->state = had ? CH_STATE_FIRST + c->index : CH_STATE_OPEN;
  }
  if (had)
    ch_atomic_store(&c->state, CH_IS_TAKEN);
}
/* Tells whether the clause is that of an activity which is not in this child of fork. It cannot be claimed then. */
static inline bool ch_clause_is_gone(const struct ch_clause *c) {
  return CH_UNLIKELY(ch_some_are_gone) && c->index < CH_ALONE && ch_wait_is_gone(c->wait);
}
/* Tells whether somebody who is in this process waits on the object's list. */
static inline bool ch_list_is_awaited(const struct ch_link *list) {
  const struct ch_link *n = ch_list_empty(list) ? list : list->next;
  while (CH_UNLIKELY(ch_some_are_gone) && n != list && ch_link_is_clause(n) &&
         ch_clause_is_gone((const struct ch_clause *)n))
    n = n->next;
  return n != list;
}
/* Claims a clause on the list of a local object where that is an ordinary case: its wait selects one clause, is open,
 * and only this domain can claim it. False: nothing has been done, and ch_claim_both or ch_claim decides. */
static inline bool ch_claim_ordinary(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  if (CH_UNLIKELY(c->index >= CH_ALONE) || CH_UNLIKELY(ch_some_are_gone) || CH_UNLIKELY(w->exposed) ||
      CH_UNLIKELY(w->flags & CH_WAIT_AND) || CH_UNLIKELY(w->state != CH_STATE_OPEN))
    return false;
  w->state = CH_STATE_FIRST + c->index;
  ch_list_remove(&c->link);
  c->link.next = NULL;
  c->state = CH_IS_TAKEN;
  return true;
}
/* The clause of a wait with `and` whose effect is being had: until it has been. */
CH_HIDDEN void ch_clause_await_effect(struct ch_clause *);

static inline uint8_t ch_clause_state(const struct ch_clause *c) { return ch_atomic_load(&c->state); }

/* ch_list and ch_unlist, for the runtime. */
static inline void ch_clause_list(struct ch_link *list, struct ch_clause *c) {
  if (c->type->by == CH_BY_OTHERS && c->index < CH_ALONE && !c->wait->exposed)
    c->wait->exposed = true; /* set only once, because other domains read it from now on */
  ch_list_append(list, &c->link, true);
}
static inline void ch_clause_take_off(struct ch_clause *c) {
  if (!c->link.next)
    return;
  ch_list_remove(&c->link);
  c->link.next = NULL;
}
static inline bool ch_clause_unlist(struct ch_clause *c) {
  uint8_t state = ch_clause_state(c);
  if (state == CH_IS_LISTED)
    ch_clause_take_off(c);
  return state < CH_IS_TAKEN;
}

#endif
