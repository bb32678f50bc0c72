/* Two-phase commit of paper 002, section 5.2: the initiator sends each participant a proposal, awaits their votes, and
 * sends all of them the outcome. The participants are on another core, in one process that spins over their channels
 * with callbacks by hand. They are the same for all systems, so only the initiators differ.
 *
 * CASE is KIND-PARTICIPANTS, and COUNT is the number of operations. */
#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include "../common/callbacks.h"
#include "../common/measure.h"
#ifdef __CHARCOAL__
#include <charcoal.h>
#else
#define atomic
#endif

enum { MOST = 16, BATCH = 200 };
enum kind { PROPOSAL = 1, VOTE, COMMIT, ABORT, END, SUM };

/* Participant i says no to one operation in 64. */
static int votes_yes(uint64_t operation, int i) { return (operation * 0x9E3779B97F4A7C15u >> 32) % 64 != (uint64_t)i; }

struct participant {
  int index, ended;
  uint64_t proposed, sum;
  struct message reply;
};

static void send_reply(struct port *p) {
  struct participant *me = p->state;
  if (!try_send(&p->end, &me->reply))
    p->on_send = send_reply;
}

static void participate(struct port *p, const struct message *m) {
  struct participant *me = p->state;
  switch ((enum kind)m->word[0]) {
  case PROPOSAL:
    me->proposed = m->word[1];
    me->reply = (struct message){{VOTE, m->word[1], (uint64_t)votes_yes(m->word[1], me->index)}};
    send_reply(p);
    break;
  case COMMIT:
    me->sum += me->proposed;
    break;
  case ABORT:
    break;
  case END:
    me->reply = (struct message){{SUM, me->sum}};
    me->ended = 1;
    send_reply(p);
    break;
  default:
    exit(1);
  }
}

/* Plain code in every system, so that what differs is the initiator alone. */
static void run_participants(struct port *ports, struct participant *all, int n) {
  for (int ended = 0; ended < n;) {
    dispatch(ports, n);
    ended = 0;
    for (int i = 0; i < n; i++)
      ended += all[i].ended && !ports[i].on_send;
  }
}

/* Forks off the process with n participants; fills in the initiator's ends. */
static void start_participants(struct end *ends, int n) {
  struct channel(*shared)[2] = share_channels(n);
  pid_t child = fork();
  if (child < 0)
    exit(1);
  be_on_core(child == 0);
  for (int i = 0; i < n; i++)
    ends[i] = (struct end){.out = &shared[i][0], .in = &shared[i][1]};
  if (child > 0)
    return;
  struct port ports[MOST];
  struct participant all[MOST];
  for (int i = 0; i < n; i++) {
    all[i] = (struct participant){.index = i};
    ports[i] =
        (struct port){.end = {.out = &shared[i][1], .in = &shared[i][0]}, .on_receive = participate, .state = &all[i]};
  }
  atomic run_participants(ports, all, n);
  _exit(0);
}

/* What all participants together must have added up. */
static uint64_t right_sum(unsigned long count, int n) {
  uint64_t sum = 0;
  for (unsigned long operation = 1; operation <= count; operation++) {
    int all = 1;
    for (int i = 0; i < n; i++)
      all &= votes_yes(operation, i);
    sum += all ? operation * (uint64_t)n : 0;
  }
  return sum;
}

struct stopwatch {
  double start, best;
};

/* To be called before the first operation and after each. */
static void lap(struct stopwatch *w, unsigned long done) {
  if (done % BATCH)
    return;
  double now = now_ns();
  if (done > 0 && (w->best == 0 || now - w->start < w->best))
    w->best = now - w->start;
  w->start = now;
}

/* Participants of KIND-PARTICIPANTS, if KIND is this one; else 0. */
static int participants_of(const char *name, const char *kind) {
  size_t length = strlen(kind);
  if (strncmp(name, kind, length) || name[length] != '-')
    return 0;
  int n = atoi(name + length + 1);
  if (n < 1 || n > MOST)
    unknown_case(name);
  return n;
}

#endif
