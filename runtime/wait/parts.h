/* What the files of this folder share: the phases of a wait over several clauses, and how such a wait enlists its
 * clauses, withdraws them, and blocks. */
#ifndef CHARCOAL_WAIT_PARTS_H
#define CHARCOAL_WAIT_PARTS_H

#include "reactor/inbox.h"
#include "wait/wait.h"

/* Values of ch_wait.phase. */
enum { CH_WAIT_NEW, CH_WAIT_ENLISTING, CH_WAIT_ENLISTED, CH_WAIT_CLOSED, CH_WAIT_CANCELLED };

_Static_assert(sizeof(struct ch_letter) == sizeof((struct ch_wait){0}.letter), "a wait holds its letter");
static inline struct ch_letter *ch_wait_letter(struct ch_wait *w) { return (struct ch_letter *)w->letter; }
static inline struct ch_wait *ch_letter_wait(struct ch_letter *l) {
  return (struct ch_wait *)((char *)l - offsetof(struct ch_wait, letter));
}

/* Without CH_WAIT_AND: the index of the clause that has been selected. */
static inline unsigned ch_wait_selected(const struct ch_wait *w) { return ch_atomic_load(&w->state) - CH_STATE_FIRST; }
/* The clause with this index. */
static inline struct ch_clause *ch_wait_clause(const struct ch_wait *w, unsigned index) {
  struct ch_clause *c = w->first;
  while (c->index != index)
    c = c->next;
  return c;
}

/* ---- beginning ---- */

/* What ch_wait_may_begin returns. */
static inline int ch_any_wait_may_begin(void) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return -EPERM;
  return ch_is_marked() ? -ECANCELED : 0;
}
/* 0: the wait may begin. Otherwise its result. ch_wait_start also notes whose wait it is. */
static inline int ch_wait_may_start(const struct ch_wait *w) {
  int result = ch_any_wait_may_begin();
  return result || w->first ? result : -ENOENT;
}
static inline int ch_wait_start(struct ch_wait *w) {
  int result = ch_wait_may_start(w);
  if (!result)
    w->owner = ch_activity_of(ch_domain.current);
  return result;
}
/* The running branch blocks in the wait. */
static inline void ch_wait_block(struct ch_wait *w) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && ch_is_running(b), "only the running branch can block");
  w->branch = b;
  b->state = CH_SELECTING;
  b->link.prev = (struct ch_link *)w->first;
  ch_wait_check(w);
}
/* What could end it, as far as it is open. */
CH_HIDDEN enum ch_ready_by ch_wait_ready_by(struct ch_wait *);
/* Begins a wait that selects one clause. The result is that of ch_wait_any; -EAGAIN: the branch is registered, and
 * blocks. */
CH_HIDDEN int ch_wait_begin_any(struct ch_wait *);

/* ---- enlisting ---- */

/* Enlists a clause of a wait that has been started. The result is that of the type's `enlist`. */
CH_HIDDEN int ch_enlist(struct ch_wait *, struct ch_clause *);

/* ---- withdrawing ---- */

/* False: it has been claimed. */
static inline bool ch_take_back(struct ch_clause *c) {
  return c->type->withdraw ? c->type->withdraw(c) : ch_clause_unlist(c);
}

/* The same. An object that found its wait decided has taken it off its list itself. */
CH_HIDDEN bool ch_withdraw(struct ch_wait *, struct ch_clause *);

/* It cannot be claimed any more, because the wait has been decided. */
static inline void ch_withdraw_loser(struct ch_wait *w, struct ch_clause *c) {
  if (CH_LIKELY(!c->type->withdraw) && CH_LIKELY(c->state == CH_IS_LISTED) && CH_LIKELY(c->counted == CH_BY_DOMAIN)) {
    ch_clause_take_off(c);
    c->state = CH_IS_OUT;
    return;
  }
  bool withdrawn = ch_withdraw(w, c);
  CH_INVARIANT(withdrawn, "a wait is decided once");
  (void)withdrawn;
}
static inline void ch_withdraw_losers(struct ch_wait *w, const struct ch_clause *winner) {
  for (struct ch_clause *c = w->first; c; c = c->next)
    if (c != winner)
      ch_withdraw_loser(w, c);
}

/* ---- with CH_WAIT_AND ---- */

/* In the waiter's domain: the clause is complete, and ch_wait_next is to return it. */
CH_HIDDEN void ch_all_completed(struct ch_wait *, struct ch_clause *);
/* In another domain: the clause has had its effect. It goes on a stack that the waiter's domain takes. */
CH_HIDDEN void ch_all_arrived(struct ch_wait *, struct ch_clause *);
CH_HIDDEN void ch_all_take_arrived(struct ch_wait *);

#endif
