/* Offers a clause of a wait, and looks on. See wait/offer.h. */
#include "wait/offer.h"
#include "reactor/looking.h"
#include "wait/wait.h"

/* Of a type that is not offered. It is asked once: what this domain does can make no clause ready meanwhile, and what
 * others do, or the world outside, may be noticed some microseconds later. */
static bool is_ready(const struct ch_clause *c) {
  const struct ch_clause_type *type = c->type;
  return !type->offer && type->by != CH_BY_WORLD && type->ready && type->ready(c);
}
static bool may_be_ready(const struct ch_clause *c) { return c->type->offer && c->type->offer->may_be_ready(c); }

static bool another(const struct ch_wait *w, const struct ch_clause *offered, bool (*is)(const struct ch_clause *)) {
  for (const struct ch_clause *c = w->first; c; c = c->next)
    if (c != offered && is(c))
      return true;
  return false;
}

/* True: somebody has taken the offer. */
static bool is_taken(const struct ch_wait *w, struct ch_clause *c, struct ch_look_on *look) {
  const struct ch_offer_type *offer = c->type->offer;
  if (another(w, c, is_ready))
    return !offer->withdraw(c);
  do {
    if (offer->ended(c)) {
      ch_look_on_paid(look);
      return true;
    }
  } while (!another(w, c, may_be_ready) && ch_look_on_lasts(look));
  return !offer->withdraw(c);
}

/* The object keeps what passes, so there is nothing to take. True: the clause has become ready, and has had its effect.
 * A call has tried again already (sync/retry.h), and is not looked at. */
static bool becomes_ready(const struct ch_wait *w, struct ch_clause *c, struct ch_look_on *look) {
  if (!w->first->next || another(w, c, is_ready))
    return false;
  do {
    if (may_be_ready(c) && c->type->offer->make(c) == CH_OFFER_READY) {
      ch_look_on_paid(look);
      return true;
    }
  } while (!another(w, c, may_be_ready) && ch_look_on_lasts(look));
  return false;
}

bool ch_offer_begin(struct ch_wait *w, struct ch_clause *c) {
  static __thread struct ch_worth worth;
  struct ch_look_on look;
  if (!ch_look_on_begins(&look, &worth) || !ch_inbox_here())
    return false;
  w->state = CH_STATE_SYNCING; /* clauses before it are enlisted */
  enum ch_offered offered = c->type->offer->make(c);
  bool had = offered == CH_OFFER_READY || (offered == CH_OFFERED && is_taken(w, c, &look)) ||
             (offered == CH_OFFER_NEEDLESS && becomes_ready(w, c, &look));
  w->state = had ? CH_STATE_FIRST + c->index : CH_STATE_OPEN;
  if (had)
    c->state = CH_IS_HAD;
  return had;
}
