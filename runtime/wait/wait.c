/* What all waits over several clauses have in common: their clauses, how they begin, and how they block. wait.h has the
 * invariants. */
#define CH_FILLS_IN /* this file has the functions by which clause.h fills waits in */
#include "frames/out_of_memory.h"
#include "wait/parts.h"

void ch_wait_add_all(struct ch_wait *w, struct ch_clause *all, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    ch_wait_add(w, &all[i], i);
}

/* ---- enlisting and withdrawing ---- */

CH_COLD static void need_inbox(struct ch_wait *w) {
  int saved = errno;
  if (!(w->inbox = ch_inbox_here()))
    ch_out_of_memory("the inbox of a domain that waits for a shared object");
  errno = saved;
}

int ch_enlist(struct ch_wait *w, struct ch_clause *c) {
  const struct ch_clause_type *type = c->type;
  const bool claims_itself = type->by == CH_BY_OTHERS;
  if (CH_UNLIKELY(claims_itself) && !w->inbox)
    need_inbox(w);
  c->link.next = NULL;
  c->state = CH_IS_LISTED;
  if (CH_LIKELY(!claims_itself) && !ch_claim_begin(c)) {
    c->state = CH_IS_OUT;
    return CH_CLAUSE_DECIDED;
  }
  int how = type->enlist(c);
  if (CH_LIKELY(!claims_itself))
    ch_claim_end(c, how == CH_CLAUSE_READY);
  if (how == CH_CLAUSE_LISTED)
    ch_count_in(w->owner, c);
  else
    c->state = how == CH_CLAUSE_READY ? CH_IS_HAD : CH_IS_OUT;
  return how;
}

bool ch_withdraw(struct ch_wait *w, struct ch_clause *c) {
  if (c->type->withdraw ? ch_clause_state(c) != CH_IS_OUT && !c->type->withdraw(c) : !ch_clause_unlist(c))
    return false;
  c->state = CH_IS_OUT;
  ch_count_out(w->owner, c);
  return true;
}

/* ---- beginning ---- */

enum ch_ready_by ch_wait_ready_by(struct ch_wait *w) {
  enum ch_ready_by by = CH_BY_DOMAIN;
  if (w->flags & CH_WAIT_AND)
    while (w->begun && w->begun->counted == CH_BY_DOMAIN)
      w->begun = w->begun->next;
  for (const struct ch_clause *c = w->flags & CH_WAIT_AND ? w->begun : w->first; c; c = c->next) {
    if (c->counted == CH_BY_WORLD)
      return CH_BY_WORLD;
    if (c->counted == CH_BY_OTHERS)
      by = CH_BY_OTHERS;
  }
  return by;
}

int ch_wait_may_begin(void) { return ch_any_wait_may_begin(); }

/* ---- the end of a clause ---- */

intptr_t ch_clause_result(struct ch_clause *c) {
  c->state = CH_IS_TOLD;
  return c->type->selected ? c->type->selected(c) : (intptr_t)c->value;
}
void ch_clause_leave(struct ch_clause **c) {
  if (*c && (*c)->type->leave)
    (*c)->type->leave(*c);
}

#ifdef CHARCOAL_CHECKED
void ch_wait_check(const struct ch_wait *w) {
  for (const struct ch_clause *c = w->first; c; c = c->next)
    CH_INVARIANT(c->wait == w && c->index < CH_ALONE, "a clause knows its wait, and has a number in it");
}
#endif
