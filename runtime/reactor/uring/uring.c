/* The reactor over io_uring: what the entries of the thread's ring (ring.h) are about.
 *
 * Waiting for a descriptor is a poll request of its own, once. Since a clause lives in the frame of whoever waits, and
 * a request until the kernel has answered, a *poll* stands between them; when the clause is withdrawn its poll stays,
 * as an orphan, until the answer. An operation (operation.h) is its own request: its owner waits for the answer.
 *
 * Invariants: 1. a request's memory is kept until all completions that it is owed have come: its own, and its
 * cancellation's; 2. no request is lost: what finds no room in the submission queue stands in the backlog, which goes
 * first; a completion queue that runs over is kept by the kernel (IORING_FEAT_NODROP), and we take it from there;
 * 3. while a poll is in flight it stands in its descriptor's list, orphan or not: so close() can make the kernel let go
 * of the file first, and the peer sees the end; 4. completions are taken only by poll() and closing(), never while
 * somebody registers clauses. */
#define _GNU_SOURCE
#include "reactor/inbox.h"
#include "reactor/readiness_cache.h"
#include "reactor/ring.h"
#include "reactor/operation.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "reactor/turns.h"
#include "sched/child.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a completion is about, in the low bits of its user_data. */
enum { POLL, POLL_CANCEL, OPERATION, OPERATION_CANCEL, WAKE, KINDS = 8 };

struct poll {
  struct ch_clause *clause; /* NULL: an orphan */
  struct poll *next, **at;  /* in flight: its descriptor's list. Else: the backlog, or the free list */
  int fd;
  short events;
  uint8_t expected; /* completions owed; 0: the kernel has not been asked, as there is no ring now, or knows no such
                       event */
  bool cancelling;  /* its cancellation is submitted or in the backlog, or its entry does nothing (take_back) */
  bool closing;     /* its descriptor is being closed */
  bool entered;     /* it has had an entry in the submission queue, so `entry` is valid */
  unsigned entry;   /* the position of its entry, counted as `tail` is */
};

struct descriptor {
  struct poll *polls;  /* those in flight: the newest first, and calls in the order of their turns */
  struct poll *oldest; /* the last one of these */
  struct ch_operation *operations;
};

/* A request for which there was no room, in a list in their order. It makes or cancels a poll or an operation. */
struct late {
  struct late *next;
  uint64_t what; /* the request, and POLL ... OPERATION_CANCEL */
};

#define ring (*ch_ring)
static __thread struct descriptor none; /* has the operations without a descriptor */
static __thread struct descriptor *table;
static __thread int table_size;
/* Memory for polls. It is a page, so that a poll's address leads to its block. */
enum { POLL_BLOCK = 4096 };
struct poll_block {
  struct poll_block *next, **at; /* in roomy_blocks or full_blocks */
  struct poll *spare;            /* the list of its free polls; NULL: there are none */
  unsigned used;
  struct poll polls[(POLL_BLOCK - 4 * sizeof(void *)) / sizeof(struct poll)];
};
_Static_assert(sizeof(struct poll_block) <= POLL_BLOCK, "a block is a page");
static __thread struct poll_block *roomy_blocks, *full_blocks;
static __thread struct late *backlog, **backlog_end; /* backlog_end is valid if the backlog is not empty */
static __thread unsigned in_flight;                  /* completions owed, without that of the wake-up */
static __thread int wake_event = -1;                 /* the slot (runtime_descriptors.h) of the inbox's eventfd */

/* ---- requests ---- */

static bool put(uint64_t what) {
  struct io_uring_sqe *sqe = ch_ring_room();
  if (!sqe)
    return false;
  uint64_t target = what & ~(uint64_t)(KINDS - 1);
  switch (what & (KINDS - 1)) {
  case POLL: {
    struct poll *p = (struct poll *)(uintptr_t)target;
    p->entered = true;
    p->entry = ring.tail;
    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = p->fd;
    sqe->poll32_events = (uint32_t)(uint16_t)p->events;
    break;
  }
  case POLL_CANCEL:
    sqe->opcode = IORING_OP_POLL_REMOVE;
    sqe->fd = -1;
    sqe->addr = target | POLL;
    break;
  case OPERATION: {
    const struct ch_operation *op = (struct ch_operation *)(uintptr_t)target;
    op->request.kind->prepare(&op->request, sqe);
    break;
  }
  case OPERATION_CANCEL:
    sqe->opcode = IORING_OP_ASYNC_CANCEL;
    sqe->fd = -1;
    sqe->addr = target | OPERATION;
    break;
  case WAKE:
    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = ch_runtime_descriptor(wake_event);
    sqe->poll32_events = POLLIN;
    break;
  }
  sqe->user_data = what;
  ring.tail++;
  return true;
}

/* Requests are made in the order of their asking: a cancellation never comes before what it cancels. */
static void drain_backlog(void) {
  while (backlog && put(backlog->what)) {
    struct late *gone = backlog;
    backlog = gone->next;
    free(gone);
  }
}

static void drop_backlog(void) {
  while (backlog) {
    struct late *gone = backlog;
    backlog = gone->next;
    free(gone);
  }
}

static bool request(uint64_t what) {
  if (CH_LIKELY(!backlog) && put(what))
    return true;
  struct late *l = malloc(sizeof *l);
  if (!l)
    return false;
  *l = (struct late){NULL, what};
  *(backlog ? backlog_end : &backlog) = l;
  backlog_end = &l->next;
  return true;
}

static bool make_room(int fd) {
  if (CH_LIKELY(fd < table_size))
    return true;
  int size = ch_fd_table_size(table_size, fd);
  struct descriptor *bigger = size ? realloc(table, (size_t)size * sizeof *bigger) : NULL;
  if (!bigger)
    return errno = size ? ENOMEM : EBADF, false;
  memset(bigger + table_size, 0, (size_t)(size - table_size) * sizeof *bigger);
  for (int i = 0; i < table_size; i++) {
    if (bigger[i].polls)
      bigger[i].polls->at = &bigger[i].polls;
  }
  table = bigger;
  table_size = size;
  ch_fd_entry_make(fd); /* close_range calls `closing` for the descriptors in that table */
  return true;
}

/* ---- polls ---- */

static __thread int why_not;  /* errno of the last attempt to get a ring, if it failed */
static __thread bool unasked; /* there are polls or operations of which no ring has been asked */
static bool runs_again(void);
static bool give_operations_up(void);
static int wanted_on(int fd);
static void found(int fd, int events);
/* Whether there is a ring, or can be. */
static inline bool runs(void) { return CH_LIKELY(ring.runs) || runs_again(); }

static void list_block(struct poll_block *b, struct poll_block **list) {
  b->at = list;
  b->next = *list;
  if (b->next)
    b->next->at = &b->next;
  *list = b;
}
static void unlist_block(struct poll_block *b) {
  *b->at = b->next;
  if (b->next)
    b->next->at = b->at;
}

static bool make_block(void) {
  struct poll_block *b = mmap(NULL, POLL_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b == MAP_FAILED)
    return false;
  for (size_t i = sizeof b->polls / sizeof *b->polls; i-- > 0;) {
    b->polls[i].next = b->spare;
    b->spare = &b->polls[i];
  }
  list_block(b, &roomy_blocks);
  return true;
}

static struct poll *take_poll(void) {
  if (!roomy_blocks && !make_block())
    return NULL;
  struct poll_block *b = roomy_blocks;
  struct poll *p = b->spare;
  b->spare = p->next;
  b->used++;
  if (!b->spare) {
    unlist_block(b);
    list_block(b, &full_blocks);
  }
  return p;
}

/* After a peak only one empty block is kept. */
static void free_poll(struct poll *p) {
  struct poll_block *b = (struct poll_block *)((uintptr_t)p & -(uintptr_t)POLL_BLOCK);
  if (!b->spare) {
    unlist_block(b);
    list_block(b, &roomy_blocks);
  }
  p->next = b->spare;
  b->spare = p;
  if (--b->used == 0 && (roomy_blocks != b || b->next)) {
    unlist_block(b);
    munmap(b, POLL_BLOCK);
  }
}

/* The poll that was registered next after this one, on the same descriptor. */
static struct poll *newer(const struct poll *p) {
  return p->at == &table[p->fd].polls ? NULL : (struct poll *)((char *)p->at - offsetof(struct poll, next));
}

static void list_poll(struct poll *p, struct poll **at) {
  p->at = at;
  p->next = *at;
  if (p->next)
    p->next->at = &p->next;
  else
    table[p->fd].oldest = p;
  *at = p;
}

static void unlist_poll(struct poll *p) {
  if (table[p->fd].oldest == p)
    table[p->fd].oldest = newer(p);
  *p->at = p->next;
  if (p->next)
    p->next->at = p->at;
}

static void give_poll(struct poll *p) {
  unlist_poll(p);
  p->clause = NULL;
  free_poll(p);
}

/* The call waits because the readiness cache says so, unless the kernel has just been asked. */
static void watch(struct ch_clause *c, int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  c->slot = ch_fd_cache_now();
  if (k && k->is & CH_JUST_ASKED)
    k->is &= (uint8_t)~CH_JUST_ASKED;
  else
    ch_fd_cache_watch(fd);
}

/* Asks the kernel for the poll. */
static bool ask(struct poll *p) {
  if (!request((uint64_t)(uintptr_t)p | POLL))
    return false;
  p->expected = 1;
  in_flight++;
  return true;
}

static bool enlist(struct ch_clause *c) {
  int fd = (int)(intptr_t)c->object;
  if (fd < 0)
    return c->value = -EBADF, true;
  int saved = errno;
  errno = ENOMEM;
  struct poll *p = make_room(fd) ? take_poll() : NULL;
  if (!p) {
    c->value = -errno;
    errno = saved;
    return true;
  }
  bool has_ring = runs(); /* without a ring poll_ looks itself */
  *p = (struct poll){.clause = c, .fd = fd, .events = (short)c->value};
  struct poll **at = &table[fd].polls;
  while (*at && (*at)->clause && ch_turn_is_before(c, (*at)->clause))
    at = &(*at)->next;
  list_poll(p, at);
  unasked |= !has_ring;
  if (has_ring && !ask(p)) {
    give_poll(p);
    c->value = -ENOMEM;
    errno = saved;
    return true;
  }
  c->link.next = (struct ch_link *)p; /* the clause is on no list, so its link leads to its poll */
  if (c->type == &ch_call_clause_type)
    watch(c, fd);
  errno = saved;
  return false;
}

/* The poll's completion comes in any case, because of the event or of the cancellation. If there is no memory for the
 * cancellation, it comes with the event. */
static void cancel_poll(struct poll *p) {
  if (p->cancelling || p->expected == 0)
    return;
  int saved = errno;
  if (request((uint64_t)(uintptr_t)p | POLL_CANCEL)) {
    p->cancelling = true;
    p->expected++;
    in_flight++;
  }
  errno = saved;
}

/* A poll that has not been submitted needs no cancellation. So it is with most polls of a wait for several things,
 * which are withdrawn before the domain submits anything. The last entry of the queue is removed; any other is changed
 * to do nothing. False: the kernel has the poll, or it is in the backlog. */
static bool take_back(struct poll *p) {
  if (p->cancelling || !p->entered || (int)(p->entry - ring.submitted) < 0)
    return false;
  if (p->entry == ring.tail - 1) {
    ring.tail--;
    in_flight--;
    give_poll(p);
    return true;
  }
  struct io_uring_sqe *sqe = &ring.sqes[p->entry & ring.sq_mask];
  uint64_t what = sqe->user_data;
  memset(sqe, 0, sizeof *sqe);
  sqe->opcode = IORING_OP_NOP;
  sqe->user_data = what;
  p->cancelling = true;
  return true;
}

static void withdraw(struct ch_clause *c) {
  struct poll *p = (struct poll *)c->link.next;
  CH_INVARIANT(p->clause == c, "a registered clause and its poll know each other");
  p->clause = NULL;
  if (p->expected == 0)
    give_poll(p);
  else if (!take_back(p))
    cancel_poll(p);
}

static void fire(struct poll *p, int64_t value) {
  struct ch_clause *c = p->clause;
  p->clause = NULL;
  if (p->expected == 0)
    give_poll(p);
  if (c)
    ch_clause_fired(c, ch_turn_with(c, value));
}

/* The kernel completes all polls for the same event, the newest first, but the clause that came first is to be served
 * first. So the two polls exchange their clauses, and the one that stays takes the newer one's place in the list. */
static void serve_oldest(struct poll *p) {
  struct poll *oldest = table[p->fd].oldest;
  if (CH_LIKELY(oldest == p) || !p->clause || p->closing)
    return;
  while (oldest != p && (!oldest->clause || oldest->events != p->events || oldest->cancelling))
    oldest = newer(oldest);
  if (oldest == p)
    return;
  struct ch_clause *served = oldest->clause, *left = p->clause;
  p->clause = served;
  served->link.next = (struct ch_link *)p;
  oldest->clause = left;
  left->link.next = (struct ch_link *)oldest;
  unlist_poll(oldest);
  list_poll(oldest, p->at);
}

bool ch_uring_is_awaited(int fd) {
  if (fd < 0 || fd >= table_size)
    return false;
  for (const struct poll *p = table[fd].polls; p; p = p->next)
    if (p->clause && p->events & POLLIN)
      return true;
  for (const struct ch_operation *op = table[fd].operations; op; op = (const struct ch_operation *)op->clause.link.next)
    if (op->request.kind->receives)
      return true;
  return false;
}

/* ---- waits that last ----
 *
 * The ring does not know SO_RCVTIMEO, and a poll does not know O_NONBLOCK: see readiness_cache.h. */

static struct ch_operation *next_of(const struct ch_operation *op) {
  return (struct ch_operation *)op->clause.link.next;
}
static bool is_call(const struct poll *p) { return p->clause && p->clause->type == &ch_call_clause_type; }

static enum ch_verdict verify(int fd) {
  if (fd >= table_size)
    return CH_NOBODY_WAITS;
  enum ch_verdict verdict = CH_NOBODY_WAITS;
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  bool changed = k && k->is & CH_CHANGED; /* a limit that was set meanwhile does not concern calls that wait */
  int events = 0;
  for (struct poll *p = table[fd].polls; p; p = p->next)
    if (is_call(p))
      events |= p->events;
  if (events)
    verdict = ch_fd_cache_holds(fd, events) ? CH_WAS_RIGHT : CH_WAS_WRONG;
  for (struct ch_operation *op = table[fd].operations; op; op = next_of(op))
    if (op->request.kind->relies_on_cache && !op->clause.object &&
        !(op->clause.slot & (CH_OPERATION_CANCELLING | CH_OPERATION_ANSWERED))) {
      int64_t timeout = ch_fd_cache_ask(fd, SO_RCVTIMEO);
      if (verdict == CH_NOBODY_WAITS)
        verdict = CH_WAS_RIGHT;
      if (op->request.kind->receives && !ch_fd_cache_is_socket(fd)) {
        ch_operation_cancel(op);
        op->clause.slot |= CH_OPERATION_NO_SOCKET;
        continue;
      }
      if (timeout == CH_FOREVER || changed)
        continue;
      verdict = CH_WAS_WRONG;
      int64_t left = timeout - ch_fd_cache_waited((uint32_t)op->clause.value) * INT64_C(1000000);
      if (!ch_operation_time_out(op, left > 0 ? left : 0))
        ch_fd_cache_watch(fd); /* without memory for a timer it is verified again later */
    }
  for (struct poll *p = verdict == CH_WAS_WRONG ? table[fd].polls : NULL; p;) {
    if (!is_call(p)) {
      p = p->next;
      continue;
    }
    int64_t waited = ch_fd_cache_waited(p->clause->slot);
    cancel_poll(p);
    fire(p, CH_LOOK_AGAIN + waited);
    p = table[fd].polls; /* a callback may change the list */
  }
  return verdict;
}

/* ---- operations ---- */

/* What is in flight on each descriptor: doubly linked through the clauses' links, `prev` of the first is NULL. */
static struct ch_operation **listed_at(struct ch_operation *op) {
  return op->request.fd >= 0 ? &table[op->request.fd].operations : &none.operations;
}

static void list(struct ch_operation *op) {
  struct ch_operation **first = listed_at(op);
  op->clause.link = (struct ch_link){(struct ch_link *)*first, NULL};
  if (*first)
    (*first)->clause.link.prev = &op->clause.link;
  *first = op;
}

static void unlist(struct ch_operation *op) {
  struct ch_link *next = op->clause.link.next, *prev = op->clause.link.prev;
  if (prev)
    prev->next = next;
  else
    *listed_at(op) = (struct ch_operation *)next;
  if (next)
    next->prev = prev;
}

static bool start(struct ch_operation *op) {
  int saved = errno;
  bool ok = runs() && (op->request.fd < 0 || make_room(op->request.fd)) && request((uint64_t)(uintptr_t)op | OPERATION);
  if (ok) {
    op->clause.slot = CH_OPERATION_RING | CH_OPERATION_OWED;
    list(op);
    in_flight++;
    if (op->request.kind->relies_on_cache) {
      op->clause.value = ch_fd_cache_now();
      ch_fd_cache_watch(op->request.fd);
    }
  }
  errno = saved;
  return ok;
}

static void cancel(struct ch_operation *op) {
  if (op->clause.slot & CH_OPERATION_ANSWERED)
    return;                                  /* the operation's own completion has come */
  if (op->clause.slot < CH_OPERATION_OWED) { /* in a child of fork whose ring has not been asked yet */
    unlist(op);
    ch_operation_end(op, -ECANCELED);
    return;
  }
  int saved = errno;
  if (request((uint64_t)(uintptr_t)op | OPERATION_CANCEL)) {
    op->clause.slot += CH_OPERATION_OWED;
    in_flight++;
  } else {
    op->clause.slot &= ~(uint32_t)CH_OPERATION_CANCELLING; /* so that it can be asked for again */
  }
  errno = saved;
}

/* Errors by which the kernel notes that a call was interrupted (ERESTARTSYS and similar ones). Plain calls never return
 * them, but a ring does if its worker was in the middle of opening a FIFO. */
enum { FIRST_RESTART = 512, LAST_RESTART = 516 };

static void operation_answered(struct ch_operation *op) {
  op->clause.slot -= CH_OPERATION_OWED;
  if (CH_UNLIKELY(op->clause.slot >= CH_OPERATION_OWED))
    return;
  unlist(op);
  /* The buffer that the device has written, and the frame of the reader, which runs soon, are in no cache. */
  __builtin_prefetch(op->request.a);
  const struct ch_branch *reader = op->clause.branch;
  if (CH_LIKELY(op->clause.index == CH_ALONE && !(reader->flags & CH_NATIVE) && !ch_is_chain_end(reader->top)))
    __builtin_prefetch(((const struct ch_frame *)reader->top)->parent);
  long result = op->clause.value;
  if (CH_UNLIKELY(result <= -FIRST_RESTART && result >= -LAST_RESTART))
    result = -EINTR;
  if (op->request.kind->receives) {
    if (result >= 0 && (size_t)result < op->request.n)
      ch_fd_cache_not_ready(op->request.fd, CH_IN);
    else
      ch_fd_cache_may_be_ready(op->request.fd, CH_IN);
  }
  /* If a file that is to be polled first cannot be polled it is no socket, but the kernel does not say so. */
  if (CH_UNLIKELY(result == -EAGAIN && op->request.kind->receives) && ch_fd_cache_ask_kind(op->request.fd) != CH_SOCKET)
    result = -ENOTSOCK;
  if (CH_UNLIKELY(op->clause.slot & CH_OPERATION_NO_SOCKET && (result == -ECANCELED || result == -EINTR))) {
    op->clause.slot &= ~(uint32_t)CH_OPERATION_CANCELLING;
    result = -ENOTSOCK;
  }
  if (CH_UNLIKELY(result == -ENOTSOCK && op->request.kind->otherwise)) {
    ch_operation_begin_again(op);
    op->request.kind = op->request.kind->otherwise;
    if (!(op->clause.slot & CH_OPERATION_CANCELLING) && start(op))
      return;
    result = op->clause.slot & CH_OPERATION_CANCELLING ? -ECANCELED : -ENOMEM;
  }
  ch_operation_end(op, result);
}

/* ---- completions ---- */

static void answered(uint64_t what, int result) {
  uint64_t target = what & ~(uint64_t)(KINDS - 1);
  struct poll *p = (struct poll *)(uintptr_t)target;
  struct ch_operation *op = (struct ch_operation *)(uintptr_t)target;
  if ((what & (KINDS - 1)) == WAKE) {
    uint64_t count;
    if (wake_event >= 0 && read(ch_runtime_descriptor(wake_event), &count, sizeof count) < 0)
      count = 0;
    request(WAKE);
    return;
  }
  in_flight--;
  switch (what & (KINDS - 1)) {
  case POLL:
    p->expected--;
    if (CH_UNLIKELY(result == -EINVAL) && p->clause && !p->closing)
      break; /* a regular file never has such events: the clause waits on, without a request */
    serve_oldest(p);
    fire(p, result);
    break;
  case POLL_CANCEL:
    if (--p->expected == 0) {
      give_poll(p);
    } else if (result == -EALREADY) {
      /* The kernel was about to look whether an event holds. If it does not hold any more, the poll goes on. */
      p->cancelling = false;
      cancel_poll(p);
    }
    break;
  case OPERATION:
    op->clause.value = result;
    op->clause.slot |= CH_OPERATION_ANSWERED;
    operation_answered(op);
    break;
  case OPERATION_CANCEL:
    /* The kernel did not find it, because it was between two of the kernel's queues, or because it runs. */
    if (result < 0 && !(op->clause.slot & CH_OPERATION_ANSWERED))
      ch_operation_cancel_again(op);
    operation_answered(op);
    break;
  }
}

/* The next operations lie in frames that are not in the cache, and neither are their branches. `left` is the number of
 * completions after this one. */
static inline void fetch_ahead(unsigned head, unsigned left) {
  if (left >= 3) {
    const char *third =
        (const char *)(uintptr_t)(ring.cqes[(head + 3) & ring.cq_mask].user_data & ~(uint64_t)(KINDS - 1));
    __builtin_prefetch(third);
    __builtin_prefetch(third + 64);
  }
  uint64_t next = ring.cqes[(head + 1) & ring.cq_mask].user_data;
  if (left >= 1 && (next & (KINDS - 1)) == OPERATION)
    __builtin_prefetch(((const struct ch_operation *)(uintptr_t)next)->clause.branch);
}

/* Each entry is read and handed back before its callback is called, so a callback may make requests. What is answered
 * meanwhile is left for the next time: a cancellation that is made again is refused again until the kernel has been
 * entered for events. */
static void take_completions(void) {
  unsigned tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
  for (;;) {
    unsigned head = *ring.cq_head;
    if ((int)(tail - head) <= 0)
      return;
    struct io_uring_cqe cqe = ring.cqes[head & ring.cq_mask];
    fetch_ahead(head, tail - head - 1);
    __atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
    answered(cqe.user_data, cqe.res);
  }
}

static bool has_news(void) {
  return ring.runs &&
         (ch_ring_has_completions() || (__atomic_load_n(ring.sq_flags, __ATOMIC_RELAXED) & IORING_SQ_TASKRUN));
}

static void poll_(int64_t deadline) {
  int saved = errno;
  if (CH_UNLIKELY(!ring.runs)) {
    if (deadline == 0 && !unasked)
      return;
    if (!runs()) {
      if (give_operations_up())
        deadline = 0;
      ch_reactor_makeshift(deadline, table_size, wanted_on, found);
      errno = saved;
      return;
    }
  }
  if (CH_UNLIKELY(ring.told))
    ch_ring_was_told();
  if (backlog)
    drain_backlog();
  bool ready = ch_ring_has_completions();
  if (deadline == 0 || ready) {
    if (ch_ring_unsubmitted() || ch_ring_wishes())
      ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
  } else {
    int64_t timeout = -1, due = ch_fd_cache_due();
    if (due < deadline)
      deadline = due;
    if (deadline != CH_FOREVER) {
      timeout = deadline - ch_monotonic_now();
      if (timeout < 0)
        timeout = 0;
    }
    if (backlog && (timeout < 0 || timeout > 1000000))
      timeout = 1000000; /* the kernel has no room for the backlog now, but may have soon */
    ch_ring_submit(1, IORING_ENTER_GETEVENTS, timeout);
  }
  take_completions();
  ch_fd_cache_verify(verify);
  errno = saved;
}

/* ---- waiting elsewhere ---- */

static int rest(void) {
  if (!runs())
    return errno = why_not, -1;
  if (CH_UNLIKELY(!ring.told) && ch_ring_get_told() < 0)
    return -1;
  drain_backlog();
  if (ch_ring_unsubmitted())
    ch_ring_submit(0, 0, -1);
  return ch_ring_teller();
}

/* Whether an operation on it is being ended because it is closed. */
static bool is_held(int fd) {
  for (struct ch_operation *op = table[fd].operations; op; op = next_of(op))
    if (op->clause.slot & CH_OPERATION_CLOSED)
      return true;
  return false;
}

/* The kernel holds a file as long as it polls it, so the polls and operations are cancelled first. A cancellation is
 * mostly answered at once. */
static void closing(int fd) {
  if (fd < 0 || fd >= table_size || (!table[fd].polls && !table[fd].operations))
    return;
  int saved = errno;
  for (struct ch_operation *op = table[fd].operations, *next; op; op = next) {
    next = next_of(op);
    if (op->request.kind->closes) {
      op->clause.slot |= CH_OPERATION_CLOSED;
      ch_operation_cancel(op);
    }
  }
  for (struct poll *p = table[fd].polls; p; p = p->next) {
    p->closing = true;
    cancel_poll(p);
  }
  /* After each call the loop begins again, because a callback may change the list. */
  for (struct poll *p = table[fd].polls; p;)
    if (p->closing && p->clause) {
      fire(p, POLLNVAL);
      p = table[fd].polls;
    } else {
      p = p->next;
    }
  for (int tries = 0; ring.runs && (table[fd].polls || is_held(fd)) && tries < 1000; tries++) {
    drain_backlog();
    ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
    take_completions();
  }
  errno = saved;
}

static int listen_(int event) {
  if (!runs())
    return -1;
  wake_event = event;
  return request(WAKE) ? 0 : (errno = ENOMEM, -1);
}

/* ---- without a ring ----
 *
 * A child of fork must not touch its parent's ring, and does not see it (MADV_DONTFORK). When it waits it makes a ring
 * of its own and asks that for everything that is waited for; a child that only ends or calls exec needs none.
 * Operations that were under way belong to the parent: those that only wait are begun anew, and others count as
 * interrupted. */

static void interrupted(struct ch_operation *op) {
  unlist(op);
  ch_operation_end(op, -EINTR);
}

static void begin_anew(struct ch_operation *op) {
  if (op->clause.slot >= CH_OPERATION_OWED)
    return;
  if (request((uint64_t)(uintptr_t)op | OPERATION)) {
    op->clause.slot += CH_OPERATION_OWED;
    in_flight++;
  } else {
    interrupted(op);
  }
}

static void in_child(void);
static void hook(void) { ch_child_hook(in_child); }

static bool runs_again(void) {
  why_not = ch_ring_start();
  if (why_not != 0)
    return false;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook);
  unasked = false;
  for (struct ch_operation *op = none.operations, *next; op; op = next)
    next = next_of(op), begin_anew(op);
  for (int fd = 0; fd < table_size; fd++) {
    for (struct ch_operation *op = table[fd].operations, *next; op; op = next)
      next = next_of(op), begin_anew(op);
    for (struct poll *p = table[fd].polls, *next; p; p = next) {
      next = p->next;
      if (p->expected == 0 && !ask(p))
        fire(p, -ENOMEM);
    }
  }
  return true;
}

/* Whether there were any. */
static bool give_operations_up(void) {
  bool any = false;
  for (int fd = -1; fd < table_size; fd++) {
    struct descriptor *d = fd < 0 ? &none : &table[fd];
    for (struct ch_operation *op; (op = d->operations); any = true) {
      unlist(op);
      ch_operation_by_thread(op);
    }
  }
  return any;
}

static int wanted_on(int fd) {
  int events = 0;
  for (const struct poll *p = table[fd].polls; p; p = p->next)
    events |= (uint16_t)p->events;
  return events;
}

static void found(int fd, int events) {
  for (struct poll *p = table[fd].polls, *next; p; p = next) {
    int holding = events & ((uint16_t)p->events | POLLERR | POLLHUP | POLLNVAL);
    next = p->next;
    if (holding) {
      fire(p, holding);
      next = table[fd].polls; /* a callback may change the list */
    }
  }
}

static void leave_to_parent(struct ch_operation *op) {
  if (!op->request.kind->interrupt || op->clause.slot & CH_OPERATION_CANCELLING)
    interrupted(op);
  else
    op->clause.slot = CH_OPERATION_RING;
}

static void in_child(void) {
  if (!ring.runs)
    return;
  ch_ring_forget();
  unasked = true;
  drop_backlog();
  in_flight = 0;
  wake_event = -1; /* the inbox registers it again */
  for (struct ch_operation *op = none.operations, *next; op; op = next)
    next = next_of(op), leave_to_parent(op);
  for (int fd = 0; fd < table_size; fd++) {
    for (struct ch_operation *op = table[fd].operations, *next; op; op = next)
      next = next_of(op), leave_to_parent(op);
    for (struct poll *p = table[fd].polls, *next; p; p = next) {
      next = p->next;
      p->cancelling = p->closing = false;
      p->expected = 0;
      if (!p->clause)
        give_poll(p);
    }
  }
  ch_inbox_in_child();
}

/* The kernel lets go of the files some time after the process has ended, and until then a port that is listened on is
 * in use. So everything is cancelled before the end, without calling anybody. */
static void leave(void) {
  if (!ring.runs)
    return;
  for (int fd = -1; fd < table_size; fd++) {
    struct descriptor *d = fd < 0 ? &none : &table[fd];
    for (struct poll *p = d->polls; p; p = p->next)
      cancel_poll(p);
    for (struct ch_operation *op = d->operations; op; op = next_of(op))
      if (!(op->clause.slot & CH_OPERATION_CANCELLING) && request((uint64_t)(uintptr_t)op | OPERATION_CANCEL))
        in_flight++;
  }
  for (int tries = 0; in_flight > 0 && tries < 1000; tries++) {
    drain_backlog();
    ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
    unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) {
      struct io_uring_cqe answer = ring.cqes[head & ring.cq_mask];
      unsigned kind = answer.user_data & (KINDS - 1);
      in_flight -= kind != WAKE;
      if (kind == POLL_CANCEL && answer.res == -EALREADY && request(answer.user_data))
        in_flight++;
    }
    __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
  }
  ch_ring_stop();
}

static void free_blocks(struct poll_block **list) {
  while (*list) {
    struct poll_block *gone = *list;
    *list = gone->next;
    munmap(gone, POLL_BLOCK);
  }
}
/* Orphans that are still in flight end with the ring. */
static void end_polls(void) {
  free_blocks(&roomy_blocks);
  free_blocks(&full_blocks);
}

static void end(void) {
  ch_ring_end();
  end_polls();
  drop_backlog();
  free(table);
  table = NULL;
  table_size = 0;
  in_flight = 0;
  wake_event = -1;
}

/* This is called during the first call that waits, so it keeps errno: a refusal is no result of that call. */
int ch_uring_available(void) {
  if (CH_LIKELY(ring.runs))
    return 0;
  int saved = errno, error = runs_again() ? 0 : why_not;
  errno = saved;
  return error;
}

const struct ch_reactor ch_reactor_uring = {"io_uring", ch_monotonic_now, poll_, has_news, enlist, withdraw, closing,
                                            start,      cancel,           end,   listen_,  leave,  rest};
