/* Channels: typed queues between activities, and between domains (CFA's waituntil, section 5.4; Go's channels).
 *
 *   channel(int) jobs;                                 zeroed memory is a rendezvous channel of its domain
 *   ch_channel_init(&jobs, 100);                       room for 100
 *   while (ch_recv(&jobs, &job) == 0) { ... }          until it is closed and empty
 *   waituntil (ch_recv(&jobs, &job)) { ... } or waituntil (ch_send(&out, &result)) { ... }
 *
 * `channel(T)` names the type of a channel of messages of type T, also in a parameter (`channel(int) *jobs`). Messages
 * are copied by value. Those who wait are served in the order in which they came. In a channel with room 0 a message
 * passes from the sender to the receiver when both are there. After a channel was closed, receivers still get the
 * messages that were sent before, and then EPIPE; senders get EPIPE at once.
 *
 * A channel is local or shared. Zeroed memory and ch_channel_init make a local one: it belongs to the domain that uses
 * it first, and a use by another domain is reported and ends the program with status CH_EXIT_MISUSE. What
 * ch_channel_init_shared makes is shared and may be used by all domains. The caller owns the memory of a channel; it
 * must not be copied or moved while it is in use.
 *
 * `c` is a pointer to a channel; `from` and `to` are pointers to messages, whose memory the caller owns.
 *
 * What holds for all functions unless they say otherwise:
 * Result: 0 or an error number.
 * Cancel: In a cancelled scope, a function that sends or receives returns ECANCELED, and nothing has been sent or
 * received; this includes those that do not wait.
 * Threads: any thread with a domain; for a local channel, the thread of its domain. Plain code may call them, too. */
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
  struct ch_channel_ring *ring; /* of a local channel: what it keeps; NULL: it has had no room so far */
  size_t room;                  /* how many messages it keeps at most */
};

/* As a channel's room: as many messages as there is memory for. */
#define CH_UNBOUNDED SIZE_MAX

/* Private: what the macros below expand to. */
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

/* Private: a clause that sends or receives. */
struct ch_pass__clause {
  struct ch_clause clause;
  void *message; /* where it comes from, or goes to */
  size_t size;
};
struct ch_channel_send__clause {
  struct ch_pass__clause pass;
};
CH_CLAUSE_FORM(int, ch_channel_send, struct ch_channel *c, const void *from, size_t size);
struct ch_channel_recv__clause {
  struct ch_pass__clause pass;
};
CH_CLAUSE_FORM(int, ch_channel_recv, struct ch_channel *c, void *to, size_t size);

struct ch_channel_send_some__clause {
  struct ch_pass__clause first;
  size_t n;
};
CH_CLAUSE_FORM(intptr_t, ch_channel_send_some, struct ch_channel *c, const void *from, size_t size, size_t n);
struct ch_channel_recv_some__clause {
  struct ch_pass__clause first;
  size_t n;
};
CH_CLAUSE_FORM(intptr_t, ch_channel_recv_some, struct ch_channel *c, void *to, size_t size, size_t n);

/* Private: the types of these clauses, for a local channel and for a shared one, and what fills the clauses in. */
extern const struct ch_clause_type ch_channel_send_types[2], ch_channel_recv_types[2];
/* Private. Never blocks. */
CH_FILLS_IN void ch_pass__clause(struct ch_pass__clause *f, const struct ch_clause_type types[2], struct ch_channel *c,
                                 void *message, size_t size) {
  ch_clause_fill(&f->clause, &types[c->object.shared], c);
  f->message = message;
  f->size = size;
}
/* Private. Never blocks. */
CH_FILLS_IN void ch_channel_send__clause(struct ch_channel_send__clause *f, struct ch_channel *c, const void *from,
                                         size_t size) {
  ch_pass__clause(&f->pass, ch_channel_send_types, c, (void *)from, size);
}
/* Private. Never blocks. */
CH_FILLS_IN void ch_channel_recv__clause(struct ch_channel_recv__clause *f, struct ch_channel *c, void *to,
                                         size_t size) {
  ch_pass__clause(&f->pass, ch_channel_recv_types, c, to, size);
}

#ifdef __cplusplus
}
#else

/* The type of a channel has to lead back to T, and two declarations with the same T have to name the same type, without
 * a tag that somebody would have to declare. So it is an array, of the size of a struct ch_channel, of pointers to
 * functions that return T. */
#define channel(T) __typeof__(__typeof__(T)(*[8])(struct ch_channel *))
#define CH_MESSAGE(c) __typeof__((**(c))((struct ch_channel *)0))
#define CH_CHANNEL(c) ((struct ch_channel *)(c))
/* The same for calls without a message; an error unless c points to a channel. */
#define CH_ANY_CHANNEL(c) ((void)sizeof(CH_MESSAGE(c)), CH_CHANNEL(c))

/* ch_channel_init makes a local channel with room for `room` messages, ch_channel_init_shared a shared one. With room 0
 * the sender and the receiver meet; with CH_UNBOUNDED a sender never waits. Never blocks.
 * Result: 0; ENOMEM. */
#define ch_channel_init(c, room) ch_channel_make(CH_CHANNEL(c), (room), sizeof(CH_MESSAGE(c)), 0)
#define ch_channel_init_shared(c, room) ch_channel_make(CH_CHANNEL(c), (room), sizeof(CH_MESSAGE(c)), 1)
/* Frees what the channel has allocated, and drops the messages that were not received. A shared channel has always
 * allocated something, also without room. Never blocks.
 * Result: 0; EBUSY: somebody waits, and nothing has been done. */
#define ch_channel_destroy(c) ch_channel_destroy_(CH_ANY_CHANNEL(c))

/* Sends a copy of *from, and waits for room, or for a receiver if the room is 0. It can stand in `waituntil`.
 * Result: 0; EPIPE: the channel is closed; ENOMEM: the channel is unbounded, and there is no memory.
 * Source: CFA's waituntil, section 5.4. */
#define ch_send(c, from) ch_channel_send(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)))
/* Receives a message into *to, and waits until there is one. It can stand in `waituntil`.
 * Result: 0; EPIPE: the channel is closed and empty, and *to is unchanged.
 * Source: CFA's waituntil, section 5.4. */
#define ch_recv(c, to) ch_channel_recv(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)))
/* Send and receive like ch_send and ch_recv, if that is possible now. Never block.
 * Result: as there; EAGAIN: the call would have to wait, and nothing has been done. */
#define ch_try_send(c, from) ch_channel_try_send(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)))
#define ch_try_recv(c, to) ch_channel_try_recv(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)))
/* Send or receive up to n messages, which lie one after the other at `from` or `to`. They wait for the first message
 * as ch_send and ch_recv do, and then go on, in order, with as many as need no further wait. They can stand in
 * `waituntil`.
 * Result: how many messages were sent or received (> 0), or the negative of an error number: -EPIPE and -ENOMEM as for
 * the first message; -ECANCELED; -EINVAL: n is 0. */
#define ch_send_some(c, from, n)                                                                                       \
  ch_channel_send_some(CH_CHANNEL(c), (CH_MESSAGE(c) const *){from}, sizeof(CH_MESSAGE(c)), (n))
#define ch_recv_some(c, to, n) ch_channel_recv_some(CH_CHANNEL(c), (CH_MESSAGE(c) *){to}, sizeof(CH_MESSAGE(c)), (n))

/* Closes the channel: nothing more is sent, and all who wait are woken with EPIPE. Never blocks.
 * Result: 0; EPIPE: it was closed before. */
#define ch_close(c) ch_channel_close(CH_ANY_CHANNEL(c))
/* Tells whether the channel is closed. Never blocks.
 * Result: non-zero if it is. */
#define ch_is_closed(c) ch_channel_is_closed(CH_ANY_CHANNEL(c))
/* Returns how many messages the channel keeps, which were sent and not received. Never blocks. */
#define ch_length(c) ch_channel_length(CH_ANY_CHANNEL(c))

_Static_assert(sizeof(channel(char)) == sizeof(struct ch_channel), "a channel has room for its insides");
#endif

#endif
#endif
