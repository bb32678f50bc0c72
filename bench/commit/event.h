/* The initiator as events by hand: there is a handler for each step, and a structure for what the handlers have to
 * remember from one step to the next. */
#include "protocol.h"

struct operation {
  struct port ports[MOST];
  int n, votes, all_yes, sent, outcomes, sums, ended;
  unsigned long number, count;
  uint64_t sum;
  struct stopwatch watch;
};

static void propose_to(struct port *p);
static void tell_outcome_to(struct port *p);
static void end_with(struct port *p);
static void got_vote(struct port *p, const struct message *m);
static void got_sum(struct port *p, const struct message *m);

static void propose(struct operation *o) {
  o->number++;
  o->votes = o->outcomes = 0;
  o->all_yes = 1;
  for (int i = 0; i < o->n; i++)
    propose_to(&o->ports[i]);
}

static void propose_to(struct port *p) {
  struct operation *o = p->state;
  struct message m = {{PROPOSAL, o->number}};
  if (!try_send(&p->end, &m))
    p->on_send = propose_to;
}

static void got_vote(struct port *p, const struct message *m) {
  struct operation *o = p->state;
  o->all_yes &= m->word[2] == 1;
  if (++o->votes < o->n)
    return;
  for (int i = 0; i < o->n; i++)
    tell_outcome_to(&o->ports[i]);
}

static void tell_outcome_to(struct port *p) {
  struct operation *o = p->state;
  struct message m = {{o->all_yes ? COMMIT : ABORT, o->number}};
  if (!try_send(&p->end, &m)) {
    p->on_send = tell_outcome_to;
    return;
  }
  if (++o->outcomes < o->n)
    return;
  lap(&o->watch, o->number);
  if (o->number < o->count) {
    propose(o);
    return;
  }
  for (int i = 0; i < o->n; i++) {
    o->ports[i].on_receive = got_sum;
    end_with(&o->ports[i]);
  }
}

static void end_with(struct port *p) {
  struct message m = {{END}};
  if (!try_send(&p->end, &m))
    p->on_send = end_with;
}

static void got_sum(struct port *p, const struct message *m) {
  struct operation *o = p->state;
  o->sum += m->word[1];
  o->ended = ++o->sums == o->n;
}

static uint64_t commit_by_events(const struct end *ends, int n, unsigned long count, struct stopwatch *watch) {
  struct operation o = {.n = n, .count = count};
  for (int i = 0; i < n; i++)
    o.ports[i] = (struct port){.end = ends[i], .on_receive = got_vote, .state = &o};
  lap(&o.watch, 0);
  propose(&o);
  while (!o.ended)
    dispatch(o.ports, n);
  *watch = o.watch;
  return o.sum;
}
