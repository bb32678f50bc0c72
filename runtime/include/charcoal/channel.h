/* Channels: typed queues between activities, and between domains (CFA's waituntil, section 5.4; Go's channels).
 *
 *   channel(int) jobs;                                 zeroed memory is a rendezvous channel of its domain
 *   ch_channel_init(&jobs, 100);                       room for 100
 *   while (ch_recv(&jobs, &job) == 0) { ... }          until it is closed and empty
 *   waituntil (ch_recv(&jobs, &job)) { ... } or waituntil (ch_send(&out, &result)) { ... }
 *
 * `channel(T)` names the type of an object, also in a parameter (`channel(int) *jobs`). A message is copied by value.
 * Those who wait are served first come first served. With room 0 a message goes from the sender to the receiver when
 * both are there. In a closed channel what was sent before is still received; then receivers get EPIPE, as do senders
 * at once.
 *
 * A channel is local, and belongs to the domain that uses it first, or is made shared (ch_channel_init_shared). One
 * that is local must not be touched by other domains: that is reported, and ends the program with status
 * CH_EXIT_MISUSE.
 *
 * All calls: 0 or an error number, but where they say otherwise. ECANCELED: the scope is cancelled, and nothing has
 * been sent or received. From plain code, too. */
#ifndef CHARCOAL_CHANNEL_H
#define CHARCOAL_CHANNEL_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Private. */
struct ch_channel {
  struct ch_object object;
  struct ch_link receivers, senders;
  char *ring;
  size_t room;       /* most messages that it keeps */
  size_t slots;      /* of the ring; fewer than `room` only if that is without limit */
  size_t used, head; /* messages, and the index of the first one */
  size_t size;       /* of a message; 0: not known yet */
  uint32_t closed;
};

#define CH_UNBOUNDED SIZE_MAX

int ch_channel_make(struct ch_channel *, size_t room, size_t size, int shared);
int ch_channel_destroy_(struct ch_channel *);
int ch_channel_send(struct ch_channel *, const void *from, size_t size);
int ch_channel_recv(struct ch_channel *, void *to, size_t size);
int ch_channel_try_send(struct ch_channel *, const void *from, size_t size);
int ch_channel_try_recv(struct ch_channel *, void *to, size_t size);
intptr_t ch_channel_send_some(struct ch_channel *, const void *from, size_t size, size_t n);
intptr_t ch_channel_recv_some(struct ch_channel *, void *to, size_t size, size_t n);
int ch_channel_close(struct ch_channel *);
size_t ch_channel_length(struct ch_channel *);
int ch_channel_is_closed(struct ch_channel *);

struct ch_channel_send__clause {
  struct ch_clause clause;
  const void *from;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_channel_send, struct ch_channel *, const void *from, size_t size);
struct ch_channel_recv__clause {
  struct ch_clause clause;
  void *to;
  size_t size;
};
CH_CLAUSE_FORM(int, ch_channel_recv, struct ch_channel *, void *to, size_t size);

#ifdef __cplusplus
}
#else

/* The type leads to T, and two declarations with the same T name the same type, with no tag to be declared: an array,
 * of the size of a struct ch_channel, of pointers to functions that return T. */
#define channel(T) __typeof__(__typeof__(T)(*[16])(struct ch_channel *))
#define CH_MESSAGE(c) __typeof__((**(c))((struct ch_channel *)0))
#define CH_CHANNEL(c) ((struct ch_channel *)(c))

/* Room for so many messages (0, or CH_UNBOUNDED), in a channel of this domain, or one for all. ENOMEM. */
#define ch_channel_init(c, room) ch_channel_make(CH_CHANNEL(c), (room), sizeof(CH_MESSAGE(c)), 0)
#define ch_channel_init_shared(c, room) ch_channel_make(CH_CHANNEL(c), (room), sizeof(CH_MESSAGE(c)), 1)
/* Gives its memory back; messages that were not received are dropped. EBUSY: somebody waits, and nothing was done. */
#define ch_channel_destroy(c) ch_channel_destroy_(CH_CHANNEL(c))

/* Sends *from; waits until there is room, or a receiver. EPIPE: it is closed. ENOMEM: unbounded, and no memory. */
#define ch_send(c, from) ch_channel_send(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)))
/* Receives into *to; waits until there is a message. EPIPE: it is closed and empty. */
#define ch_recv(c, to) ch_channel_recv(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)))
/* The same without waiting; EAGAIN: it would have to. */
#define ch_try_send(c, from) ch_channel_try_send(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)))
#define ch_try_recv(c, to) ch_channel_try_recv(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)))
/* Several at a time: waits for the first, and takes or sends as many more as can be had at once, up to n, in order. How
 * many (> 0), or -error: EPIPE, ECANCELED, EINVAL: n is 0. */
#define ch_send_some(c, from, n)                                                                                       \
  ch_channel_send_some(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)), (n))
#define ch_recv_some(c, to, n) ch_channel_recv_some(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)), (n))

/* No more is sent: all who wait are woken. EPIPE: it was closed before. Never blocks. */
#define ch_close(c) ch_channel_close(CH_CHANNEL(c))
#define ch_is_closed(c) ch_channel_is_closed(CH_CHANNEL(c))
/* Messages that were sent and not received. */
#define ch_length(c) ch_channel_length(CH_CHANNEL(c))

_Static_assert(sizeof(channel(char)) >= sizeof(struct ch_channel), "a channel has room for its insides");
#endif

#endif
#endif
