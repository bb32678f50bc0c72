/* How waits end that nothing has made ready: by a cancel, or because the waiter is not in this process any more. Also,
 * how a wait passes to another branch. */
#include "wait/parts.h"

static bool agrees(struct ch_clause *c) { return !c->type->cancel || c->type->cancel(c); }

static void cancel_alone(struct ch_branch *b, struct ch_clause *c) {
  if (!agrees(c) || !ch_take_back(c))
    return;
  c->state = CH_IS_OUT;
  ch_count_out(b, c);
  ch_ready(b, -ECANCELED);
}

/* Ends a wait that selects one clause, for a cancel. A single clause is not decided, but taken off its object's list:
 * conditions and barriers count who is on their list, so each of these must be somebody whom they can claim. */
static bool give_up(struct ch_wait *w) {
  if (w->first->next) {
    if (!ch_wait_decide(w, CH_STATE_CANCELLED))
      return false;
    ch_withdraw_losers(w, NULL);
    return true;
  }
  if (w->flags & CH_WAIT_PLAIN && !agrees(w->first))
    return false;
  return ch_withdraw(w, w->first);
}

static void cancel(struct ch_wait *w) {
  struct ch_branch *b = w->branch;
  if (w->flags & CH_WAIT_AND) { /* the waiter finds out itself that its scope is cancelled */
    w->branch = NULL;
    ch_ready(b, 0);
  } else if (give_up(w)) {
    w->branch = NULL;
    ch_ready(b, -ECANCELED);
  }
}

/* Takes a branch that waits for a single object off the object's list. */
static void leave_list(struct ch_branch *b) {
  struct ch_link *list = ch_link_prev(&b->link);
  ch_list_remove(&b->link);
  if (b->what == CH_ON_SEMAPHORE && ch_list_empty(list))
    ch_sem_left(list);
}

void ch_wait_cancel(struct ch_branch *b) {
  if (b->state == CH_WAITING && b->what < CH_ON_FINISH) {
    leave_list(b);
    ch_ready(b, ECANCELED);
  } else if (b->state == CH_SELECTING) {
    struct ch_clause *first = (struct ch_clause *)b->link.prev;
    if (first->index == CH_ALONE)
      cancel_alone(b, first);
    else
      cancel(first->wait);
  }
}

/* A thread of the parent may have had the lock of a shared object, and will never give it back here. So the clauses of
 * shared objects stay on their lists, where nobody can claim them (ch_clause_is_gone). */
static bool stays_listed(const struct ch_clause *c) { return c->type->by == CH_BY_OTHERS; }

void ch_wait_abandon(struct ch_branch *b) {
  if (b->state == CH_WAITING && b->what < CH_ON_FINISH) {
    leave_list(b);
  } else if (b->state == CH_SELECTING) {
    struct ch_clause *first = (struct ch_clause *)b->link.prev;
    struct ch_wait *w = first->index == CH_ALONE ? NULL : first->wait;
    if (w) {
      w->branch = NULL;
      for (struct ch_clause *c = first; c; c = c->next)
        if (ch_clause_state(c) == CH_IS_LISTED && !stays_listed(c))
          (void)ch_withdraw(w, c);
        else /* or it is a clause of an `and` that has had its effect and is on no list any more */
          ch_count_out(w->owner, c);
    } else if (ch_take_back(first)) {
      first->state = CH_IS_OUT;
      ch_count_out(b, first);
    } else {
      return; /* the wait cannot be withdrawn, so the branch will become ready */
    }
  } else {
    return;
  }
  b->state = CH_WAITING;
  b->what = CH_ON_OTHERS;
}

void ch_clauses_move(struct ch_branch *from, struct ch_branch *to) {
  struct ch_clause *first = (struct ch_clause *)from->link.prev;
  if (first->index == CH_ALONE)
    first->branch = to;
  else
    first->wait->branch = to;
}
