/* Broadcasts: every subscriber receives every message that is published, in order.
 *
 *   broadcast(int) prices;                             ch_broadcast_init(&prices, 100, CH_SLOW_WAIT);
 *   ch_publish(&prices, &price);
 *   subscription(int) mine;                            ch_subscribe(&prices, &mine);
 *   while (ch_next(&mine, &price) == 0) { ... }        until it is closed and all has been received
 *   waituntil (ch_next(&mine, &price)) { ... } or waituntil (ch_sleep(second)) { ... }
 *
 * `broadcast(T)` and `subscription(T)` name the types of a broadcast of messages of type T, and of a subscription to
 * it. A broadcast keeps its last `room` messages. When it is made, the program says what happens with a subscriber that
 * has not yet received the oldest of them when a further one is published. CH_SLOW_WAIT: ch_publish waits for the
 * subscriber. CH_SLOW_DROP: the subscriber misses that message. CH_SLOW_ERROR: it misses the message, and its next
 * ch_next says so.
 *
 * A broadcast is local or shared, as a channel is (charcoal/channel.h); the subscribers of a shared one may be in any
 * domain. Those who wait are served in the order in which they came. The caller owns the memory of broadcasts and
 * subscriptions. `b` is a pointer to a broadcast, `s` is a pointer to a subscription; messages are copied.
 *
 * What holds for all functions unless they say otherwise:
 * Result: 0 or an error number.
 * Cancel: In a cancelled scope the functions that publish or receive return ECANCELED, and nothing has been published
 * or received; this includes those that do not wait.
 * Threads: any thread with a domain; for a local broadcast, the thread of its domain. Plain code may call them, too. */
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
  struct ch_link awaited;    /* the subscriptions for which somebody waits, by `awaited` */
  struct ch_link publishers; /* who waits to publish */
  uint64_t subscriptions;    /* how many there are */
  char *ring;                /* room + 1 slots; message number i lies at i % (room + 1) */
  size_t *next;              /* with CH_SLOW_WAIT, beside each slot: how many subscriptions receive it next */
  size_t room;               /* in messages */
  uint64_t sent;             /* messages so far */
  uint32_t policy, closed;
};
struct ch_subscription {
  struct ch_broadcast *of; /* NULL: none */
  uint64_t at;             /* the number of the message that it receives next */
  uint64_t missed;
  struct ch_link waiters; /* who waits for its next message */
  struct ch_link awaited;
};

/* Private: what the macros below expand to. */
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

/* The types are made as that of a channel (charcoal/channel.h). */
#define broadcast(T) __typeof__(__typeof__(T)(*[13])(struct ch_broadcast *))
#define subscription(T) __typeof__(__typeof__(T)(*[7])(struct ch_subscription *))
#define CH_BROADCAST_MESSAGE(b) __typeof__((**(b))((struct ch_broadcast *)0))
#define CH_SUBSCRIPTION_MESSAGE(s) __typeof__((**(s))((struct ch_subscription *)0))
#define CH_BROADCAST(b) ((struct ch_broadcast *)(b))
#define CH_SUBSCRIPTION(s) ((struct ch_subscription *)(s))
/* See CH_ANY_CHANNEL in channel.h. */
#define CH_ANY_BROADCAST(b) ((void)sizeof(CH_BROADCAST_MESSAGE(b)), CH_BROADCAST(b))
#define CH_ANY_SUBSCRIPTION(s) ((void)sizeof(CH_SUBSCRIPTION_MESSAGE(s)), CH_SUBSCRIPTION(s))

/* ch_broadcast_init makes a local broadcast that keeps its last `room` messages, ch_broadcast_init_shared a shared one.
 * `slow` is CH_SLOW_WAIT, CH_SLOW_DROP or CH_SLOW_ERROR. Never block.
 * Result: 0; EINVAL: room is 0; ENOMEM. */
#define ch_broadcast_init(b, room, slow)                                                                               \
  ch_broadcast_make(CH_BROADCAST(b), (room), (slow), sizeof(CH_BROADCAST_MESSAGE(b)), 0)
#define ch_broadcast_init_shared(b, room, slow)                                                                        \
  ch_broadcast_make(CH_BROADCAST(b), (room), (slow), sizeof(CH_BROADCAST_MESSAGE(b)), 1)
/* Frees what the broadcast has allocated. Never blocks.
 * Result: 0; EBUSY: there are subscribers, or somebody waits, and nothing has been done. */
#define ch_broadcast_destroy(b) ch_broadcast_destroy_(CH_ANY_BROADCAST(b))

/* ch_publish publishes a copy of *from. With CH_SLOW_WAIT it waits while the slowest subscriber has still to receive
 * as many messages as there is room for. A message that nobody has subscribed to is lost. It can stand in `waituntil`.
 * ch_try_publish does the same without waiting.
 * Result: 0; EPIPE: the broadcast is closed; EAGAIN, of ch_try_publish: it would have to wait, and has done nothing;
 * EINVAL: it was never made. */
#define ch_publish(b, from)                                                                                            \
  ch_broadcast_send(CH_BROADCAST(b), (CH_BROADCAST_MESSAGE(b) const *){from}, sizeof(CH_BROADCAST_MESSAGE(b)))
#define ch_try_publish(b, from)                                                                                        \
  ch_broadcast_try_send(CH_BROADCAST(b), (CH_BROADCAST_MESSAGE(b) const *){from}, sizeof(CH_BROADCAST_MESSAGE(b)))
/* Closes the broadcast: nothing more is published, and all who wait are woken. Never blocks.
 * Result: 0; EPIPE: it was closed before. */
#define ch_broadcast_close(b) ch_broadcast_close_(CH_ANY_BROADCAST(b))

/* Subscribes: all that is published from now on can be received through *s, which must not be moved until
 * ch_unsubscribe. The compiler reports an error if the two have messages of different types. Never blocks.
 * Result: 0. */
#define ch_subscribe(b, s)                                                                                             \
  ch_subscription_begin(CH_BROADCAST(b),                                                                               \
                        CH_SUBSCRIPTION(((void)(CH_BROADCAST_MESSAGE(b) *){(CH_SUBSCRIPTION_MESSAGE(s) *)0}, (s))))
/* Ends the subscription. Never blocks.
 * Result: 0; EBUSY: somebody waits for it, and nothing has been done; EINVAL: *s is no subscription. */
#define ch_unsubscribe(s) ch_subscription_end(CH_ANY_SUBSCRIPTION(s))
/* ch_next receives the next message into *to, and waits until there is one. It can stand in `waituntil`. ch_try_next
 * does the same without waiting.
 * Result: 0; EPIPE: the broadcast is closed, and all messages have been received; EOVERFLOW, with CH_SLOW_ERROR: the
 * subscriber has missed messages, and its next call receives the oldest that is kept; EAGAIN, of ch_try_next: there is
 * no message now; EINVAL: *s is no subscription. */
#define ch_next(s, to)                                                                                                 \
  ch_subscription_next(CH_SUBSCRIPTION(s), (CH_SUBSCRIPTION_MESSAGE(s) *){to}, sizeof(CH_SUBSCRIPTION_MESSAGE(s)))
#define ch_try_next(s, to)                                                                                             \
  ch_subscription_try_next(CH_SUBSCRIPTION(s), (CH_SUBSCRIPTION_MESSAGE(s) *){to}, sizeof(CH_SUBSCRIPTION_MESSAGE(s)))
/* Returns how many messages the subscription has missed so far. Never blocks. */
#define ch_missed(s) ch_subscription_missed(CH_ANY_SUBSCRIPTION(s))

_Static_assert(sizeof(broadcast(char)) >= sizeof(struct ch_broadcast), "a broadcast has room for its insides");
_Static_assert(sizeof(subscription(char)) >= sizeof(struct ch_subscription), "a subscription has room for its insides");
#endif

#endif
#endif
