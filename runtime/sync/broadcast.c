/* Broadcasts (charcoal/broadcast.h).
 *
 * Each operation is written once, for calls that do not wait (own == NULL), for plain calls and for clauses. A message
 * is put into the ring first, and then given to those who wait: so nobody has to be claimed together with the
 * publisher, and a receiver whose wait has been decided otherwise finds it later.
 *
 * Who waits to receive is on a list of the subscription. No list of subscriptions is walked but that of those for which
 * somebody waits, when all of them receive a message: what one subscriber does takes the same time however many others
 * there are.
 *
 * Invariants, while the object is not entered: 1. who waits to receive has received all; 2. who waits to publish does
 * so because of CH_SLOW_WAIT, and a subscriber that lacks `room` messages; 3. in a closed one nobody waits; 4.
 * `awaited` holds exactly the subscriptions that have waiters; 5. the sum of the counts `next` is the number of
 * subscriptions. */
#include "charcoal/broadcast.h"
#include "sync/object.h"
#include "sync/plain.h"
#include <errno.h>
#include <stdlib.h>

static void enter(struct ch_broadcast *b) { ch_object_enter(&b->object, "broadcast"); }
static void leave(struct ch_broadcast *b) { ch_object_leave(&b->object); }
static int end(struct ch_broadcast *b, int result) {
  leave(b);
  return result;
}

int ch_broadcast_make(struct ch_broadcast *b, size_t room, enum ch_slow slow, size_t size, int shared) {
  size_t slots, bytes, counts;
  *b = (struct ch_broadcast){.room = room, .policy = slow, .object = {.shared = shared != 0}};
  if (room == 0)
    return EINVAL;
  if (__builtin_add_overflow(room, 1, &slots) || __builtin_mul_overflow(slots, size, &bytes) ||
      __builtin_mul_overflow(slots, sizeof *b->next, &counts) || !(b->ring = malloc(bytes ? bytes : 1)))
    return ENOMEM;
  if (slow != CH_SLOW_WAIT || (b->next = calloc(1, counts)))
    return 0;
  free(b->ring);
  b->ring = NULL;
  return ENOMEM;
}

int ch_broadcast_destroy_(struct ch_broadcast *b) {
  enter(b);
  if (b->subscriptions > 0 || ch_list_is_awaited(&b->publishers))
    return end(b, EBUSY);
  free(b->ring);
  free(b->next);
  *b = (struct ch_broadcast){.closed = 1};
  return 0;
}

/* ---- the ring ---- */

static size_t place_of(const struct ch_broadcast *b, uint64_t number) { return number % (b->room + 1); }

/* Somebody lacks `room` messages. */
static bool is_full(const struct ch_broadcast *b) {
  return b->next && b->sent >= b->room && b->next[place_of(b, b->sent - b->room)] > 0;
}

/* The subscription receives the message at this place now, and the one behind it next. */
static void advance(struct ch_broadcast *b, struct ch_subscription *s, size_t place) {
  s->at++;
  if (!b->next)
    return;
  b->next[place]--;
  b->next[place == b->room ? 0 : place + 1]++;
}

static struct ch_subscription_next__clause *receiving(struct ch_clause *c) {
  return (struct ch_subscription_next__clause *)c;
}
static struct ch_broadcast_send__clause *publishing(struct ch_clause *c) {
  return (struct ch_broadcast_send__clause *)c;
}

static struct ch_subscription *awaited_at(struct ch_link *n) {
  return (struct ch_subscription *)((char *)n - offsetof(struct ch_subscription, awaited));
}
static struct ch_subscription *first_awaited(const struct ch_broadcast *b) {
  return ch_list_empty(&b->awaited) ? NULL : awaited_at(b->awaited.next);
}
/* Has to be called when somebody has been taken off the list of the subscription's waiters. */
static void one_waits_less(struct ch_subscription *s) {
  if (ch_list_empty(&s->waiters))
    ch_list_remove(&s->awaited);
}

/* Takes those off the front of the list who are not in this child of fork. */
static void drop_gone(struct ch_subscription *s) {
  for (struct ch_clause *c; (c = ch_list_first(&s->waiters)) && ch_clause_is_gone(c);) {
    (void)ch_claim(c);
    one_waits_less(s);
  }
}

/* The first of those who wait for the subscription's next message that can be claimed, or NULL. */
static struct ch_clause *claim_waiter(struct ch_subscription *s) {
  for (struct ch_clause *c; (c = ch_list_first(&s->waiters));) {
    bool claimed = ch_claim(c);
    one_waits_less(s);
    if (claimed)
      return c;
  }
  return NULL;
}

/* For each subscription that is awaited, the first who waits receives the message. */
static void put(struct ch_broadcast *b, const void *from, size_t size, struct ch_claimed_list *woken) {
  size_t place = place_of(b, b->sent++);
  ch_object_copy(b->ring + place * size, from, size);
  struct ch_link *n = ch_list_empty(&b->awaited) ? &b->awaited : b->awaited.next, *next;
  for (; n != &b->awaited; n = next) {
    struct ch_subscription *s = awaited_at(n);
    next = n->next;
    struct ch_clause *c = claim_waiter(s);
    if (!c)
      continue;
    advance(b, s, place);
    ch_object_copy(receiving(c)->to, from, size);
    c->value = 0;
    ch_claimed_add(woken, c);
  }
}

/* There may be room again. */
static void serve_publishers(struct ch_broadcast *b, struct ch_claimed_list *woken) {
  struct ch_clause *c;
  while ((c = ch_list_first(&b->publishers)) && !is_full(b))
    if (ch_claim(c)) {
      c->value = 0;
      put(b, publishing(c)->from, publishing(c)->size, woken);
      ch_claimed_add(woken, c);
    }
}

/* ---- publish and receive: see sync/plain.h for what they return ---- */

static bool may(struct ch_clause *own) { return !own || ch_claim_own(own); }

static int publish(struct ch_broadcast *b, struct ch_clause *own, const void *from, size_t size) {
  struct ch_claimed_list woken = {0};
  enter(b);
  if (CH_UNLIKELY(b->closed))
    return end(b, may(own) ? EPIPE : CH_OP_DECIDED);
  if (is_full(b))
    return CH_OP_WAITS;
  if (!may(own))
    return end(b, CH_OP_DECIDED);
  if (CH_UNLIKELY(!b->ring))
    return end(b, EINVAL);
  put(b, from, size, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

/* It has missed what the ring no longer holds. */
static bool has_missed(struct ch_broadcast *b, struct ch_subscription *s) {
  if (b->sent - s->at <= b->room)
    return false;
  s->missed += b->sent - b->room - s->at;
  s->at = b->sent - b->room;
  return true;
}

static int receive(struct ch_subscription *s, struct ch_clause *own, void *to, size_t size) {
  struct ch_broadcast *b = s->of;
  struct ch_claimed_list woken = {0};
  if (CH_UNLIKELY(!b))
    return may(own) ? EINVAL : CH_OP_DECIDED;
  enter(b);
  if (s->at == b->sent && !b->closed)
    return CH_OP_WAITS;
  if (!may(own))
    return end(b, CH_OP_DECIDED);
  if (s->at == b->sent)
    return end(b, EPIPE);
  if (has_missed(b, s) && b->policy == CH_SLOW_ERROR)
    return end(b, EOVERFLOW);
  size_t place = place_of(b, s->at);
  ch_object_copy(to, b->ring + place * size, size);
  advance(b, s, place);
  serve_publishers(b, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

/* ---- subscribers ---- */

int ch_subscription_begin(struct ch_broadcast *b, struct ch_subscription *s) {
  enter(b);
  *s = (struct ch_subscription){.of = b, .at = b->sent};
  b->subscriptions++;
  if (b->next)
    b->next[place_of(b, s->at)]++;
  return end(b, 0);
}

int ch_subscription_end(struct ch_subscription *s) {
  struct ch_broadcast *b = s->of;
  struct ch_claimed_list woken = {0};
  if (!b)
    return EINVAL;
  enter(b);
  drop_gone(s);
  if (!ch_list_empty(&s->waiters))
    return end(b, EBUSY);
  b->subscriptions--;
  if (b->next)
    b->next[place_of(b, s->at)]--;
  s->of = NULL;
  serve_publishers(b, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

uint64_t ch_subscription_missed(struct ch_subscription *s) {
  if (!s->of)
    return s->missed;
  enter(s->of);
  uint64_t missed = s->missed;
  leave(s->of);
  return missed;
}

static void tell_the_end(struct ch_clause *c, struct ch_claimed_list *woken) {
  c->value = EPIPE;
  ch_claimed_add(woken, c);
}

int ch_broadcast_close_(struct ch_broadcast *b) {
  enter(b);
  if (b->closed)
    return end(b, EPIPE);
  b->closed = 1;
  struct ch_claimed_list woken = {0};
  struct ch_subscription *s;
  struct ch_clause *c;
  while ((s = first_awaited(b)))
    if ((c = claim_waiter(s)))
      tell_the_end(c, &woken);
  while ((c = ch_list_first(&b->publishers)))
    if (ch_claim(c))
      tell_the_end(c, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

/* ---- as clauses ---- */

static int enlist_publish(struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  return ch_op_enlist(clause, publish(b, clause, publishing(clause)->from, publishing(clause)->size), false,
                      &b->publishers);
}
static int enlist_next(struct ch_clause *clause) {
  struct ch_subscription_next__clause *r = receiving(clause);
  struct ch_subscription *s = r->by;
  int result = receive(s, clause, r->to, r->size);
  if (result == CH_OP_WAITS && ch_list_empty(&s->waiters))
    ch_list_append(&s->of->awaited, &s->awaited, false);
  return ch_op_enlist(clause, result, false, &s->waiters);
}
static bool withdraw_next(struct ch_clause *clause) {
  struct ch_subscription *s = receiving(clause)->by;
  enter(s->of);
  bool on_list = ch_clause_state(clause) == CH_IS_LISTED, withdrawn = ch_unlist(clause);
  if (on_list)
    one_waits_less(s);
  leave(s->of);
  return withdrawn;
}
static bool publish_now(struct ch_clause *clause) {
  return ch_op_at_once(clause, publish(clause->object, NULL, publishing(clause)->from, publishing(clause)->size));
}
static bool receive_now(struct ch_clause *clause) {
  struct ch_subscription_next__clause *r = receiving(clause);
  return ch_op_at_once(clause, receive(r->by, NULL, r->to, r->size));
}
static bool can_publish(const struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  enter(b);
  return end(b, b->closed || !is_full(b));
}
static bool can_receive(const struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  const struct ch_subscription_next__clause *own = (const struct ch_subscription_next__clause *)clause;
  if (!b)
    return true;
  enter(b);
  return end(b, b->closed || own->by->at != b->sent);
}

static const struct ch_clause_type publish_types[2] =
    CH_OP_TYPES("publishing", enlist_publish, .ready = can_publish, .at_once = publish_now);
#define NEXT_TYPE(who)                                                                                                 \
  {.what = "receiving from a broadcast",                                                                               \
   .by = who,                                                                                                          \
   .enlist = enlist_next,                                                                                              \
   .withdraw = withdraw_next,                                                                                          \
   .ready = can_receive,                                                                                               \
   .at_once = receive_now}
static const struct ch_clause_type next_types[2] = {NEXT_TYPE(CH_BY_DOMAIN), NEXT_TYPE(CH_BY_OTHERS)};

void ch_broadcast_send__clause(struct ch_broadcast_send__clause *f, struct ch_broadcast *b, const void *from,
                               size_t size) {
  f->clause = (struct ch_clause){.type = &publish_types[b->object.shared], .object = b};
  f->from = from;
  f->size = size;
}
void ch_subscription_next__clause(struct ch_subscription_next__clause *f, struct ch_subscription *s, void *to,
                                  size_t size) {
  f->clause = (struct ch_clause){.type = &next_types[s->of && s->of->object.shared], .object = s->of};
  f->by = s;
  f->to = to;
  f->size = size;
}

/* ---- as calls ---- */

static const struct ch_leaf publish_leaves[2] = CH_FORM_LEAVES("ch_publish", struct ch_broadcast_send__clause);
static const struct ch_leaf next_leaves[2] = CH_FORM_LEAVES("ch_next", struct ch_subscription_next__clause);

static int publish_at_once(struct ch_broadcast *b, const void *from, size_t size) {
  int result = ch_is_marked() ? ECANCELED : publish(b, NULL, from, size);
  return result == CH_OP_WAITS ? end(b, CH_OP_WAITS) : result;
}
static int receive_at_once(struct ch_subscription *s, void *to, size_t size) {
  int result = ch_is_marked() ? ECANCELED : receive(s, NULL, to, size);
  return result == CH_OP_WAITS ? end(s->of, CH_OP_WAITS) : result;
}

struct ch_int_result ch_broadcast_send_int(struct ch_broadcast *, const void *, size_t) CH_INT_NAME(ch_broadcast_send);
struct ch_int_result ch_broadcast_send_int(struct ch_broadcast *b, const void *from, size_t size) {
  struct ch_broadcast_send__clause f;
  int result = publish_at_once(b, from, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_broadcast_send__clause(&f, b, from, size);
  return ch_form_wait_int(publish_leaves, &f.clause);
}
int ch_broadcast_send(struct ch_broadcast *b, const void *from, size_t size) {
  struct ch_broadcast_send__clause f;
  int result = publish_at_once(b, from, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_broadcast_send__clause(&f, b, from, size);
  return (int)ch_form_wait(publish_leaves, &f.clause);
}

struct ch_int_result ch_subscription_next_int(struct ch_subscription *, void *, size_t)
    CH_INT_NAME(ch_subscription_next);
struct ch_int_result ch_subscription_next_int(struct ch_subscription *s, void *to, size_t size) {
  struct ch_subscription_next__clause f;
  int result = receive_at_once(s, to, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_subscription_next__clause(&f, s, to, size);
  return ch_form_wait_int(next_leaves, &f.clause);
}
int ch_subscription_next(struct ch_subscription *s, void *to, size_t size) {
  struct ch_subscription_next__clause f;
  int result = receive_at_once(s, to, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_subscription_next__clause(&f, s, to, size);
  return (int)ch_form_wait(next_leaves, &f.clause);
}

static int or_again(int result) { return result == CH_OP_WAITS ? EAGAIN : result; }
int ch_broadcast_try_send(struct ch_broadcast *b, const void *from, size_t size) {
  return or_again(publish_at_once(b, from, size));
}
int ch_subscription_try_next(struct ch_subscription *s, void *to, size_t size) {
  return or_again(receive_at_once(s, to, size));
}
