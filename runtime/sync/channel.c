/* Channels (charcoal/channel.h): how they begin, close and end. How a message passes is in pass.h, with the invariants;
 * the clauses are in channel_clauses.c, the calls in channel_calls.c and channel_some.c. */
#include "wait/wait.h"

#undef CH_FILLS_IN
#define CH_FILLS_IN /* this file has the functions by which channel.h fills clauses in */
#include "sync/pass.h"

/* ---- birth and end ---- */

int ch_channel_make(struct ch_channel *c, size_t room, size_t size, int shared) {
  *c = (struct ch_channel){.room = room, .object = {.shared = shared != 0}};
  if (shared)
    return (c->object.ends = ch_ends_make(room == CH_UNBOUNDED ? FIRST_SLOTS : room, size)) ? 0 : ENOMEM;
  return room == 0 || room == CH_UNBOUNDED || (c->ring = new_ring(room, size)) ? 0 : ENOMEM;
}

static bool is_used(const struct ch_channel *c) {
  return ch_list_is_awaited(&c->receivers) || ch_list_is_awaited(&c->senders) || standing_offer(c, ANY, SENDERS) ||
         standing_offer(c, ANY, RECEIVERS);
}
int ch_channel_destroy_(struct ch_channel *c) {
  enter(c);
  if (is_used(c))
    return end(c, ANY, EBUSY);
  leave(c); /* whoever withdraws his offer enters it once more */
  ch_channel_await_parties(c);
  if (ends_of(c, ANY))
    ch_ends_free(c->object.ends);
  free(c->ring);
  *c = (struct ch_channel){.room = 0};
  return 0;
}

bool ch_channel_grow(struct ch_channel *c, size_t size) {
  if (c->object.shared)
    return ch_ends_grow(c->object.ends, size);
  struct ch_channel_ring *old = c->ring, *r = new_ring(old ? 2 * old->slots : FIRST_SLOTS, size);
  if (!r)
    return false;
  while (old && old->used > 0)
    put_in_ring(r, advance(old, &old->first, size), size), old->used--;
  free(old);
  c->ring = r;
  return true;
}

int ch_channel_close(struct ch_channel *c) {
  enter(c);
  if (c->object.closed)
    return end(c, ANY, EPIPE);
  c->object.closed = 1;
  if (c->ring)
    c->ring->full_at = 0;
  struct ch_offer *offers[2];
  for (enum side side = SENDERS; side <= RECEIVERS; side++)
    if ((offers[side] = standing_offer(c, ANY, side)))
      take_offer(offers[side], EPIPE);
  struct ch_claimed_list woken = {0};
  struct ch_link *waiter;
  while ((waiter = ch_waiter_first(&c->receivers)) || (waiter = ch_waiter_first(&c->senders)))
    if (ch_waiter_claim(waiter))
      ch_claimed_add_waiter(&woken, waiter);
  leave(c);
  for (enum side side = SENDERS; side <= RECEIVERS; side++)
    if (offers[side])
      end_offer(offers[side]);
  ch_wake_waiters(&woken, EPIPE);
  return 0;
}

size_t ch_channel_length(struct ch_channel *c) {
  enter(c);
  size_t n = length(c, ANY);
  leave(c);
  return n;
}
int ch_channel_is_closed(struct ch_channel *c) {
  enter(c);
  int is = c->object.closed != 0;
  leave(c);
  return is;
}

/* ---- those who wait for the opposite of a clause ---- */

/* Begins to bring what is used next of a clause, its wait and its message. If the waiter is in another domain, these
 * lines are that core's. */
static inline void fetch(const struct ch_pass__clause *c) {
  ch_atomic_fetch(c);
  ch_atomic_fetch(&c->message);
  ch_atomic_fetch(c->clause.wait);
  ch_atomic_fetch(c->message);
}

struct ch_link *ch_channel_partner_of_clauses(struct ch_link *list, struct ch_clause *own, bool *decided) {
  struct ch_link *other = list->next;
  while (other != list) {
    if (!ch_link_is_clause(other)) {
      ch_list_remove(other);
      return other;
    }
    fetch((const struct ch_pass__clause *)other);
    enum ch_claimed claimed = ch_claim_both(own, (struct ch_clause *)other);
    if (CH_LIKELY(claimed == CH_CLAIMED))
      return other;
    if (claimed == CH_OWN_DECIDED) {
      *decided = true;
      return NULL;
    }
    other = claimed == CH_SAME_WAIT ? other->next : list->next;
  }
  return NULL;
}

struct ch_link *ch_channel_local_partner(struct ch_link *list, struct ch_clause *own) {
  bool decided; /* never: only this domain decides the wait of `own` */
  return ch_channel_partner_of_clauses(list, own, &decided);
}

/* ---- invariants ---- */

#ifdef CHARCOAL_CHECKED
static const struct ch_wait *wait_of(const struct ch_link *waiter) {
  const struct ch_clause *c = (const struct ch_clause *)waiter;
  return ch_link_is_clause(waiter) && c->index < CH_ALONE ? c->wait : NULL;
}
static bool is_open(const struct ch_link *waiter) {
  const struct ch_wait *w = wait_of(waiter);
  return !w || (w->flags & CH_WAIT_AND) || __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == CH_STATE_OPEN;
}
/* The next one on the list who waits, after a node or the head. NULL: there is none. */
static const struct ch_link *next_waiter(const struct ch_link *list, const struct ch_link *node) {
  while (!ch_list_empty(list) && (node = node->next) != list)
    if (is_open(node))
      return node;
  return NULL;
}
static bool are_of_one_wait(const struct ch_channel *c) {
  for (const struct ch_link *r = &c->receivers; (r = next_waiter(&c->receivers, r));)
    for (const struct ch_link *s = &c->senders; (s = next_waiter(&c->senders, s));)
      if (!wait_of(r) || wait_of(r) != wait_of(s))
        return false;
  return true;
}
static bool offers(const struct ch_channel *c, enum side side) {
  const struct ch_offer *o = offer_of(c, ANY, side);
  return o && o->state == CH_OFFER_STANDS;
}

void ch_channel_check(const struct ch_channel *c) {
  const bool receiver = next_waiter(&c->receivers, &c->receivers), sender = next_waiter(&c->senders, &c->senders);
  if (ch_some_are_gone)
    return;
  CH_INVARIANT(!receiver || length(c, ANY) == 0, "if receivers wait there is no message");
  CH_INVARIANT(!sender || is_full(c, ANY), "if senders wait the ring is full");
  CH_INVARIANT(!receiver || !sender || are_of_one_wait(c), "receivers and senders who wait are of one wait");
  CH_INVARIANT(!c->object.closed || !(receiver || sender || offers(c, SENDERS) || offers(c, RECEIVERS)),
               "in a closed channel nobody waits or offers");
  CH_INVARIANT(!c->ring || c->ring->full_at == 0 ||
                   (c->ring->full_at == c->ring->slots && ch_list_empty(&c->receivers) && !c->object.closed),
               "to send is only to put a message in while nobody waits for one");
  CH_INVARIANT(!c->ring || c->ring->empty_at == SIZE_MAX || (c->ring->empty_at == 0 && ch_list_empty(&c->senders)),
               "to receive is only to take a message out while nobody waits to send one");
  CH_INVARIANT(!offers(c, SENDERS) || !offers(c, RECEIVERS), "offers to send and to receive do not stand together");
}
#endif
