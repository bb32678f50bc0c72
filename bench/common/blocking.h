/* Blocking send and receive over the channels of channel.h, for Charcoal: the operations of paper 002, figures 8 and 9.
 *
 * An activity calls the top half. The domain calls the bottom half while no activity can run: it looks at the channels
 * that somebody waits for, as the dispatcher of callbacks.h does, and wakes those who wait. Each direction of a channel
 * has one waiter.
 *
 * With BENCH_GIVING_WAY there is no bottom half: a waiter looks again and again, and lets other activities run in
 * between. This is possible for whole activities only, because giving way lets no branch of the same activity run (law
 * 1). */
#ifndef BENCH_BLOCKING_H
#define BENCH_BLOCKING_H

#include "channel.h"
#include <charcoal.h>
#include <charcoal/lowlevel.h>

#ifdef BENCH_GIVING_WAY

struct blocking_end {
  struct end end;
};

static inline void receive(struct blocking_end *b, struct message *m) {
  while (!try_receive(&b->end, m))
    ch_reschedule();
}

static inline void send_message(struct blocking_end *b, const struct message *m) {
  while (!try_send(&b->end, m))
    ch_reschedule();
}

struct bottom_half {
  struct blocking_end *ends;
  int n;
};
static void begin_bottom_half(struct bottom_half *b) { (void)b; }
static void end_bottom_half(struct bottom_half *b) { (void)b; }

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

struct bottom_half {
  struct blocking_end *ends;
  int n;
  ch_source source;
};

static void look(void *half) {
  struct bottom_half *h = half;
  for (struct blocking_end *b = h->ends, *end = b + h->n; b < end; b++) {
    if (b->awaits_message && has_message(&b->end)) {
      b->awaits_message = 0;
      ch_sem_post(&b->arrived);
    }
    if (b->awaits_room && has_room(&b->end)) {
      b->awaits_room = 0;
      ch_sem_post(&b->drained);
    }
  }
}

static void begin_bottom_half(struct bottom_half *h) {
  if (ch_source_add(&h->source, look, h))
    exit(1);
}

static void end_bottom_half(struct bottom_half *h) { ch_source_remove(&h->source); }

#endif

#endif
