/* Channels (charcoal/channel.h).
 *
 * Each operation is written once, for calls that do not wait (own == NULL), for plain calls and for clauses. In a
 * shared channel that keeps messages it is tried first with one end only (ends.h). In a shared channel without room it
 * may be offered before it waits.
 *
 * Invariants, while the object is not entered: 1. if receivers wait there is no message; 2. if senders wait the ring is
 * full (with room 0: always); 3. receivers and senders wait at the same time only if each pair of them is of one
 * wait; 4. in a closed channel nobody waits or offers; 5. an offer to send and one to receive never stand at the same
 * time.
 */
#include "sync/object.h"
#include "sync/offer.h"
#include "sync/plain.h"
#include "sync/retry.h"

#undef CH_FILLS_IN
#define CH_FILLS_IN /* this file has the functions by which channel.h fills clauses in */
#include "sync/messages.h"
#include <errno.h>

static void enter(struct ch_channel *c) { ch_object_enter(&c->object, "channel"); }
static void leave(struct ch_channel *c) { ch_object_leave(&c->object); }

/* ---- offers: see ends.h ---- */

enum side { SENDERS, RECEIVERS };

/* The offer of a sender or of a receiver. NULL: the channel has no place to meet. */
static inline struct ch_offer *offer_of(const struct ch_channel *c, enum whose whose, enum side side) {
  struct ch_ends *e = ends_of(c, whose);
  return !e || e->slots ? NULL : side == SENDERS ? &e->meeting.send : &e->meeting.receive;
}
/* An offer of somebody who is in this process stands. */
static inline bool stands(const struct ch_channel *c, enum whose whose, enum side side) {
  const struct ch_offer *o = offer_of(c, whose, side);
  return o && ch_atomic_load(&o->state) == CH_OFFER_STANDS &&
         !(CH_UNLIKELY(ch_some_are_gone) && ch_inbox_is_gone(o->by));
}
/* Somebody takes it; and then he says so, after he has left the channel, which may be gone as soon as it is known. */
static inline void take_offer(struct ch_offer *o, int result) {
  o->result = (uint16_t)result;
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_TAKEN);
}
static inline void end_offer(struct ch_offer *o) {
  ch_tsan_release(o);
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_ENDED);
}
static inline int take_and_end_offer(struct ch_channel *c, struct ch_offer *o) {
  take_offer(o, 0);
  leave(c);
  end_offer(o);
  return 0;
}
/* Until those whose offers have been taken know it; they are looking on. */
static void await_parties(const struct ch_channel *c) {
  for (enum side side = SENDERS; side <= RECEIVERS; side++) {
    const struct ch_offer *o = offer_of(c, ANY, side);
    for (unsigned tries = 1; o && ch_atomic_load(&o->state) != CH_OFFER_NONE; tries++) {
      if (CH_UNLIKELY(ch_some_are_gone) && ch_inbox_is_gone(o->by))
        break;
      ch_atomic_relax(tries);
    }
  }
}

/* ---- birth and end ---- */

int ch_channel_make(struct ch_channel *c, size_t room, size_t size, int shared) {
  *c = (struct ch_channel){.room = room, .object = {.shared = shared != 0}};
  if (shared)
    return (c->object.ends = ch_ends_make(room == CH_UNBOUNDED ? FIRST_SLOTS : room, size)) ? 0 : ENOMEM;
  return room == 0 || room == CH_UNBOUNDED || (c->ring = new_ring(room, size)) ? 0 : ENOMEM;
}

int ch_channel_destroy_(struct ch_channel *c) {
  enter(c);
  if (ch_list_is_awaited(&c->receivers) || ch_list_is_awaited(&c->senders) || stands(c, ANY, SENDERS) ||
      stands(c, ANY, RECEIVERS)) {
    leave(c);
    return EBUSY;
  }
  leave(c); /* whoever withdraws his offer enters it once more */
  await_parties(c);
  if (ends_of(c, ANY))
    ch_ends_free(c->object.ends);
  free(c->ring);
  *c = (struct ch_channel){.room = 0};
  return 0;
}

/* ---- send and receive: see sync/plain.h for what they return ---- */

static inline int end(struct ch_channel *c, enum whose whose, int result) {
  if (whose == ANY)
    leave(c);
  return result;
}
static int decided_elsewhere(struct ch_channel *c) { return end(c, ANY, CH_OP_DECIDED); }
static inline int end_and_wake(struct ch_channel *c, enum whose whose, struct ch_link *waiter) {
  end(c, whose, 0);
  ch_waiter_wake(waiter, 0);
  return 0;
}

/* The operation can be had now. False: another clause of the wait has been selected. */
static inline bool may_have(enum whose whose, struct ch_clause *own) {
  return whose == LOCAL || !own || ch_claim_own(own);
}

/* Where the message of somebody who waits is, or is to be. */
static void *message_of(const struct ch_link *waiter) {
  _Static_assert(offsetof(struct ch_channel_send__clause, from) == offsetof(struct ch_channel_recv__clause, to),
                 "the clauses of both directions are alike");
  return CH_LIKELY(!ch_link_is_clause(waiter)) ? ch_operand_of(ch_link_branch(waiter))->value
                                               : ((const struct ch_channel_recv__clause *)waiter)->to;
}

/* Begins to bring what is used next of a clause, its wait and its message. If the waiter is in another domain, these
 * lines are that core's. */
static inline void fetch(const struct ch_link *waiter) {
  const struct ch_channel_recv__clause *c = (const struct ch_channel_recv__clause *)waiter;
  ch_atomic_fetch(c);
  ch_atomic_fetch(&c->to);
  ch_atomic_fetch(c->clause.wait);
  ch_atomic_fetch(c->to);
}

/* The same, if the first one is a clause, and perhaps not an ordinary one. */
__attribute__((noinline)) static struct ch_link *partner_of_clauses(struct ch_link *list, struct ch_clause *own,
                                                                    bool *decided) {
  struct ch_link *other = list->next;
  while (other != list) {
    if (!ch_link_is_clause(other)) {
      ch_list_remove(other);
      return other;
    }
    fetch(other);
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
/* The first of those who wait for the opposite with whom `own` can be claimed together; it is off the list then. NULL:
 * there is none, or *decided. */
static inline struct ch_link *partner(enum whose whose, struct ch_link *list, struct ch_clause *own, bool *decided) {
  struct ch_link *first = ch_waiter_first(list);
  if (!first)
    return NULL;
  if (!ch_link_is_clause(first))
    return ch_list_remove(first), first;
  if (whose == LOCAL && CH_LIKELY(ch_claim_ordinary((struct ch_clause *)first)))
    return first;
  return partner_of_clauses(list, own, decided);
}

#define OPERATION static inline __attribute__((always_inline)) int

OPERATION send(struct ch_channel *c, enum whose whose, struct ch_clause *own, const void *from, size_t size) {
  bool decided = false;
  enter(c);
  if (CH_UNLIKELY(c->object.closed))
    return may_have(whose, own) ? end(c, whose, EPIPE) : decided_elsewhere(c);
  if (stands(c, whose, RECEIVERS)) {
    if (!may_have(whose, own))
      return decided_elsewhere(c);
    struct ch_offer *o = offer_of(c, whose, RECEIVERS);
    ch_object_copy(o->message, from, size);
    return take_and_end_offer(c, o);
  }
  struct ch_link *receiver = partner(whose, &c->receivers, own, &decided);
  if (receiver) {
    ch_object_copy(message_of(receiver), from, size);
    return end_and_wake(c, whose, receiver);
  }
  if (whose == ANY && CH_UNLIKELY(decided))
    return decided_elsewhere(c);
  if (is_full(c, whose) && c->room != CH_UNBOUNDED)
    return CH_OP_WAITS;
  if (is_full(c, whose) && !grow(c, size))
    return may_have(whose, own) ? end(c, whose, ENOMEM) : decided_elsewhere(c);
  if (!may_have(whose, own))
    return decided_elsewhere(c);
  put(c, whose, from, size);
  return end(c, whose, 0);
}

/* Takes the first message; the first sender, if one waits, can put its own after the last one then. */
OPERATION receive_from_ring(struct ch_channel *c, enum whose whose, void *to, size_t size) {
  take(c, whose, to, size);
  struct ch_link *sender;
  while ((sender = ch_waiter_first(&c->senders)))
    if (ch_waiter_claim(sender)) {
      put(c, whose, message_of(sender), size);
      return end_and_wake(c, whose, sender);
    }
  return end(c, whose, 0);
}

OPERATION receive(struct ch_channel *c, enum whose whose, struct ch_clause *own, void *to, size_t size) {
  bool decided = false;
  enter(c);
  if (length(c, whose) > 0)
    return may_have(whose, own) ? receive_from_ring(c, whose, to, size) : decided_elsewhere(c);
  if (stands(c, whose, SENDERS)) {
    if (!may_have(whose, own))
      return decided_elsewhere(c);
    struct ch_offer *o = offer_of(c, whose, SENDERS);
    ch_object_copy(to, o->message, size);
    return take_and_end_offer(c, o);
  }
  struct ch_link *sender = partner(whose, &c->senders, own, &decided);
  if (sender) {
    ch_object_copy(to, message_of(sender), size);
    return end_and_wake(c, whose, sender);
  }
  if (whose == ANY && CH_UNLIKELY(decided))
    return decided_elsewhere(c);
  if (CH_UNLIKELY(c->object.closed))
    return may_have(whose, own) ? end(c, whose, EPIPE) : decided_elsewhere(c);
  return CH_OP_WAITS;
}

/* ---- with one end of a shared channel ----
 *
 * The same operations where one end is enough: nobody waits, and the channel is open. They have left the object when
 * they return, also with CH_OP_WAITS. */

enum { NEEDS_BOTH_ENDS = -3 };

static bool one_end_is_enough(const struct ch_channel *c) {
  return ch_list_empty(&c->receivers) && ch_list_empty(&c->senders) && !c->object.closed;
}

static int send_at_its_end(struct ch_channel *c, struct ch_clause *own, const void *from, size_t size) {
  struct ch_ends *e = ends_of(c, ANY);
  bool close = false;
  int result = 0;
  if (!e || e->slots == 0)
    return NEEDS_BOTH_ENDS;
  ch_spin_lock(&e->in.lock);
  if (!one_end_is_enough(c))
    result = NEEDS_BOTH_ENDS;
  else if (!ch_ends_have_room(e, &close))
    result = c->room == CH_UNBOUNDED ? NEEDS_BOTH_ENDS : CH_OP_WAITS;
  else if (!may_have(ANY, own))
    result = CH_OP_DECIDED;
  else
    put(c, ANY, from, size);
  ch_spin_unlock(&e->in.lock);
  if (CH_UNLIKELY(close) && !own)
    ch_let_others_go_ahead();
  return result;
}

static int receive_at_its_end(struct ch_channel *c, struct ch_clause *own, void *to, size_t size) {
  struct ch_ends *e = ends_of(c, ANY);
  bool close = false;
  int result = 0;
  if (!e || e->slots == 0)
    return NEEDS_BOTH_ENDS;
  ch_spin_lock(&e->out.lock);
  if (!one_end_is_enough(c))
    result = NEEDS_BOTH_ENDS;
  else if (!ch_ends_have_message(e, &close))
    result = CH_OP_WAITS;
  else if (!may_have(ANY, own))
    result = CH_OP_DECIDED;
  else
    take(c, ANY, to, size);
  ch_spin_unlock(&e->out.lock);
  if (CH_UNLIKELY(close) && !own)
    ch_let_others_go_ahead();
  return result;
}

/* ---- without waiting ---- */

static int send_at_once(struct ch_channel *c, const void *from, size_t size) {
  int result = send_at_its_end(c, NULL, from, size);
  if (result != NEEDS_BOTH_ENDS)
    return result;
  result = send(c, ANY, NULL, from, size);
  return result == CH_OP_WAITS ? end(c, ANY, CH_OP_WAITS) : result;
}
static int receive_at_once(struct ch_channel *c, void *to, size_t size) {
  int result = receive_at_its_end(c, NULL, to, size);
  if (result != NEEDS_BOTH_ENDS)
    return result;
  result = receive(c, ANY, NULL, to, size);
  return result == CH_OP_WAITS ? end(c, ANY, CH_OP_WAITS) : result;
}

/* ---- as clauses ---- */

static struct ch_channel_send__clause *sending(struct ch_clause *c) { return (struct ch_channel_send__clause *)c; }
static struct ch_channel_recv__clause *receiving(struct ch_clause *c) { return (struct ch_channel_recv__clause *)c; }

OPERATION enlist_send(struct ch_clause *clause, enum whose whose) {
  const struct ch_channel_send__clause *own = sending(clause);
  struct ch_channel *c = clause->object;
  int result = whose == ANY ? send_at_its_end(c, clause, own->from, own->size) : NEEDS_BOTH_ENDS;
  if (result != 0 && result != CH_OP_DECIDED)
    result = send(c, whose, clause, own->from, own->size);
  return ch_op_enlist(clause, result, whose == LOCAL, &c->senders);
}
OPERATION enlist_receive(struct ch_clause *clause, enum whose whose) {
  const struct ch_channel_recv__clause *own = receiving(clause);
  struct ch_channel *c = clause->object;
  int result = whose == ANY ? receive_at_its_end(c, clause, own->to, own->size) : NEEDS_BOTH_ENDS;
  if (result != 0 && result != CH_OP_DECIDED)
    result = receive(c, whose, clause, own->to, own->size);
  return ch_op_enlist(clause, result, whose == LOCAL, &c->receivers);
}
static int enlist_shared_send(struct ch_clause *c) { return enlist_send(c, ANY); }
static int enlist_shared_receive(struct ch_clause *c) { return enlist_receive(c, ANY); }

/* A clause that is not enlisted makes the operation as a call does. */
static bool was_made(struct ch_clause *clause, int result) {
  if (result == CH_OP_WAITS)
    return false;
  clause->value = result;
  return true;
}
__attribute__((noinline)) static bool make_send(struct ch_clause *clause) {
  return was_made(clause, send_at_once(clause->object, sending(clause)->from, sending(clause)->size));
}
__attribute__((noinline)) static bool make_receive(struct ch_clause *clause) {
  return was_made(clause, receive_at_once(clause->object, receiving(clause)->to, receiving(clause)->size));
}

/* Most clauses of a statement are not ready. Of a local channel this is seen before registers are saved for what a
 * clause that is ready has to do. */
static bool is_here(const struct ch_channel *c) { return CH_LIKELY(c->object.domain == &ch_domain); }
static bool waits_to_send(const struct ch_channel *c) {
  return is_here(c) && !has_room(c, LOCAL) && ch_list_empty(&c->receivers);
}
static bool waits_to_receive(const struct ch_channel *c) {
  return is_here(c) && !has_message(c, LOCAL) && ch_list_empty(&c->senders);
}

__attribute__((noinline)) static int enlist_ready_send(struct ch_clause *c) { return enlist_send(c, LOCAL); }
__attribute__((noinline)) static int enlist_ready_receive(struct ch_clause *c) { return enlist_receive(c, LOCAL); }
static int enlist_local_send(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (!waits_to_send(c))
    CH_JUMP_TO enlist_ready_send(clause);
  ch_list_append(&c->senders, &clause->link, true);
  return CH_CLAUSE_LISTED;
}
static int enlist_local_receive(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (!waits_to_receive(c))
    CH_JUMP_TO enlist_ready_receive(clause);
  ch_list_append(&c->receivers, &clause->link, true);
  return CH_CLAUSE_LISTED;
}

/* Tell whether the next message only goes into the ring of a local channel, or only comes out of it, so that nobody has
 * to be woken. That, too, is done before registers are saved. */
static bool ring_takes(const struct ch_channel *c) {
  return is_here(c) && !is_full(c, LOCAL) && ch_list_empty(&c->receivers) && !c->object.closed;
}
static bool ring_gives(const struct ch_channel *c) {
  return is_here(c) && length(c, LOCAL) > 0 && ch_list_empty(&c->senders);
}

static bool send_now(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (ring_takes(c)) {
    put(c, LOCAL, sending(clause)->from, sending(clause)->size);
    clause->value = 0;
    return true;
  }
  if (waits_to_send(c))
    return false;
  CH_JUMP_TO make_send(clause);
}
static bool receive_now(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (ring_gives(c)) {
    take(c, LOCAL, receiving(clause)->to, receiving(clause)->size);
    clause->value = 0;
    return true;
  }
  if (waits_to_receive(c))
    return false;
  CH_JUMP_TO make_receive(clause);
}

static bool can_send(const struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  enter(c);
  bool can = has_room(c, ANY) || ch_list_is_awaited(&c->receivers) || stands(c, ANY, RECEIVERS);
  leave(c);
  return can;
}
static bool can_receive(const struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  enter(c);
  bool can = has_message(c, ANY) || ch_list_is_awaited(&c->senders) || stands(c, ANY, SENDERS);
  leave(c);
  return can;
}

/* ---- as clauses that are offered: see wait/offer.h ---- */

static enum side side_of(const struct ch_clause *c) {
  return c->type->enlist == enlist_shared_send ? SENDERS : RECEIVERS;
}
static struct ch_offer *offer_for(const struct ch_clause *c) { return offer_of(c->object, ANY, side_of(c)); }

static enum ch_offered make_offer(struct ch_clause *clause) {
  const enum side side = side_of(clause);
  struct ch_channel *c = clause->object;
  if (c->room != 0)
    return CH_NOT_OFFERED;
  const void *from = side == SENDERS ? sending(clause)->from : NULL;
  const size_t size = side == SENDERS ? sending(clause)->size : receiving(clause)->size;
  int result = side == SENDERS ? send(c, ANY, NULL, from, size) : receive(c, ANY, NULL, receiving(clause)->to, size);
  if (result != CH_OP_WAITS) {
    clause->value = result;
    return CH_OFFER_READY;
  }
  struct ch_offer *o = offer_for(clause);
  const struct ch_link *waiting = side == SENDERS ? &c->senders : &c->receivers;
  bool may = size <= CH_OFFER_MOST && ch_list_empty(waiting) && ch_atomic_load(&o->state) == CH_OFFER_NONE;
  if (may) {
    if (side == SENDERS)
      ch_object_copy(o->message, from, size);
    o->by = ch_inbox_of_thread;
    ch_atomic_store(&o->state, (uint16_t)CH_OFFER_STANDS);
  }
  leave(c);
  return may ? CH_OFFERED : CH_NOT_OFFERED;
}

static bool has_offer_ended(struct ch_clause *clause) {
  struct ch_offer *o = offer_for(clause);
  if (CH_LIKELY(ch_atomic_load(&o->state) != CH_OFFER_ENDED))
    return false;
  ch_tsan_acquire(o);
  clause->value = o->result;
  if (o->result == 0 && side_of(clause) == RECEIVERS)
    ch_object_copy(receiving(clause)->to, o->message, receiving(clause)->size);
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_NONE);
  return true;
}

static bool withdraw_offer(struct ch_clause *clause) {
  struct ch_offer *o = offer_for(clause);
  enter(clause->object);
  bool stood = ch_atomic_load(&o->state) == CH_OFFER_STANDS;
  if (stood)
    ch_atomic_store(&o->state, (uint16_t)CH_OFFER_NONE);
  leave(clause->object);
  for (unsigned tries = 1; !stood && !has_offer_ended(clause); tries++)
    ch_atomic_relax(tries); /* it has been taken, and is about to end */
  return stood;
}

static bool may_be_ready(const struct ch_clause *clause) {
  const struct ch_channel *c = clause->object;
  const struct ch_ends *e = ends_of(c, ANY);
  const enum side side = side_of(clause), other = side == SENDERS ? RECEIVERS : SENDERS;
  const struct ch_link *waiting = side == SENDERS ? &c->receivers : &c->senders,
                       *first = ch_atomic_load(&waiting->next);
  if ((first && first != waiting) || ch_atomic_load(&c->object.closed) || stands(c, ANY, other))
    return true;
  return e->slots != 0 &&
         ch_atomic_load(&e->in.count) - ch_atomic_load(&e->out.count) != (side == SENDERS ? c->room : 0);
}

static const struct ch_offer_type offers = {ch_offer_begin, make_offer, has_offer_ended, withdraw_offer, may_be_ready};

#define SEND_TYPES(...)                                                                                                \
  CH_OP_TYPES_OFFERED("sending to a channel", enlist_local_send, enlist_shared_send, &offers, .at_once = send_now,     \
                      __VA_ARGS__)
#define RECEIVE_TYPES(...)                                                                                             \
  CH_OP_TYPES_OFFERED("receiving from a channel", enlist_local_receive, enlist_shared_receive, &offers,                \
                      .at_once = receive_now, __VA_ARGS__)
const struct ch_clause_type ch_channel_send_types[2] = SEND_TYPES(.ready = can_send),
                            ch_channel_recv_types[2] = RECEIVE_TYPES(.ready = can_receive);

/* ---- as calls ---- */

static const struct ch_frame_info send_waits = CH_OPERAND_FRAME("ch_send"), receive_waits = CH_OPERAND_FRAME("ch_recv");
static const struct ch_leaf send_leaves[2] = CH_FORM_LEAVES("ch_send", struct ch_channel_send__clause);
static const struct ch_leaf recv_leaves[2] = CH_FORM_LEAVES("ch_recv", struct ch_channel_recv__clause);

/* A call on a shared channel is tried again before it waits; without room the wait begins with the only try, which is
 * an offer if that is possible. */
static inline bool begins_with_an_offer(const struct ch_channel *c) { return c->object.shared && c->room == 0; }

static inline int send_soon(struct ch_channel *c, const void *from, size_t size) {
  if (begins_with_an_offer(c))
    return CH_OP_WAITS;
  int result = send_at_once(c, from, size);
  for (struct ch_retry r = {0}; CH_UNLIKELY(result == CH_OP_WAITS) && c->object.shared && ch_retry(&r);)
    result = send_at_once(c, from, size);
  return result;
}
static inline int receive_soon(struct ch_channel *c, void *to, size_t size) {
  if (begins_with_an_offer(c))
    return CH_OP_WAITS;
  int result = receive_at_once(c, to, size);
  for (struct ch_retry r = {0}; CH_UNLIKELY(result == CH_OP_WAITS) && c->object.shared && ch_retry(&r);)
    result = receive_at_once(c, to, size);
  return result;
}

/* A branch outside all cancelled scopes uses a channel that only its domain touches. Then a try that has to wait is as
 * good as the look that is taken when a clause is listed, and the branch can wait without one. */
static bool is_simple(const struct ch_channel *c) {
  return CH_LIKELY(!c->object.shared) && CH_LIKELY(ch_domain.marked_count == 0) && CH_LIKELY(ch_domain.current != NULL);
}

__attribute__((noinline)) static struct ch_int_result send_any(struct ch_channel *c, const void *from, size_t size) {
  struct ch_channel_send__clause f;
  int result = ch_is_marked() ? ECANCELED : send_soon(c, from, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_channel_send__clause(&f, c, from, size);
  return ch_form_wait_int(send_leaves, &f.clause);
}

struct ch_int_result ch_channel_send_int(struct ch_channel *, const void *, size_t) CH_INT_NAME(ch_channel_send);
struct ch_int_result ch_channel_send_int(struct ch_channel *c, const void *from, size_t size) {
  if (!is_simple(c))
    CH_JUMP_TO send_any(c, from, size);
  int result = send(c, LOCAL, NULL, from, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  return ch_wait_on_with(&c->senders, CH_ON_SEND, &send_waits, (struct ch_operand){c, (void *)from});
}
int ch_channel_send(struct ch_channel *c, const void *from, size_t size) {
  struct ch_channel_send__clause f;
  int result = ch_is_marked() ? ECANCELED : send_soon(c, from, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_channel_send__clause(&f, c, from, size);
  return (int)ch_form_wait(send_leaves, &f.clause);
}

__attribute__((noinline)) static struct ch_int_result receive_any(struct ch_channel *c, void *to, size_t size) {
  struct ch_channel_recv__clause f;
  int result = ch_is_marked() ? ECANCELED : receive_soon(c, to, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_channel_recv__clause(&f, c, to, size);
  return ch_form_wait_int(recv_leaves, &f.clause);
}

struct ch_int_result ch_channel_recv_int(struct ch_channel *, void *, size_t) CH_INT_NAME(ch_channel_recv);
struct ch_int_result ch_channel_recv_int(struct ch_channel *c, void *to, size_t size) {
  if (!is_simple(c))
    CH_JUMP_TO receive_any(c, to, size);
  int result = receive(c, LOCAL, NULL, to, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  return ch_wait_on_with(&c->receivers, CH_ON_RECEIVE, &receive_waits, (struct ch_operand){c, to});
}
int ch_channel_recv(struct ch_channel *c, void *to, size_t size) {
  struct ch_channel_recv__clause f;
  int result = ch_is_marked() ? ECANCELED : receive_soon(c, to, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_channel_recv__clause(&f, c, to, size);
  return (int)ch_form_wait(recv_leaves, &f.clause);
}

/* ---- several at a time ----
 *
 * The first one is sent or received as usual; the clause's `selected` goes on with the rest. */

struct some {
  union {
    struct ch_channel_send__clause send;
    struct ch_channel_recv__clause recv;
  };
  size_t n;
};

static intptr_t send_rest(struct ch_channel *c, const char *from, size_t size, size_t n) {
  size_t i = 1;
  while (i < n && send_at_once(c, from + i * size, size) == 0)
    i++;
  return (intptr_t)i;
}
static intptr_t receive_rest(struct ch_channel *c, char *to, size_t size, size_t n) {
  size_t i = 1;
  while (i < n && receive_at_once(c, to + i * size, size) == 0)
    i++;
  return (intptr_t)i;
}
static intptr_t sent_first(struct ch_clause *c) {
  const struct some *s = (struct some *)c;
  return c->value ? (intptr_t)-c->value : send_rest(c->object, s->send.from, s->send.size, s->n);
}
static intptr_t received_first(struct ch_clause *c) {
  const struct some *s = (struct some *)c;
  return c->value ? (intptr_t)-c->value : receive_rest(c->object, s->recv.to, s->recv.size, s->n);
}

static const struct ch_clause_type some_types[2][2] = {SEND_TYPES(.selected = sent_first),
                                                       RECEIVE_TYPES(.selected = received_first)};
static const struct ch_leaf some_leaves[2][2] = {CH_FORM_LEAVES_OR("ch_send_some", struct some, -ECANCELED),
                                                 CH_FORM_LEAVES_OR("ch_recv_some", struct some, -ECANCELED)};

/* 0: the caller waits for this clause. */
static intptr_t send_some_at_once(struct some *s, struct ch_channel *c, const void *from, size_t size, size_t n) {
  int result = n == 0 ? EINVAL : ch_is_marked() ? ECANCELED : send_soon(c, from, size);
  if (result != CH_OP_WAITS)
    return result ? -result : send_rest(c, from, size, n);
  ch_channel_send__clause(&s->send, c, from, size);
  s->send.clause.type = &some_types[0][c->object.shared];
  s->n = n;
  return 0;
}
static intptr_t receive_some_at_once(struct some *s, struct ch_channel *c, void *to, size_t size, size_t n) {
  int result = n == 0 ? EINVAL : ch_is_marked() ? ECANCELED : receive_soon(c, to, size);
  if (result != CH_OP_WAITS)
    return result ? -result : receive_rest(c, to, size, n);
  ch_channel_recv__clause(&s->recv, c, to, size);
  s->recv.clause.type = &some_types[1][c->object.shared];
  s->n = n;
  return 0;
}

struct ch_int_result ch_channel_send_some_int(struct ch_channel *, const void *, size_t, size_t)
    CH_INT_NAME(ch_channel_send_some);
struct ch_int_result ch_channel_send_some_int(struct ch_channel *c, const void *from, size_t size, size_t n) {
  struct some s;
  intptr_t result = send_some_at_once(&s, c, from, size, n);
  return result ? ch_done(result) : ch_form_wait_int(some_leaves[0], &s.send.clause);
}
intptr_t ch_channel_send_some(struct ch_channel *c, const void *from, size_t size, size_t n) {
  struct some s;
  intptr_t result = send_some_at_once(&s, c, from, size, n);
  return result ? result : ch_form_wait(some_leaves[0], &s.send.clause);
}
struct ch_int_result ch_channel_recv_some_int(struct ch_channel *, void *, size_t, size_t)
    CH_INT_NAME(ch_channel_recv_some);
struct ch_int_result ch_channel_recv_some_int(struct ch_channel *c, void *to, size_t size, size_t n) {
  struct some s;
  intptr_t result = receive_some_at_once(&s, c, to, size, n);
  return result ? ch_done(result) : ch_form_wait_int(some_leaves[1], &s.recv.clause);
}
intptr_t ch_channel_recv_some(struct ch_channel *c, void *to, size_t size, size_t n) {
  struct some s;
  intptr_t result = receive_some_at_once(&s, c, to, size, n);
  return result ? result : ch_form_wait(some_leaves[1], &s.recv.clause);
}

static int or_again(int result) { return result == CH_OP_WAITS ? EAGAIN : result; }
int ch_channel_try_send(struct ch_channel *c, const void *from, size_t size) {
  return ch_is_marked() ? ECANCELED : or_again(send_at_once(c, from, size));
}
int ch_channel_try_recv(struct ch_channel *c, void *to, size_t size) {
  return ch_is_marked() ? ECANCELED : or_again(receive_at_once(c, to, size));
}

int ch_channel_close(struct ch_channel *c) {
  enter(c);
  if (c->object.closed)
    return end(c, ANY, EPIPE);
  c->object.closed = 1;
  struct ch_offer *offers[2];
  for (enum side side = SENDERS; side <= RECEIVERS; side++)
    if ((offers[side] = stands(c, ANY, side) ? offer_of(c, ANY, side) : NULL))
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
