/* Broadcasts: what one publishes, all who have subscribed receive, each of them every message, in order.
 *
 *   broadcast(int) prices;                             ch_broadcast_init(&prices, 100, CH_SLOW_WAIT);
 *   ch_publish(&prices, &price);
 *   subscription(int) mine;                            ch_subscribe(&prices, &mine);
 *   while (ch_next(&mine, &price) == 0) { ... }        until it is closed and all has been received
 *   waituntil (ch_next(&mine, &price)) { ... } or waituntil (ch_sleep(second)) { ... }
 *
 * A broadcast keeps its last messages, `room` of them. What becomes of a subscriber that is slower is said once, for
 * all of them: CH_SLOW_WAIT: ch_publish waits for it; CH_SLOW_DROP: it misses the oldest ones; CH_SLOW_ERROR: the same,
 * and it is told so.
 *
 * Local or shared as a channel is (charcoal/channel.h); of a shared one the subscribers may be in any domain. Those who
 * wait are served first come first served. All calls: 0 or an error number. ECANCELED: the scope is cancelled, and
 * nothing has been published or received. From plain code, too. */
#ifndef CHARCOAL_BROADCAST_H
#define CHARCOAL_BROADCAST_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

enum ch_slow { CH_SLOW_WAIT, CH_SLOW_DROP, CH_SLOW_ERROR };

/* Private. */
struct ch_broadcast {
  struct ch_object object;
  struct ch_link receivers, publishers; /* who waits */
  struct ch_subscription *first;        /* all who have subscribed */
  char *ring;
  size_t room;   /* of the ring, in messages */
  uint64_t sent; /* messages so far; number i lies at i % room */
  uint32_t policy, closed;
};
struct ch_subscription {
  struct ch_broadcast *of; /* NULL: none */
  struct ch_subscription *next;
  uint64_t at; /* the number of the message that it receives next */
  uint64_t missed;
};

int ch_broadcast_make(struct ch_broadcast *, size_t room, enum ch_slow, size_t size, int shared);
int ch_broadcast_destroy_(struct ch_broadcast *);
int ch_broadcast_send(struct ch_broadcast *, const void *from, size_t size);
int ch_broadcast_try_send(struct ch_broadcast *, const void *from, size_t size);
int ch_broadcast_close_(struct ch_broadcast *);
int ch_subscription_begin(struct ch_broadcast *, struct ch_subscription *);
int ch_subscription_end(struct ch_subscription *);
int ch_subscription_next(struct ch_subscription *, void *to, size_t size);
int ch_subscription_try_next(struct ch_subscription *, void *to, size_t size);
uint64_t ch_subscription_missed(struct ch_subscription *);

struct ch_broadcast_send__clause {
  struct ch_clause clause;
  const void *from;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_broadcast_send, struct ch_broadcast *, const void *from, size_t size);
struct ch_subscription_next__clause {
  struct ch_clause clause;
  struct ch_subscription *by;
  void *to;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_subscription_next, struct ch_subscription *, void *to, size_t size);

#ifdef __cplusplus
}
#else

/* See charcoal/channel.h; of other sizes, so that they are not mistaken for each other. */
#define broadcast(T) __typeof__(__typeof__(T)(*[13])(struct ch_broadcast *))
#define subscription(T) __typeof__(__typeof__(T)(*[4])(struct ch_subscription *))
#define CH_BROADCAST_MESSAGE(b) __typeof__((**(b))((struct ch_broadcast *)0))
#define CH_SUBSCRIPTION_MESSAGE(s) __typeof__((**(s))((struct ch_subscription *)0))
#define CH_BROADCAST(b) ((struct ch_broadcast *)(b))
#define CH_SUBSCRIPTION(s) ((struct ch_subscription *)(s))

/* EINVAL: no room at all; ENOMEM. */
#define ch_broadcast_init(b, room, slow)                                                                               \
  ch_broadcast_make(CH_BROADCAST(b), (room), (slow), sizeof(CH_BROADCAST_MESSAGE(b)), 0)
#define ch_broadcast_init_shared(b, room, slow)                                                                        \
  ch_broadcast_make(CH_BROADCAST(b), (room), (slow), sizeof(CH_BROADCAST_MESSAGE(b)), 1)
/* EBUSY: there are subscribers, or somebody waits, and nothing was done. */
#define ch_broadcast_destroy(b) ch_broadcast_destroy_(CH_BROADCAST(b))

/* Publishes *from; with CH_SLOW_WAIT it waits while the slowest has not received as many as there is room for. With
 * nobody to receive it, it is gone. EPIPE: it is closed. ch_try_publish: EAGAIN instead of waiting. */
#define ch_publish(b, from)                                                                                            \
  ch_broadcast_send(CH_BROADCAST(b), (CH_BROADCAST_MESSAGE(b) const *){from}, sizeof(CH_BROADCAST_MESSAGE(b)))
#define ch_try_publish(b, from)                                                                                        \
  ch_broadcast_try_send(CH_BROADCAST(b), (CH_BROADCAST_MESSAGE(b) const *){from}, sizeof(CH_BROADCAST_MESSAGE(b)))
/* No more is published: all who wait are woken. EPIPE: it was closed before. Never blocks. */
#define ch_broadcast_close(b) ch_broadcast_close_(CH_BROADCAST(b))

/* What is published from now on is received through *s, which stays where it is until ch_unsubscribe. The two are of
 * one type, or that is an error of the compiler's. */
#define ch_subscribe(b, s)                                                                                             \
  ch_subscription_begin(CH_BROADCAST(b),                                                                               \
                        CH_SUBSCRIPTION(((void)(CH_BROADCAST_MESSAGE(b) *){(CH_SUBSCRIPTION_MESSAGE(s) *)0}, (s))))
/* Receives nothing more. EBUSY: somebody waits for it, and nothing was done; EINVAL: it is none. */
#define ch_unsubscribe(s) ch_subscription_end(CH_SUBSCRIPTION(s))
/* Receives the next message into *to, waits until there is one. EPIPE: it is closed, and all has been received.
 * EOVERFLOW: with CH_SLOW_ERROR, some have been missed; the call after that receives the oldest that is kept.
 * ch_try_next: EAGAIN instead of waiting. */
#define ch_next(s, to)                                                                                                 \
  ch_subscription_next(CH_SUBSCRIPTION(s), (CH_SUBSCRIPTION_MESSAGE(s) *){to}, sizeof(CH_SUBSCRIPTION_MESSAGE(s)))
#define ch_try_next(s, to)                                                                                             \
  ch_subscription_try_next(CH_SUBSCRIPTION(s), (CH_SUBSCRIPTION_MESSAGE(s) *){to}, sizeof(CH_SUBSCRIPTION_MESSAGE(s)))
/* How many it has missed so far. */
#define ch_missed(s) ch_subscription_missed(CH_SUBSCRIPTION(s))

_Static_assert(sizeof(broadcast(char)) >= sizeof(struct ch_broadcast), "a broadcast has room for its insides");
_Static_assert(sizeof(subscription(char)) >= sizeof(struct ch_subscription), "a subscription has room for its insides");
#endif

#endif
#endif
