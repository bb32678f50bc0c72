/* The table of the readiness cache and the queues of waits to be verified. readiness_cache.h says what it holds. */
#define _GNU_SOURCE
#include "reactor/readiness_cache.h"
#include "charcoal.h"
#include "reactor/negative_limits.h"
#include "reactor/times.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

__thread struct ch_fd_entry *ch_fd_cache_table;
__thread int ch_fd_cache_size;
__thread unsigned ch_fd_cache_distrust;
uint32_t ch_fd_cache_changes;

/* Since when two numbers have perhaps had one description; and how many domains have a cache. */
static bool shared;
static unsigned domains;

enum {
  LEVELS = 8,
  FIRST_DELAY = 10 /* ms */,
  TRUST_AT_BIRTH = 5,
  DISTRUSTED_WAITS = 1000,
  A_MISS = 8,
  MANY_MISSES = 20,
  MOST_PUT_OFF = 3
};

/* There is one for each level of trust. The waits in it stand in the order in which they began. */
struct queue {
  int head, tail; /* -1: the queue is empty */
};
static __thread struct queue *queues;
static __thread int queued;

int ch_fd_table_size(int size, int fd) {
  int saved = errno;
  bool open = fd >= 0 && fcntl(fd, F_GETFD) >= 0;
  errno = saved;
  if (!open)
    return 0;
  if (size == 0)
    size = 64;
  while (size <= fd)
    size = size > INT_MAX / 2 ? INT_MAX : 2 * size;
  return size;
}

struct ch_fd_entry *ch_fd_entry_make_room(int fd) {
  int size = ch_fd_table_size(ch_fd_cache_size, fd);
  if (size == 0)
    return NULL;
  if (!queues) {
    queues = malloc(LEVELS * sizeof *queues);
    if (!queues)
      return NULL;
    for (int i = 0; i < LEVELS; i++)
      queues[i] = (struct queue){-1, -1};
    __atomic_fetch_add(&domains, 1, __ATOMIC_RELAXED);
  }
  struct ch_fd_entry *bigger = realloc(ch_fd_cache_table, (size_t)size * sizeof *bigger);
  if (!bigger)
    return NULL;
  for (int i = ch_fd_cache_size; i < size; i++)
    bigger[i] = (struct ch_fd_entry){.as_of = __atomic_load_n(&ch_fd_cache_changes, __ATOMIC_RELAXED)};
  ch_fd_cache_table = bigger;
  ch_fd_cache_size = size;
  return &bigger[fd];
}

void ch_fd_cache_end(void) {
  if (!queues)
    return;
  __atomic_fetch_sub(&domains, 1, __ATOMIC_RELAXED);
  free(ch_fd_cache_table);
  free(queues);
  ch_fd_cache_table = NULL;
  queues = NULL;
  ch_fd_cache_size = queued = 0;
  ch_fd_cache_distrust = 0;
}

/* ---- the entries ---- */

/* Empties the entry, which stays in its queue. */
static void nothing_of(struct ch_fd_entry *k) {
  k->not_ready = 0;
  k->kind = CH_UNKNOWN_FILE;
  k->is = 0;
  k->trust = k->missed = 0;
  k->reused = true;
  k->read_at = k->written_at = false;
}

void ch_fd_cache_forget(int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (k)
    nothing_of(k);
}

static void mode_changed(struct ch_fd_entry *k) {
  k->is = (uint8_t)((k->is & ~(CH_BLOCKS | CH_NO_RCVTIMEO | CH_NO_SNDTIMEO)) | CH_CHANGED);
}

void ch_fd_cache_catch_up(struct ch_fd_entry *k) {
  k->as_of = __atomic_load_n(&ch_fd_cache_changes, __ATOMIC_RELAXED);
  mode_changed(k);
}

void ch_fd_cache_changed(int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (k)
    mode_changed(k);
  if (__atomic_load_n(&shared, __ATOMIC_RELAXED) || __atomic_load_n(&domains, __ATOMIC_RELAXED) > 1)
    __atomic_fetch_add(&ch_fd_cache_changes, 1, __ATOMIC_RELAXED);
}

void ch_fd_cache_in_records(int fd) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (k)
    k->is |= CH_SHORT_READS_MISLEAD;
}

void ch_fd_cache_shared(void) { __atomic_store_n(&shared, true, __ATOMIC_RELAXED); }

void ch_fd_cache_new_socket(int fd, enum ch_file_kind kind, int is) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (!k)
    return;
  nothing_of(k);
  k->kind = (uint8_t)kind;
  k->is = (uint8_t)is;
  k->trust = TRUST_AT_BIRTH;
}

void ch_fd_cache_accepted(int listener, int fd, int flags) {
  if (fd < 0)
    return;
  ch_fd_cache_may_be_ready(listener, CH_IN); /* more connections may have come */
  const struct ch_fd_entry *l = ch_fd_entry(listener);
  enum ch_file_kind kind =
      l && l->kind >= CH_SOCKET && l->kind <= CH_MESSAGE_SOCKET ? (enum ch_file_kind)l->kind : CH_SOCKET;
  int is = l && !ch_fd_cache_distrust ? l->is & (CH_NO_RCVTIMEO | CH_NO_SNDTIMEO) : 0;
  ch_fd_cache_new_socket(fd, kind, flags & SOCK_NONBLOCK ? is : is | CH_BLOCKS);
}

void ch_fd_cache_short_read(int fd) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (!k || k->is & CH_SHORT_READS_MISLEAD)
    return;
  if (k->kind == CH_TCP_SOCKET || k->kind == CH_PIPE_FILE) {
    k->not_ready |= (uint16_t)CH_IN;
  } else if (k->kind <= CH_SOCKET) {
    /* Asking whether it is TCP pays only if a read is short again, so the first time is only noted. */
    int protocol = 0, saved = errno;
    socklen_t size = sizeof protocol;
    if (!(k->is & CH_CUT_SHORT))
      k->is |= CH_CUT_SHORT;
    else if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0)
      k->kind = protocol == IPPROTO_TCP ? CH_TCP_SOCKET : CH_MESSAGE_SOCKET;
    errno = saved;
  }
}

static bool is_socket(const struct ch_fd_entry *k) { return k->kind >= CH_SOCKET && k->kind <= CH_MESSAGE_SOCKET; }

static bool waits_and_is_no_socket(int kind) { return kind == CH_PIPE_FILE || kind == CH_DEVICE_FILE; }

static enum ch_file_kind kind_of_file(int fd) {
  struct stat s;
  if (fstat(fd, &s) < 0)
    return CH_UNKNOWN_FILE;
  return S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode) ? CH_STORAGE_FILE
         : S_ISSOCK(s.st_mode)                                          ? CH_SOCKET
         : S_ISFIFO(s.st_mode)                                          ? CH_PIPE_FILE
                                                                        : CH_DEVICE_FILE;
}

enum ch_file_kind ch_fd_cache_ask_kind(int fd) {
  enum ch_file_kind kind = kind_of_file(fd);
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (k && k->kind != kind && !(kind == CH_SOCKET && is_socket(k))) {
    nothing_of(k);
    k->kind = (uint8_t)kind;
  }
  return kind;
}

int64_t ch_fd_cache_ask(int fd, int option) {
  struct ch_fd_entry nobody = {0}, *k = ch_fd_entry_make(fd);
  if (!k)
    k = &nobody;
  int own = option == SO_RCVTIMEO ? CH_NO_RCVTIMEO : CH_NO_SNDTIMEO;
  k->is = (uint8_t)((k->is & ~(CH_BLOCKS | own | CH_CHANGED)) | CH_JUST_ASKED);
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK) {
    k->is &= (uint8_t)~CH_JUST_ASKED; /* no wait begins */
    return -1;
  }
  if (waits_and_is_no_socket(k->kind))
    return CH_FOREVER;
  struct timeval t;
  socklen_t size = sizeof t;
  if (getsockopt(fd, SOL_SOCKET, option, &t, &size) < 0) {
    nothing_of(k);
    k->is = CH_JUST_ASKED;
    k->kind = kind_of_file(fd);
    return waits_and_is_no_socket(k->kind) ? CH_FOREVER : -1;
  }
  if (!is_socket(k))
    k->kind = CH_SOCKET;
  k->is |= CH_BLOCKS;
  if (t.tv_sec == 0 && t.tv_usec == 0) {
    if (ch_negative_limit(fd, option))
      return -1;
    k->is |= (uint8_t)own;
    return CH_FOREVER;
  }
  return ch_duration_of_timeval(&t);
}

bool ch_fd_cache_listens(int fd) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  int listens = 0;
  socklen_t size = sizeof listens;
  if (k && k->is & CH_LISTENS)
    return true;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0 || !listens)
    return false;
  if (k)
    k->is |= CH_LISTENS;
  return true;
}

/* ---- verification ---- */

static int64_t milliseconds(const struct timespec *t) { return t->tv_sec * INT64_C(1000) + t->tv_nsec / 1000000; }

uint32_t ch_fd_cache_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (uint32_t)milliseconds(&t);
}

static int64_t right_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return milliseconds(&t);
}

int ch_fd_cache_waited(uint32_t began) {
  struct timespec step;
  clock_getres(CLOCK_MONOTONIC_COARSE, &step);
  int64_t waited = (int32_t)((uint32_t)right_now() - began) - milliseconds(&step) - 1;
  return waited < 0 ? 0 : waited > INT32_MAX / 2 ? INT32_MAX / 2 : (int)waited;
}

static int level_of(const struct ch_fd_entry *k) { return k->trust < LEVELS ? k->trust : LEVELS - 1; }
static uint32_t delay(int level) { return (uint32_t)FIRST_DELAY << level; }

static void append(int fd, uint32_t since) {
  struct ch_fd_entry *k = &ch_fd_cache_table[fd];
  struct queue *q = &queues[level_of(k)];
  k->queued = true;
  k->renewed = false;
  k->since = since;
  k->next = -1;
  if (q->head < 0)
    q->head = fd;
  else
    ch_fd_cache_table[q->tail].next = fd;
  q->tail = fd;
  queued++;
}

/* A busy descriptor is not moved to the end of the queue at each wait, but only when its turn comes. That is not done
 * for ever, because some of the calls that wait for a descriptor may wait all the time while others come and go. */
void ch_fd_cache_watch(int fd) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (!k)
    return;
  k->is &= (uint8_t)~(CH_CHANGED | CH_JUST_ASKED);
  if (k->queued)
    k->renewed = true;
  else
    append(fd, ch_fd_cache_now());
}

int64_t ch_fd_cache_due(void) {
  if (CH_LIKELY(queued == 0))
    return CH_FOREVER;
  int64_t now = right_now(), least = INT32_MAX;
  for (int i = 0; i < LEVELS; i++)
    if (queues[i].head >= 0) {
      int64_t left = (int32_t)(ch_fd_cache_table[queues[i].head].since + delay(i) - (uint32_t)now);
      if (left < least)
        least = left;
    }
  return (now + (least < 0 ? 0 : least)) * 1000000;
}

static void verify_next(int level, enum ch_verdict (*verify)(int fd)) {
  struct queue *q = &queues[level];
  int fd = q->head;
  struct ch_fd_entry *k = &ch_fd_cache_table[fd];
  q->head = k->next;
  k->queued = false;
  queued--;
  if (k->renewed && k->put_off < MOST_PUT_OFF) {
    k->put_off++;
    append(fd, ch_fd_cache_now());
    return;
  }
  k->put_off = 0;
  switch (verify(fd)) { /* `verify` may move the table */
  case CH_NOBODY_WAITS:
    break;
  case CH_WAS_RIGHT:
    k = &ch_fd_cache_table[fd];
    if (k->trust < LEVELS - 1)
      k->trust++;
    break;
  case CH_WAS_WRONG:
    ch_fd_cache_table[fd].trust = 0;
    ch_fd_cache_table[fd].not_ready = 0;
    ch_fd_cache_distrust = DISTRUSTED_WAITS;
    break;
  }
}

void ch_fd_cache_verify(enum ch_verdict (*verify)(int fd)) {
  if (CH_LIKELY(queued == 0))
    return;
  uint32_t now = (uint32_t)right_now();
  int saved = errno;
  for (int i = 0; i < LEVELS; i++)
    while (queues[i].head >= 0 && (int32_t)(now - ch_fd_cache_table[queues[i].head].since) >= (int32_t)delay(i))
      verify_next(i, verify);
  errno = saved;
  ch_fd_cache_check();
}

void ch_fd_cache_missed(int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (!k)
    return;
  k->trust = 0;
  k->missed += A_MISS;
  if (k->missed < MANY_MISSES)
    return;
  k->missed = 0;
  k->is |= CH_SHORT_READS_MISLEAD;
  ch_fd_cache_distrust = DISTRUSTED_WAITS;
}

bool ch_fd_cache_holds(int fd, int events) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (!k || waits_and_is_no_socket(k->kind) || k->is & CH_CHANGED)
    return true;
  bool in = events & (POLLIN | POLLRDNORM), out = events & (POLLOUT | POLLWRNORM), was_socket = is_socket(k);
  bool stands = (!in || ch_fd_cache_ask(fd, SO_RCVTIMEO) == CH_FOREVER) &&
                (!out || ch_fd_cache_ask(fd, SO_SNDTIMEO) == CH_FOREVER);
  k = ch_fd_entry(fd);
  k->is &= (uint8_t)~CH_JUST_ASKED;
  return stands && (!was_socket || is_socket(k));
}

void ch_fd_cache_check(void) {
#ifdef CHARCOAL_CHECKED
  int found = 0;
  for (int i = 0; queues && i < LEVELS; i++)
    for (int fd = queues[i].head; fd >= 0; fd = ch_fd_cache_table[fd].next) {
      CH_INVARIANT(ch_fd_cache_table[fd].queued, "a descriptor in a queue knows it");
      CH_INVARIANT(ch_fd_cache_table[fd].next < 0 || (int32_t)(ch_fd_cache_table[ch_fd_cache_table[fd].next].since -
                                                               ch_fd_cache_table[fd].since) >= 0,
                   "those that were queued first stand in front");
      found++;
    }
  CH_INVARIANT(found == queued, "a descriptor stands in at most one queue");
#endif
}
