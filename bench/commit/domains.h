/* The case domains-N of charcoal.c: each of N participants is in a domain of its own. The initiator sends all
 * proposals, and then receives all votes, as in the programs of the other systems. */
#include "mailbox.h"
#include <charcoal/lowlevel.h>
#include <stdbool.h>

struct mailbox {
  ch_spinlock lock;
  bool awaited;
  ch_waiter taker;
  struct letters letters;
};

static void put(struct mailbox *b, struct message m) {
  bool awaited;
  atomic {
    ch_spin_acquire(&b->lock);
    put_letter(&b->letters, &m);
    awaited = b->awaited;
    b->awaited = false;
    ch_spin_release(&b->lock);
  }
  if (awaited) ch_waiter_schedule(&b->taker);
}

static struct message take(struct mailbox *b) {
  struct message m;
  for (;;) {
    bool empty;
    atomic {
      ch_spin_acquire(&b->lock);
      empty = is_empty(&b->letters);
      b->awaited = empty;
      if (!empty) m = take_letter(&b->letters);
      ch_spin_release(&b->lock);
    }
    if (!empty) return m;
    ch_waiter_suspend(&b->taker); /* a schedule that came before it is kept */
  }
}

struct member {
  ch_thread thread;
  struct participant participant;
  struct mailbox in, out;
};

static void serve(void *argument) {
  struct member *me = argument;
  while (!me->participant.ended) {
    struct message m = take(&me->in), reply;
    if (reply_to(&me->participant, &m, &reply)) put(&me->out, reply);
  }
}

static void commit_among_domains(struct member *members, int n, uint64_t number) {
  bool commit = true;
  for (int i = 0; i < n; i++) put(&members[i].in, (struct message){{PROPOSAL, number}});
  for (int i = 0; i < n; i++) commit &= take(&members[i].out).word[2] == 1;
  for (int i = 0; i < n; i++) put(&members[i].in, (struct message){{commit ? COMMIT : ABORT, number}});
}

static uint64_t run_among_domains(int n, unsigned long count, struct stopwatch *watch) {
  static struct member members[MOST];
  uint64_t sum = 0;
  for (int i = 0; i < n; i++) {
    members[i].participant.index = i;
    if (ch_domain_start(&members[i].thread, serve, &members[i])) exit(1);
  }
  lap(watch, 0);
  for (unsigned long number = 1; number <= count; number++) {
    commit_among_domains(members, n, number);
    lap(watch, number);
  }
  for (int i = 0; i < n; i++) {
    put(&members[i].in, (struct message){{END}});
    struct message m = take(&members[i].out);
    sum += m.word[1];
    ch_domain_join(&members[i].thread);
  }
  return sum;
}
