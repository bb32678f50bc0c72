/* The ring of a thread: an io_uring with its two mapped queues, and the system call that submits entries and waits.
 * requests.c decides what the entries are.
 *
 * Before the first start, and where the kernel refuses a ring, the thread has a ring that does not run. A child of fork
 * cannot use the ring of its parent: it forgets that one, and may start one of its own. */
#ifndef CHARCOAL_REACTOR_URING_RING_H
#define CHARCOAL_REACTOR_URING_RING_H

#include "frames/attributes.h"
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ch_ring {
  bool runs;
  bool was_told; /* the kernel has written the eventfd since it was registered */
  int told;      /* the slot of an eventfd that the kernel writes at each completion, + 1; 0: none */
  int slot;  /* of its descriptor (runtime_descriptors.h); -1: it needs none, for it is registered with the thread, */
  int index; /* under this index, */
  unsigned enter_flags; /* and this is IORING_ENTER_REGISTERED_RING */
  unsigned *sq_head, *sq_tail, *sq_flags, sq_mask, sq_size;
  unsigned *cq_head, *cq_tail, cq_mask;
  struct io_uring_sqe *sqes;
  struct io_uring_cqe *cqes;
  int64_t refused_since;    /* since when the kernel has refused all sleeps for now; 0: not the last one */
  unsigned tail, submitted; /* the end of what this thread has queued, and of what the kernel has taken */
  void *map, *sqe_map;
  size_t map_size, sqe_map_size;
};

/* Never NULL. Behind a pointer, because a library that is loaded late has little thread-local memory. */
extern CH_HIDDEN __thread struct ch_ring *ch_ring;

/* Starts the ring. 0, or the error number with which the kernel refuses it. */
CH_HIDDEN int ch_ring_start(void);
/* Closes the ring and unmaps its queues. */
CH_HIDDEN void ch_ring_stop(void);
/* Called in a child of fork, into which the maps were not copied. */
CH_HIDDEN void ch_ring_forget(void);
/* Stops the ring and frees its memory, because the thread ends. */
CH_HIDDEN void ch_ring_end(void);

/* Submits, and waits for `want` completions, for at most `timeout` ns (a negative one: for ever), with the signal mask
 * of such a sleep. What the kernel does not take now stays in the queue. */
CH_HIDDEN void ch_ring_submit(unsigned want, unsigned flags, int64_t timeout);

/* Called after pthread_cancel has ended a sleep of the ring: finds out what the kernel has taken from the queue. */
CH_HIDDEN void ch_ring_left(void);

/* Makes the kernel write an eventfd when there is a completion, or work for one that it defers until the thread asks.
 * This is needed because a ring whose descriptor is closed cannot be polled. 0, or -1 with errno. */
CH_HIDDEN int ch_ring_get_told(void);
/* Makes sure that the kernel does so at the next completion, too. Is called before each sleep. */
CH_HIDDEN void ch_ring_get_told_again(void);
/* Returns the number of that eventfd. */
CH_HIDDEN int ch_ring_teller(void);
/* Reads that eventfd, so that it is not readable until the next completion. */
CH_HIDDEN void ch_ring_was_told(void);

static inline unsigned ch_ring_unsubmitted(void) { return ch_ring->tail - ch_ring->submitted; }

/* Returns the next free entry for a request, all zero. The caller moves `tail` when it has filled the entry in. NULL:
 * the queue is full, and the kernel takes nothing at the moment. */
static inline struct io_uring_sqe *ch_ring_room(void) {
  struct ch_ring *r = ch_ring;
  if (CH_UNLIKELY(r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE) == r->sq_size)) {
    ch_ring_submit(0, 0, -1);
    if (r->tail - __atomic_load_n(r->sq_head, __ATOMIC_ACQUIRE) == r->sq_size)
      return NULL;
  }
  struct io_uring_sqe *sqe = &r->sqes[r->tail & r->sq_mask];
  memset(sqe, 0, sizeof *sqe);
  return sqe;
}

static inline bool ch_ring_has_completions(void) {
  return *ch_ring->cq_head != __atomic_load_n(ch_ring->cq_tail, __ATOMIC_ACQUIRE);
}

/* The kernel has completions, or work for one that it defers. */
static inline bool ch_ring_has_news(void) {
  return ch_ring_has_completions() || (__atomic_load_n(ch_ring->sq_flags, __ATOMIC_RELAXED) & IORING_SQ_TASKRUN);
}

/* Returns the flags by which the kernel says that it has to be entered: IORING_SQ_CQ_OVERFLOW, IORING_SQ_TASKRUN. */
static inline unsigned ch_ring_wishes(void) {
  return __atomic_load_n(ch_ring->sq_flags, __ATOMIC_RELAXED) & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN);
}

#endif
