/* Claims clauses, which decides waits. claim.h explains the states of a wait. */
#include "wait/claim.h"

#ifndef CHARCOAL_EXPLORED
__thread __attribute__((tls_model("initial-exec"))) struct ch_wait *ch_enlisting_here;
#endif

static uint32_t selected(const struct ch_clause *c) { return CH_STATE_FIRST + c->index; }
static void taken(struct ch_clause *c) { ch_atomic_store(&c->state, CH_IS_TAKEN); }

/* Changes the word from OPEN. If it fails, *is tells what was found instead. It is SYNCING only if this domain itself
 * is enlisting a clause of a local object, whose effect has made another clause of the same wait ready. */
__attribute__((noinline)) static bool change_exposed(struct ch_wait *w, uint32_t *is, uint32_t to) {
  for (unsigned tries = 1;; tries++) {
    *is = CH_STATE_OPEN;
    if (ch_atomic_change(&w->state, is, to))
      return true;
    if (*is != CH_STATE_SYNCING || w == ch_enlisting_here)
      return false;
    ch_atomic_relax(tries);
  }
}

static inline bool decide(struct ch_wait *w, uint32_t state) {
  uint32_t is;
  if (CH_UNLIKELY(w->exposed))
    return change_exposed(w, &is, state);
  if (w->state != CH_STATE_OPEN)
    return false;
  w->state = state;
  return true;
}
bool ch_wait_decide(struct ch_wait *w, uint32_t state) { return decide(w, state); }

bool ch_claim_unlisted(struct ch_clause *c) {
  if (ch_clause_is_gone(c))
    return false;
  if (ch_selects_one(c) && !decide(c->wait, selected(c)))
    return false;
  taken(c);
  return true;
}

static bool claims_itself(const struct ch_clause *c) { return c->type->by == CH_BY_OTHERS; }
bool ch_claim_own(struct ch_clause *c) { return !claims_itself(c) || ch_claim_unlisted(c); }

bool ch_claim(struct ch_clause *c) {
  ch_clause_take_off(c);
  if (ch_claim_unlisted(c))
    return true;
  ch_atomic_store(&c->state, CH_IS_OUT);
  return false;
}

/* Both waits select one clause, and may be claimed by others. */
static enum ch_claimed claim_both_words(struct ch_clause *own, struct ch_clause *other) {
  struct ch_wait *w = own->wait, *o = other->wait;
  for (;;) {
    uint32_t is;
    if (!change_exposed(w, &is, CH_STATE_SYNCING))
      return CH_OWN_DECIDED;
    for (unsigned tries = 1;; tries++) {
      is = CH_STATE_OPEN;
      if (ch_atomic_change(&o->state, &is, selected(other))) {
        ch_atomic_store(&w->state, selected(own));
        return CH_CLAIMED;
      }
      if (is != CH_STATE_SYNCING) {
        ch_atomic_store(&w->state, CH_STATE_OPEN);
        return CH_OTHER_DECIDED;
      }
      if (w < o)
        break;
      ch_atomic_relax(tries);
    }
    ch_atomic_store(&w->state, CH_STATE_OPEN);
    for (unsigned tries = 1; ch_atomic_load(&o->state) == CH_STATE_SYNCING; tries++)
      ch_atomic_relax(tries);
  }
}

__attribute__((noinline)) static enum ch_claimed claim_words(struct ch_clause *own, struct ch_clause *other) {
  bool this_selects = own && ch_selects_one(own) && claims_itself(own), other_selects = ch_selects_one(other);
  if (this_selects && own->wait->exposed && other_selects && other->wait->exposed)
    return claim_both_words(own, other);
  /* One of the two waits has no word, or one that nobody else can change. It is decided second. */
  if (this_selects && own->wait->exposed) {
    if (other_selects && other->wait->state != CH_STATE_OPEN)
      return CH_OTHER_DECIDED;
    if (!decide(own->wait, selected(own)))
      return CH_OWN_DECIDED;
    if (other_selects)
      other->wait->state = selected(other);
    return CH_CLAIMED;
  }
  if (this_selects && own->wait->state != CH_STATE_OPEN)
    return CH_OWN_DECIDED;
  if (other_selects && !decide(other->wait, selected(other)))
    return CH_OTHER_DECIDED;
  if (this_selects)
    own->wait->state = selected(own);
  return CH_CLAIMED;
}

/* For a local object. The wait of the clause that is being enlisted is decided by this domain, so only the other wait
 * has to be claimed. */
static enum ch_claimed claim_local(struct ch_clause *other) {
  return !ch_selects_one(other) || decide(other->wait, selected(other)) ? CH_CLAIMED : CH_OTHER_DECIDED;
}

enum ch_claimed ch_claim_both(struct ch_clause *own, struct ch_clause *other) {
  if (own && own->wait == other->wait && ch_selects_one(own) && ch_selects_one(other))
    return CH_SAME_WAIT;
  enum ch_claimed claimed = ch_clause_is_gone(other)           ? CH_OTHER_DECIDED
                            : CH_LIKELY(!claims_itself(other)) ? claim_local(other)
                                                               : claim_words(own, other);
  if (CH_LIKELY(claimed == CH_CLAIMED)) {
    ch_clause_take_off(other);
    taken(other);
    if (own && claims_itself(own))
      taken(own);
  } else if (claimed == CH_OTHER_DECIDED) {
    ch_clause_take_off(other);
    ch_atomic_store(&other->state, CH_IS_OUT);
  }
  return claimed;
}

bool ch_claim_begin_exposed(struct ch_clause *c) {
  if (!decide(c->wait, CH_STATE_SYNCING))
    return false;
  ch_enlisting_here = c->wait;
  return true;
}

void ch_claim_end_exposed(struct ch_clause *c, bool had) {
  ch_enlisting_here = NULL;
  ch_atomic_store(&c->wait->state, had ? selected(c) : CH_STATE_OPEN);
}

void ch_clause_await_effect(struct ch_clause *c) {
  for (unsigned tries = 1; ch_clause_state(c) == CH_IS_TAKEN; tries++)
    ch_atomic_relax(tries);
}

/* ---- lists ---- */

void ch_list(struct ch_link *list, struct ch_clause *c) { ch_clause_list(list, c); }

bool ch_unlist(struct ch_clause *c) { return ch_clause_unlist(c); }

struct ch_clause *ch_list_after(const struct ch_link *list, const struct ch_clause *c) {
  return c->link.next == list ? NULL : (struct ch_clause *)c->link.next;
}
struct ch_clause *ch_list_first(const struct ch_link *list) {
  return ch_list_empty(list) ? NULL : (struct ch_clause *)list->next;
}
_Static_assert(offsetof(struct ch_clause, link) == 0, "a clause begins with its link");
