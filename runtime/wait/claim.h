/* The word that decides a wait, `state` of struct ch_wait, and the only one that several domains change.
 *
 *   OPEN     -> FIRST + index    the clause of that index has been selected
 *   OPEN     -> CANCELLED        by the wait's own domain
 *   OPEN    <-> SYNCING          whoever made it so is finding out whether it can be selected
 *   SYNCING  -> FIRST + index    it can
 *
 * SYNCING lasts for a few instructions. Whoever meets it waits for its end, so no object's becoming ready is missed.
 *
 * When a clause that is being enlisted meets one that waits for the opposite, both waits have to be decided together:
 * one's own becomes SYNCING, then the other is claimed, then one's own is decided, or OPEN again. Of two waits that are
 * SYNCING and want each other the one with the lower address steps back; so does one of any circle of them.
 *
 * While a wait is not `exposed`, none of its clauses has been on a shared object's list, and only its own domain can
 * claim it: then its state is an ordinary variable. In a wait with `and` each clause completes alone: there the word is
 * not used, and a clause is claimed by being taken off its list.
 */
#ifndef CHARCOAL_WAIT_CLAIM_H
#define CHARCOAL_WAIT_CLAIM_H

#include "charcoal/clause.h"
#include "frames/allocator.h"
#include "wait/atomics.h"
#include "wait/link.h"

enum { CH_STATE_OPEN = 0, CH_STATE_SYNCING = 1, CH_STATE_FIRST = 2 };
#define CH_STATE_CANCELLED 0xffffffffu

/* Selects what `state` says. False: it has been decided otherwise. */
CH_HIDDEN bool ch_wait_decide(struct ch_wait *, uint32_t state);
#ifndef CHARCOAL_EXPLORED
/* The wait of which this domain is enlisting a clause of a local object, between ch_claim_begin and ch_claim_end. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) struct ch_wait *ch_enlisting_here;
#endif
/* The claim of a clause that is on no list, or whose object takes it off. */
CH_HIDDEN bool ch_claim_unlisted(struct ch_clause *);
/* Around the enlisting of a clause of a local object, which has its effect without more ado if it is ready: between the
 * two nobody else can claim the wait. False: it has been decided. */
CH_HIDDEN bool ch_claim_begin(struct ch_clause *);
CH_HIDDEN void ch_claim_end(struct ch_clause *, bool had);
/* The clause of a wait with `and` whose effect is being had: until it has been. */
CH_HIDDEN void ch_clause_await_effect(struct ch_clause *);

static inline uint8_t ch_clause_state(const struct ch_clause *c) { return ch_atomic_load(&c->state); }

#endif
