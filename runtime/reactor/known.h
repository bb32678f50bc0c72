/* What is believed of each descriptor, so that the kernel is not asked about it at every call; and when that is
 * verified.
 *
 * A belief is used without asking. The twins of close, dup2, fcntl, setsockopt, ... keep it exact for what recompiled
 * code does; behind its back a number may be closed and used again, or another process that shares the description may
 * change its mode. So a wait that was begun on belief alone is verified when it lasts: the kernel is asked once, and if
 * the belief was wrong it is corrected and the wait ends with CH_DOUBT, upon which the caller looks again. A wrong
 * belief costs some time, once; it never changes a result, and loses no event.
 *
 * How long a wait may last unverified: 10 ms for a new belief (0.3 s if a twin has made the descriptor, and so knows
 * it), and twice as long after each time that it proved right, up to 1.3 s; four times as long where others begin to
 * wait for the same descriptor meanwhile. After a belief has proved wrong the next thousand waits of the domain ask
 * first.
 *
 * Only what makes a call *wait* is believed: that a descriptor blocks, that it has no time-out, that it has nothing to
 * read or no room to write. What the kernel tells anyway (a socket or not) is remembered to call the right function
 * first. Pipes and terminals, which other processes are commonly given, are asked for their mode at each wait.
 *
 * A call that said "not now" is believed, and on TCP also a read that brought less than was asked for; on a pipe, whose
 * writer may send packets, the kernel is then asked how much there is. Nowhere else does such a read mean that nothing
 * is left, nor a write cut short that there is no more room.
 *
 * Invariants: 1. an event in `quiet` did not hold when somebody looked, and nothing that the reactor has reported since
 * made it hold; 2. a descriptor stands in at most one queue (`queued`), those that were put there first in front; 3. a
 * descriptor that is waited for on belief alone is in a queue.
 *
 * All of it belongs to the domain's thread, but for the number of changes, which all domains count.
 */
#ifndef CHARCOAL_REACTOR_KNOWN_H
#define CHARCOAL_REACTOR_KNOWN_H

#include "reactor/call.h"
#include "wait/wait.h"
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

enum ch_file_kind {
  CH_UNKNOWN_FILE,
  CH_SOCKET,         /* of which type is not known */
  CH_TCP_SOCKET,     /* a read that is cut short has emptied it */
  CH_MESSAGE_SOCKET, /* anything else: a read may end where a message or a sender ends, or what came with a descriptor
                      */
  CH_PIPE_FILE,      /* a read that is cut short has mostly emptied it, or taken a packet */
  CH_DEVICE_FILE,    /* anything else that has to be waited for: terminals, eventfds, ... */
  CH_STORAGE_FILE,   /* files, directories, disks */
};

/* Of a socket, as long as the bit is set. */
enum {
  CH_BLOCKS = 1,      /* O_NONBLOCK is not set */
  CH_NO_RCVTIMEO = 2, /* SO_RCVTIMEO is 0 */
  CH_NO_SNDTIMEO = 4, /* SO_SNDTIMEO is 0 */
  CH_CUT_SHORT = 8,   /* a read was cut short before */
  CH_LOUD = 16,    /* its peer has gone, has sent urgent data, or it is read in records (kernel TLS): a short read need
                    * not have emptied it */
  CH_CHANGED = 32, /* its mode was changed while somebody waited, whose call does not care */
  CH_JUST_ASKED = 64, /* the kernel was asked for the wait that begins now */
  CH_LISTENS = 128,   /* connections are accepted from it */
};

struct ch_known {
  uint16_t quiet;      /* of poll's events */
  uint8_t kind;        /* enum ch_file_kind */
  uint8_t is;          /* CH_BLOCKS ... */
  uint8_t trust;       /* how often in a row it has proved right */
  uint8_t missed;      /* grows with each event that only verification found, and shrinks with the others */
  bool queued;         /* is to be verified; `since` and `next` mean something */
  bool renewed : 1;    /* another wait has begun since */
  uint8_t put_off : 2; /* verification, so many times in a row for that */
  bool fresh : 1;      /* the number has got a new meaning, and the reactor has not looked at it since */
  uint32_t since;      /* ms */
  uint32_t as_of;      /* how many of the changes of modes have been heard of */
  int next;            /* the descriptor behind it in the queue; -1: none */
};

extern CH_HIDDEN __thread struct ch_known *ch_known_table;
extern CH_HIDDEN __thread int ch_known_size;
extern CH_HIDDEN __thread unsigned ch_known_doubts; /* so many waits ask first */
/* Of modes that more than one number or domain may have to do with. */
extern CH_HIDDEN uint32_t ch_known_changes;

/* Modes have changed somewhere: of its own nothing is believed. */
CH_HIDDEN CH_RARE void ch_known_catch_up(struct ch_known *);
/* NULL: nothing is believed of it. */
static inline struct ch_known *ch_known(int fd) {
  if ((unsigned)fd >= (unsigned)ch_known_size)
    return NULL;
  struct ch_known *k = &ch_known_table[fd];
  if (CH_UNLIKELY(k->as_of != __atomic_load_n(&ch_known_changes, __ATOMIC_RELAXED)))
    ch_known_catch_up(k);
  return k;
}
/* The same, but makes room. NULL: no memory, or it is not open. */
CH_HIDDEN struct ch_known *ch_known_make_room(int fd);
static inline struct ch_known *ch_known_make(int fd) {
  struct ch_known *k = ch_known(fd);
  return CH_LIKELY(k != NULL) ? k : ch_known_make_room(fd);
}

/* How large a table by descriptor, of `size` places now, has to be for this one. 0: it is not open, so that a number
 * out of nowhere takes no memory. */
CH_HIDDEN int ch_fd_table_size(int size, int fd);

static inline enum ch_file_kind ch_known_kind(int fd) {
  const struct ch_known *k = ch_known(fd);
  return k ? (enum ch_file_kind)k->kind : CH_UNKNOWN_FILE;
}
static inline bool ch_known_is_socket(int fd) {
  enum ch_file_kind kind = ch_known_kind(fd);
  return kind >= CH_SOCKET && kind <= CH_MESSAGE_SOCKET;
}
/* The same, but asks the kernel (fstat), and remembers. CH_UNKNOWN_FILE: it is closed. */
CH_HIDDEN enum ch_file_kind ch_known_ask_kind(int fd);

/* The number means something new from now on, or nothing. */
CH_HIDDEN void ch_known_forget(int fd);
/* Its mode or time-outs have just been changed by this process: for this number and all that may share its description.
 */
CH_HIDDEN void ch_known_changed(int fd);
/* From now on its reads end where a record does (kernel TLS). */
CH_HIDDEN void ch_known_in_records(int fd);
/* Two numbers may have one description from now on. */
CH_HIDDEN void ch_known_shared(void);
/* A new socket: what its creator knows. `is`: CH_BLOCKS, ... */
CH_HIDDEN void ch_known_born(int fd, enum ch_file_kind, int is);
/* `fd` was accepted from the listener, whose time-outs it inherits. */
CH_HIDDEN void ch_known_accepted(int listener, int fd, int flags);
/* The domain of this thread ends. */
CH_HIDDEN void ch_known_end(void);

static inline bool ch_known_all(int fd, int is) {
  const struct ch_known *k = ch_known(fd);
  return k && (k->is & is) == is;
}

/* How long a call would wait on it: see ch_patience. Asks the kernel, and remembers. */
CH_HIDDEN int64_t ch_known_ask(int fd, int option);

/* Whether connections can be accepted from it. Asks the kernel only the first time. */
CH_HIDDEN bool ch_known_listens(int fd);

/* ---- quiet ---- */

/* Somebody has looked, and these events do not hold. */
static inline void ch_known_quiet(int fd, int events) {
  struct ch_known *k = ch_known_make(fd);
  if (k) {
    k->quiet |= (uint16_t)events;
    k->is &= (uint8_t)~CH_JUST_ASKED;
  }
}
/* They may hold. */
static inline void ch_known_stirred(int fd, int events) {
  struct ch_known *k = ch_known(fd);
  if (!k)
    return;
  k->quiet &= (uint16_t)~events;
  if (CH_UNLIKELY(k->missed))
    k->missed--;
  if (CH_UNLIKELY(events & (POLLERR | POLLHUP | POLLPRI | 0x2000 /* POLLRDHUP */))) {
    k->quiet = 0;
    k->is |= CH_LOUD;
  }
}
enum { CH_IN = POLLIN | 0x40 /* POLLRDNORM */, CH_OUT = POLLOUT | 0x100 /* POLLWRNORM */ };
/* None of them holds, most probably; and the reactor would say so if one did. */
static inline bool ch_known_is_quiet(int fd, int events) {
  const struct ch_known *k = ch_known(fd);
  return k && (events & ~(int)k->quiet) == 0 && ch_known_doubts == 0;
}
/* A read of n bytes brought r. */
CH_HIDDEN void ch_known_cut_short(int fd);
static inline void ch_known_received(int fd, int64_t r, size_t n) {
  if (r > 0 && (size_t)r < n)
    ch_known_cut_short(fd);
}

/* ---- verification ---- */

/* Milliseconds of a cheap clock, never ahead of the right one; and how many have passed since, at least. */
CH_HIDDEN uint32_t ch_known_now(void);
CH_HIDDEN int ch_known_waited(uint32_t began);

/* A wait for the descriptor begins. */
CH_HIDDEN void ch_known_watch(int fd);
/* When the next one is to be verified, on the monotonic clock; CH_FOREVER: none. */
CH_HIDDEN int64_t ch_known_due(void);
enum ch_verdict { CH_NOBODY_WAITS, CH_WAS_RIGHT, CH_WAS_WRONG };
/* Has those verified that are due. `verify` tells everybody who waits if it was wrong. */
CH_HIDDEN void ch_known_verify(enum ch_verdict (*verify)(int fd));
/* What was believed to be quiet was not: verification alone has found the event. If that happens again and again (who
 * forges what system calls return?) nothing is believed to be quiet any more. */
CH_HIDDEN void ch_known_missed(int fd);
/* Asks the kernel whether calls that wait for the events would do so without limit. */
CH_HIDDEN bool ch_known_stands(int fd, int events);

CH_HIDDEN void ch_known_check(void);

#endif
