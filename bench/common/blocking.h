/* Blocking send and receive over the channels of channel.h, for Charcoal: the operations of paper 002, figures 8 and 9.
 *
 * The top half is what an activity calls. The bottom half is an activity that looks at the channels somebody waits on,
 * as the dispatcher of callbacks.h does, and wakes whoever waits there. Each direction of a channel has one waiter.
 *
 * With BENCH_GIVING_WAY there is no bottom half: who waits looks again and again, and lets other activities run in between. That
 * does for whole activities only, since giving way lets no branch of the same activity run (law 1). */
#ifndef BENCH_BLOCKING_H
#define BENCH_BLOCKING_H

#include "channel.h"
#include <charcoal.h>

#ifdef BENCH_GIVING_WAY

struct blocking_end {
  struct end end;
};

static inline void receive(struct blocking_end *b, struct message *m) {
  while (!try_receive(&b->end, m)) ch_reschedule();
}

static inline void send_message(struct blocking_end *b, const struct message *m) {
  while (!try_send(&b->end, m)) ch_reschedule();
}

static void bottom_half(struct blocking_end *ends, int n, const int *finished) { (void)ends, (void)n, (void)finished; }

#else

struct blocking_end {
  struct end end;
  int awaits_message, awaits_room;
  ch_sem arrived, drained;
};

static inline void receive(struct blocking_end *b, struct message *m) {
  while (!try_receive(&b->end, m)) {
    b->awaits_message = 1;
    ch_sem_wait(&b->arrived);
  }
}

static inline void send_message(struct blocking_end *b, const struct message *m) {
  while (!try_send(&b->end, m)) {
    b->awaits_room = 1;
    ch_sem_wait(&b->drained);
  }
}

/* Looks at each end once. Returns how many it has woken. */
static inline int look(struct blocking_end *ends, int n) {
  int woken = 0;
  for (int i = 0; i < n; i++) {
    struct blocking_end *b = &ends[i];
    if (b->awaits_message && has_message(&b->end)) {
      b->awaits_message = 0;
      ch_sem_post(&b->arrived);
      woken++;
    }
    if (b->awaits_room && has_room(&b->end)) {
      b->awaits_room = 0;
      ch_sem_post(&b->drained);
      woken++;
    }
  }
  return woken;
}

/* The bottom half, until the top halves have finished. When it has its turn, all others wait for channels; so it
 * need not let anybody else run before it has woken one of them. */
__attribute__((noinline)) static void bottom_half(struct blocking_end *ends, int n, const int *finished) {
  for (;;) {
    ch_reschedule();
    if (*finished) return;
    atomic {
      while (!look(ends, n)) {
      }
    }
  }
}

#endif

#endif
