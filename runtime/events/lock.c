/* Locks that are acquired by events: ch_event_lock_acquire (charcoal/events.h).
 *
 * Invariants: 1. `alone` and `sharers` are never both set; 2. if somebody waits, the first one could not have the lock
 * yet, or its event is cancelled, which is found out when its turn comes. */
#include "events/cells.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct ch_event_turn {
  struct ch_event_turn *next;
  ch_event event;
  bool shared;
};

static bool is_free(const struct ch_event_lock *l, bool shared) { return !l->alone && (shared || l->sharers == 0); }

static void hold(struct ch_event_lock *l, bool shared) {
  if (shared)
    l->sharers++;
  else
    l->alone = true;
}

/* Those whose turn it is get the lock. */
static void hand_over(struct ch_event_lock *l) {
  struct ch_event_turn *turn;
  while ((turn = l->first) && (!ch_event_outstanding(turn->event) || is_free(l, turn->shared))) {
    l->first = turn->next;
    if (ch_event_outstanding(turn->event)) {
      hold(l, turn->shared);
      ch_event_trigger(turn->event, 0, NULL);
    }
    free(turn);
  }
}

int ch_event_lock_take_(struct ch_event_lock *l, ch_event e, int shared) {
  struct ch_event_turn *turn = malloc(sizeof *turn);
  if (!turn)
    return ENOMEM;
  *turn = (struct ch_event_turn){NULL, e, shared};
  if (l->first)
    l->last->next = turn;
  else
    l->first = turn;
  l->last = turn;
  hand_over(l);
  return 0;
}

int ch_event_lock_release_(struct ch_event_lock *l) {
  if (!l->alone && l->sharers == 0)
    return EPERM;
  if (l->alone)
    l->alone = false;
  else
    l->sharers--;
  hand_over(l);
  return 0;
}
