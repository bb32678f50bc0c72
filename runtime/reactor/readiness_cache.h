/* What a domain remembers of each descriptor, so that the kernel need not be asked at every call: what kind of file it
 * is, that it blocks, that it has no timeout, that it is not ready. docs/decisions/readiness-cache.md says
 * why.
 *
 * An entry is used without asking. The replacements of close, dup2, fcntl, setsockopt, ... keep it right for what
 * recompiled code does. Plain code may close a number and open another file under it, and another process that shares
 * the description may change its mode; so a wait that was begun on the entry's word alone is verified when it lasts.
 * The kernel is asked once; if the entry was wrong it is corrected, and the wait ends with CH_LOOK_AGAIN, upon which
 * the caller tries its call again. A wrong entry costs some time, once. It never changes a result, and loses no event.
 *
 * A wait may last 10 ms before it is verified (0.3 s if a replacement has made the descriptor, whose entry is therefore
 * right to begin with), and twice as long after each time that the entry proved right, up to 1.3 s; four times as long
 * where others begin to wait for the same descriptor meanwhile. After an entry has proved wrong the next thousand waits
 * of the domain ask first.
 *
 * Only what makes a call wait is remembered. An entry never says that a descriptor is non-blocking or has a timeout,
 * because a wrong entry would then give a wrong result. The kind of file is remembered because it says which call is
 * the right one, and the kernel's answer tells when it is not. The modes of pipes and terminals are asked for at each
 * wait, because programs commonly give these to other processes.
 *
 * "Not ready" is concluded from a call that said so (EAGAIN, poll), and on TCP from a read that brought less than was
 * asked for. Of a pipe, whose writer may send packets, the kernel is then asked how much there is. Nowhere else does a
 * short read mean that nothing is left; and a short write never means that there is no more room.
 *
 * Invariants: 1. an event in `not_ready` did not hold when somebody looked, and the reactor has not reported it since;
 * 2. a descriptor stands in at most one queue (`queued`), and those that were put there first stand in front; 3. a
 * descriptor that is waited for on its entry's word alone is in a queue.
 *
 * All of it belongs to the domain's thread, but for the number of changes, which all domains count. */
#ifndef CHARCOAL_REACTOR_READINESS_CACHE_H
#define CHARCOAL_REACTOR_READINESS_CACHE_H

#include "reactor/call.h"
#include "wait/wait.h"
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

enum ch_file_kind {
  CH_UNKNOWN_FILE,
  CH_SOCKET,         /* of which type is not known */
  CH_TCP_SOCKET,     /* a read that is cut short has emptied it */
  CH_MESSAGE_SOCKET, /* any other: a read ends with a message, its sender, or what came with a descriptor */
  CH_PIPE_FILE,      /* a read that is cut short has mostly emptied it, or taken a packet */
  CH_DEVICE_FILE,    /* anything else that has to be waited for: terminals, eventfds, ... */
  CH_STORAGE_FILE,   /* files, directories, disks */
};

/* poll always reports files and the like as ready, so the plain call is right for them; only it has exactly its
 * results. It also reports what is wrong with a number that is not open. */
static inline bool ch_is_storage_kind(enum ch_file_kind kind) {
  return kind == CH_STORAGE_FILE || kind == CH_UNKNOWN_FILE;
}
static inline bool ch_is_stream_kind(enum ch_file_kind kind) { return kind == CH_PIPE_FILE || kind == CH_DEVICE_FILE; }

/* Of a socket, as long as the bit is set. */
enum {
  CH_BLOCKS = 1,      /* O_NONBLOCK is not set */
  CH_NO_RCVTIMEO = 2, /* SO_RCVTIMEO is 0 */
  CH_NO_SNDTIMEO = 4, /* SO_SNDTIMEO is 0 */
  CH_CUT_SHORT = 8,   /* a read was cut short before */
  /* A short read need not have emptied it: its peer has gone, has sent urgent data, or it is read in records (kernel
   * TLS). */
  CH_SHORT_READS_MISLEAD = 16,
  CH_CHANGED = 32,    /* its mode was changed while somebody waited, whose call does not care */
  CH_JUST_ASKED = 64, /* the kernel was asked for the wait that begins now */
  CH_LISTENS = 128,   /* connections are accepted from it */
};

struct ch_fd_entry {
  uint16_t not_ready;  /* of poll's events */
  uint8_t kind;        /* enum ch_file_kind */
  uint8_t is;          /* CH_BLOCKS ... */
  uint8_t trust;       /* how often in a row it has proved right */
  uint8_t missed;      /* grows with each event that only verification found, and shrinks with the others */
  bool queued;         /* is to be verified; `since` and `next` mean something */
  bool renewed : 1;    /* another wait has begun since */
  uint8_t put_off : 2; /* verification, so many times in a row for that */
  bool reused : 1;     /* the number has got a new meaning, and the reactor has not looked at it since */
  bool read_at : 1;    /* of a file: it can be read at a position that is named, which files of the kernel can't all */
  bool written_at : 1; /* the same for writing */
  uint32_t since;      /* ms */
  uint32_t as_of;      /* how many of the changes of modes have been heard of */
  int next;            /* the descriptor after it in the queue; -1: none */
};

extern CH_HIDDEN __thread struct ch_fd_entry *ch_fd_cache_table;
extern CH_HIDDEN __thread int ch_fd_cache_size;
extern CH_HIDDEN __thread unsigned ch_fd_cache_distrust; /* so many waits ask first */
/* Of modes that more than one number or domain may have to do with. */
extern CH_HIDDEN uint32_t ch_fd_cache_changes;

/* Some descriptor's mode has changed: drops what is remembered of this one's. */
CH_HIDDEN CH_RARE void ch_fd_cache_catch_up(struct ch_fd_entry *);
/* NULL: nothing is remembered of it. */
static inline struct ch_fd_entry *ch_fd_entry(int fd) {
  if ((unsigned)fd >= (unsigned)ch_fd_cache_size)
    return NULL;
  struct ch_fd_entry *k = &ch_fd_cache_table[fd];
  if (CH_UNLIKELY(k->as_of != __atomic_load_n(&ch_fd_cache_changes, __ATOMIC_RELAXED)))
    ch_fd_cache_catch_up(k);
  return k;
}
/* The same, but makes room. NULL: no memory, or it is not open. */
CH_HIDDEN struct ch_fd_entry *ch_fd_entry_make_room(int fd);
static inline struct ch_fd_entry *ch_fd_entry_make(int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  return CH_LIKELY(k != NULL) ? k : ch_fd_entry_make_room(fd);
}

/* How large a table by descriptor, of `size` places now, has to be for this one. 0: it is not open, so that a number
 * out of nowhere takes no memory. */
CH_HIDDEN int ch_fd_table_size(int size, int fd);

static inline enum ch_file_kind ch_fd_cache_kind(int fd) {
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  return k ? (enum ch_file_kind)k->kind : CH_UNKNOWN_FILE;
}
static inline bool ch_fd_cache_is_socket(int fd) {
  enum ch_file_kind kind = ch_fd_cache_kind(fd);
  return kind >= CH_SOCKET && kind <= CH_MESSAGE_SOCKET;
}
/* The same, but asks the kernel (fstat), and remembers. CH_UNKNOWN_FILE: it is closed. */
CH_HIDDEN enum ch_file_kind ch_fd_cache_ask_kind(int fd);

/* The number means something new from now on, or nothing. */
CH_HIDDEN void ch_fd_cache_forget(int fd);
/* Its mode or timeouts have just been changed by this process: for this number and all that may share its description.
 */
CH_HIDDEN void ch_fd_cache_changed(int fd);
/* From now on its reads end where a record does (kernel TLS). */
CH_HIDDEN void ch_fd_cache_in_records(int fd);
/* Two numbers may have one description from now on. */
CH_HIDDEN void ch_fd_cache_shared(void);
/* A new socket: what its creator knows. `is`: CH_BLOCKS, ... */
CH_HIDDEN void ch_fd_cache_new_socket(int fd, enum ch_file_kind, int is);
/* `fd` was accepted from the listener, whose timeouts it inherits. */
CH_HIDDEN void ch_fd_cache_accepted(int listener, int fd, int flags);
/* The domain of this thread ends. */
CH_HIDDEN void ch_fd_cache_end(void);

static inline bool ch_fd_cache_all(int fd, int is) {
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  return k && (k->is & is) == is;
}

/* How long a call would wait on it: see ch_call_timeout. Asks the kernel, and remembers. */
CH_HIDDEN int64_t ch_fd_cache_ask(int fd, int option);

/* Whether connections can be accepted from it. Asks the kernel only the first time. */
CH_HIDDEN bool ch_fd_cache_listens(int fd);

/* ---- readiness ---- */

/* Somebody has looked, and these events do not hold. */
static inline void ch_fd_cache_not_ready(int fd, int events) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (k) {
    k->not_ready |= (uint16_t)events;
    k->is &= (uint8_t)~CH_JUST_ASKED;
  }
}
/* They may hold. */
static inline void ch_fd_cache_may_be_ready(int fd, int events) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (!k)
    return;
  k->not_ready &= (uint16_t)~events;
  if (CH_UNLIKELY(k->missed))
    k->missed--;
  if (CH_UNLIKELY(events & (POLLERR | POLLHUP | POLLPRI | 0x2000 /* POLLRDHUP */))) {
    k->not_ready = 0;
    k->is |= CH_SHORT_READS_MISLEAD;
  }
}
/* The next call asks the kernel. */
static inline void ch_fd_cache_forget_readiness(int fd, int events) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (k)
    k->not_ready &= (uint16_t)~events;
}
enum { CH_IN = POLLIN | 0x40 /* POLLRDNORM */, CH_OUT = POLLOUT | 0x100 /* POLLWRNORM */ };
/* None of them holds, most probably; if one comes to hold the reactor reports it. */
static inline bool ch_fd_entry_says_not_ready(const struct ch_fd_entry *k, int events) {
  return k && (events & ~(int)k->not_ready) == 0 && ch_fd_cache_distrust == 0;
}
static inline bool ch_fd_cache_says_not_ready(int fd, int events) {
  return ch_fd_entry_says_not_ready(ch_fd_entry(fd), events);
}
/* A read of n bytes brought r. */
CH_HIDDEN void ch_fd_cache_short_read(int fd);
static inline void ch_fd_cache_received(int fd, int64_t r, size_t n) {
  if (r > 0 && (size_t)r < n)
    ch_fd_cache_short_read(fd);
}

/* ---- verification ---- */

/* Milliseconds of a cheap clock, never ahead of the right one; and how many have passed since, at least. */
CH_HIDDEN uint32_t ch_fd_cache_now(void);
CH_HIDDEN int ch_fd_cache_waited(uint32_t began);

/* A wait for the descriptor begins. */
CH_HIDDEN void ch_fd_cache_watch(int fd);
/* When the next one is to be verified, on the monotonic clock; CH_FOREVER: none. */
CH_HIDDEN int64_t ch_fd_cache_due(void);
enum ch_verdict { CH_NOBODY_WAITS, CH_WAS_RIGHT, CH_WAS_WRONG };
/* Has those verified that are due. `verify` tells everybody who waits if it was wrong. */
CH_HIDDEN void ch_fd_cache_verify(enum ch_verdict (*verify)(int fd));
/* It was ready although its entry said that it was not, and only verification has found that out. Where it happens
 * again and again (somebody forges what system calls return) its entry says so no more. */
CH_HIDDEN void ch_fd_cache_missed(int fd);
/* Whether what the entry says of its mode and timeouts is right for calls that wait for these events: asks the kernel.
 */
CH_HIDDEN bool ch_fd_cache_holds(int fd, int events);

CH_HIDDEN void ch_fd_cache_check(void);

#endif
