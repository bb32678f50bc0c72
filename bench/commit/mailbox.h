/* What the programs for the case domains-N share: participants that sleep until they are asked, each in a domain,
 * thread or goroutine of its own. There are fewer cores than participants, so what is measured is mostly how they are
 * woken (paper 002, figure 10b).
 *
 * A mailbox has room for a few messages, because at most two are under way: an outcome and the next proposal. */
#include "protocol.h"

enum { ROOM = 4 };

struct letters {
  struct message messages[ROOM];
  unsigned put, taken;
};

static int is_empty(const struct letters *l) { return l->put == l->taken; }

static void put_letter(struct letters *l, const struct message *m) {
  if (l->put - l->taken == ROOM)
    exit(1);
  l->messages[l->put++ % ROOM] = *m;
}

static struct message take_letter(struct letters *l) { return l->messages[l->taken++ % ROOM]; }

/* What participant `me` answers; 0: nothing. */
static int reply_to(struct participant *me, const struct message *m, struct message *reply) {
  switch ((enum kind)m->word[0]) {
  case PROPOSAL:
    me->proposed = m->word[1];
    *reply = (struct message){{VOTE, m->word[1], (uint64_t)votes_yes(m->word[1], me->index)}};
    return 1;
  case COMMIT:
    me->sum += me->proposed;
    return 0;
  case END:
    me->ended = 1;
    *reply = (struct message){{SUM, me->sum}};
    return 1;
  default:
    return 0;
  }
}
