/* How a clause that has been claimed makes its branch ready, in the branch's domain or from another one. */
#include "wait/parts.h"

/* Reverses the order of the clauses of a wait that is over. The activity that has claimed one of them often goes on
 * with a wait for the same objects, in textual order, and takes the losers off their lists as it meets them. If the
 * losers are withdrawn from the other end, the two domains meet at one object instead of at each. Begins to bring the
 * objects to this core, too. */
static void reverse(struct ch_wait *w) {
  struct ch_clause *c = w->first, *before = NULL;
  while (c) {
    struct ch_clause *next = c->next;
    ch_atomic_fetch(c->object);
    c->next = before;
    before = c;
    c = next;
  }
  w->first = before;
}

/* Called in the waiter's domain when a clause has been claimed and has had its effect. */
static inline void one_of_several_arrived(struct ch_wait *w, struct ch_clause *c) {
  struct ch_branch *b = w->branch;
  w->branch = NULL;
  ch_count_out(w->owner, c);
  c->state = CH_IS_HAD;
  if (!b)
    return; /* the waiter is still enlisting, and will notice */
  if (w->exposed)
    reverse(w);
  ch_withdraw_losers(w, c);
  ch_ready(b, c->index);
}
static void one_of_all_arrived(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  struct ch_branch *b = w->branch;
  w->branch = NULL;
  ch_all_completed(w, c);
  ch_atomic_store(&c->state, CH_IS_HAD);
  if (b)
    ch_ready(b, 0);
}

static void one_arrived(struct ch_letter *letter) {
  struct ch_wait *w = ch_letter_wait(letter);
  one_of_several_arrived(w, ch_wait_clause(w, ch_wait_selected(w)));
}

static void some_arrived(struct ch_letter *letter) {
  struct ch_wait *w = ch_letter_wait(letter);
  (void)ch_atomic_exchange(&w->posted, 0);
  ch_all_take_arrived(w);
  struct ch_branch *b = w->branch;
  if (!w->complete || !b)
    return;
  w->branch = NULL;
  ch_ready(b, 0);
}

static void send_to_its_domain(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  struct ch_inbox *inbox = w->inbox;
  if (!(w->flags & CH_WAIT_AND)) {
    ch_wait_letter(w)->open = one_arrived;
    ch_inbox_post(inbox, ch_wait_letter(w));
    return;
  }
  ch_all_arrived(w, c);
  if (!ch_atomic_exchange(&w->posted, 1)) {
    ch_wait_letter(w)->open = some_arrived;
    ch_inbox_post(inbox, ch_wait_letter(w));
  }
  ch_atomic_store(&c->state, CH_IS_HAD);
}

static void wake_alone(struct ch_clause *c) {
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING, "who has listed clauses selects");
  ch_count_out(b, c);
  ch_ready(b, 0);
}
static void call_back(struct ch_clause *c) {
  ch_count_out(NULL, c);
  c->then(c);
}

void ch_wake(struct ch_clause *c) {
  if (c->index == CH_ALONE)
    CH_JUMP_TO wake_alone(c);
  if (CH_UNLIKELY(c->index == CH_CALLBACK))
    CH_JUMP_TO call_back(c);
  struct ch_wait *w = c->wait;
  if (CH_UNLIKELY(w->exposed) && w->inbox != ch_inbox_of_thread)
    CH_JUMP_TO send_to_its_domain(c);
  if (CH_UNLIKELY(w->flags & CH_WAIT_AND))
    CH_JUMP_TO one_of_all_arrived(c);
  one_of_several_arrived(w, c);
}

static struct ch_branch *waiter_of(const struct ch_clause *c) {
  return c->index == CH_ALONE ? c->branch : c->index == CH_CALLBACK ? NULL : c->wait->owner;
}

bool ch_clause_fired(struct ch_clause *c, int64_t value) {
  c->value = value;
  if (c->index < CH_ALONE && CH_UNLIKELY(!ch_claim_unlisted(c))) {
    c->state = CH_IS_OUT;
    ch_count_out(waiter_of(c), c);
    return false;
  }
  ch_wake(c);
  return true;
}

void ch_clause_fired_first(struct ch_clause *c, int64_t value) {
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING && c->index == CH_ALONE, "it is the only clause of a wait");
  c->value = value;
  ch_count_out(b, c);
  b->state = CH_READY;
  b->link.prev = NULL;
  ch_ready_first(b);
}
