/* Broadcasts (charcoal/broadcast.h).
 *
 * Each operation is written once, for calls that do not wait (own == NULL), for plain calls and for clauses. A message
 * is put into the ring first, and then given to those who wait: so nobody has to be claimed together with the
 * publisher, and a receiver whose wait has been decided otherwise finds it later.
 *
 * Invariants, while the object is not entered: 1. who waits to receive has received all; 2. who waits to publish does
 * so because of CH_SLOW_WAIT, and a subscriber that lacks `room` messages; 3. in a closed one nobody waits. */
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
  size_t bytes;
  *b = (struct ch_broadcast){.room = room, .policy = slow, .object = {.shared = shared != 0}};
  if (room == 0)
    return EINVAL;
  if (__builtin_mul_overflow(room, size, &bytes) || !(b->ring = malloc(bytes ? bytes : 1)))
    return ENOMEM;
  return 0;
}

int ch_broadcast_destroy_(struct ch_broadcast *b) {
  enter(b);
  if (b->first || !ch_list_empty(&b->receivers) || !ch_list_empty(&b->publishers))
    return end(b, EBUSY);
  free(b->ring);
  *b = (struct ch_broadcast){.closed = 1};
  return 0;
}

/* ---- the ring ---- */

static char *slot(const struct ch_broadcast *b, uint64_t number, size_t size) {
  return b->ring + number % b->room * size;
}
static bool is_full(const struct ch_broadcast *b) {
  if (b->policy != CH_SLOW_WAIT)
    return false;
  for (const struct ch_subscription *s = b->first; s; s = s->next)
    if (b->sent - s->at >= b->room)
      return true;
  return false;
}

static struct ch_subscription_next__clause *receiving(struct ch_clause *c) {
  return (struct ch_subscription_next__clause *)c;
}
static struct ch_broadcast_send__clause *publishing(struct ch_clause *c) {
  return (struct ch_broadcast_send__clause *)c;
}

/* Of those who wait, each that lacks the last message receives it. */
static void put(struct ch_broadcast *b, const void *from, size_t size, struct ch_claimed_list *woken) {
  ch_object_copy(slot(b, b->sent++, size), from, size);
  struct ch_clause *c = ch_list_first(&b->receivers), *next;
  for (; c; c = next) {
    struct ch_subscription *by = receiving(c)->by;
    next = ch_list_after(&b->receivers, c);
    if (by->at == b->sent || !ch_claim(c))
      continue;
    by->at = b->sent;
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
  enter(b);
  if (s->at == b->sent && !b->closed)
    return CH_OP_WAITS;
  if (!may(own))
    return end(b, CH_OP_DECIDED);
  if (s->at == b->sent)
    return end(b, EPIPE);
  if (has_missed(b, s) && b->policy == CH_SLOW_ERROR)
    return end(b, EOVERFLOW);
  ch_object_copy(to, slot(b, s->at++, size), size);
  serve_publishers(b, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

/* ---- subscribers ---- */

int ch_subscription_begin(struct ch_broadcast *b, struct ch_subscription *s) {
  enter(b);
  *s = (struct ch_subscription){.of = b, .next = b->first, .at = b->sent};
  b->first = s;
  return end(b, 0);
}

int ch_subscription_end(struct ch_subscription *s) {
  struct ch_broadcast *b = s->of;
  struct ch_claimed_list woken = {0};
  if (!b)
    return EINVAL;
  enter(b);
  for (struct ch_clause *c = ch_list_first(&b->receivers); c; c = ch_list_after(&b->receivers, c))
    if (receiving(c)->by == s)
      return end(b, EBUSY);
  struct ch_subscription **at = &b->first;
  while (*at != s)
    at = &(*at)->next;
  *at = s->next;
  s->of = NULL;
  serve_publishers(b, &woken);
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

uint64_t ch_subscription_missed(struct ch_subscription *s) {
  enter(s->of);
  uint64_t missed = s->missed;
  leave(s->of);
  return missed;
}

int ch_broadcast_close_(struct ch_broadcast *b) {
  enter(b);
  if (b->closed)
    return end(b, EPIPE);
  b->closed = 1;
  struct ch_claimed_list woken = {0};
  struct ch_clause *waiter;
  while ((waiter = ch_list_first(&b->receivers)) || (waiter = ch_list_first(&b->publishers)))
    if (ch_claim(waiter)) {
      waiter->value = EPIPE;
      ch_claimed_add(&woken, waiter);
    }
  leave(b);
  ch_wake_all(&woken);
  return 0;
}

/* ---- as clauses ---- */

static int enlist_publish(struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  return ch_op_enlist(clause, publish(b, clause, publishing(clause)->from, publishing(clause)->size), &b->publishers);
}
static int enlist_next(struct ch_clause *clause) {
  struct ch_subscription_next__clause *r = receiving(clause);
  return ch_op_enlist(clause, receive(r->by, clause, r->to, r->size),
                      &((struct ch_broadcast *)clause->object)->receivers);
}
static bool can_publish(const struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  enter(b);
  return end(b, b->closed || !is_full(b));
}
static bool can_receive(const struct ch_clause *clause) {
  struct ch_broadcast *b = clause->object;
  const struct ch_subscription_next__clause *own = (const struct ch_subscription_next__clause *)clause;
  enter(b);
  return end(b, b->closed || own->by->at != b->sent);
}

#define TYPES(words, how, can)                                                                                         \
  {                                                                                                                    \
    {.what = words, .by = CH_BY_DOMAIN, .enlist = how, .withdraw = ch_op_withdraw, .ready = can}, {                    \
      .what = words, .by = CH_BY_OTHERS, .enlist = how, .withdraw = ch_op_withdraw, .ready = can                       \
    }                                                                                                                  \
  }
static const struct ch_clause_type publish_types[2] = TYPES("publishing", enlist_publish, can_publish),
                                   next_types[2] = TYPES("receiving from a broadcast", enlist_next, can_receive);

void ch_broadcast_send__clause(struct ch_broadcast_send__clause *f, struct ch_broadcast *b, const void *from,
                               size_t size) {
  f->clause = (struct ch_clause){.type = &publish_types[b->object.shared], .object = b};
  f->from = from;
  f->size = size;
}
void ch_subscription_next__clause(struct ch_subscription_next__clause *f, struct ch_subscription *s, void *to,
                                  size_t size) {
  f->clause = (struct ch_clause){.type = &next_types[s->of->object.shared], .object = s->of};
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
