/* Tells reports of a wait for events which events are outstanding, and where each was made. A report may interrupt the
 * domain at any point, so the lists may be inconsistent, and the walk over them stops at the counted length. */
#include "events/cells.h"
#include <string.h>

static bool is_same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static const char *source_of(const struct ch_cell *c) { return c->source ? ch_source_what(c->source) : NULL; }

/* Neighbours that were made at one place are told together. */
static void tell_outstanding_of(const struct ch_rendezvous_state *s, ch_tell_awaited *tell, void *data) {
  uint32_t left = s ? s->outstandings : 0;
  const struct ch_link *n = s ? s->outstanding.next : NULL;
  while (left && n && n != &s->outstanding) {
    const struct ch_cell *first = (const struct ch_cell *)n, *cell = first;
    uint32_t count = 0;
    do {
      count++;
      n = n->next;
      cell = (const struct ch_cell *)n;
    } while (--left && n && n != &s->outstanding && is_same(first->site, cell->site) &&
             is_same(source_of(first), source_of(cell)));
    tell(count, first->site, source_of(first), data);
  }
}

static void tell_outstanding(const struct ch_clause *c, ch_tell_awaited *tell, void *data) {
  tell_outstanding_of(((const struct ch_rendezvous *)c->object)->state, tell, data);
}

void ch_rendezvous_tell_idle(void (*begin)(const struct ch_rendezvous_state *, void *), ch_tell_awaited *tell,
                             void *data) {
  for (struct ch_link *n = ch_events.all.next; n && n != &ch_events.all; n = n->next) {
    const struct ch_rendezvous_state *s = (const struct ch_rendezvous_state *)n;
    if (ch_list_first(&s->waiter) || (!s->outstandings && !s->triggereds))
      continue;
    begin(s, data);
    tell_outstanding_of(s, tell, data);
  }
}

static void tell_event(const struct ch_clause *c, ch_tell_awaited *tell, void *data) {
  const struct ch_cell *cell = ch_event_outstanding((ch_event)c->object);
  if (cell)
    tell(1, cell->site, source_of(cell), data);
}

void ch_rendezvous_about(const struct ch_clause *c, struct ch_about *about) {
  about->object = c->object;
  about->awaited = tell_outstanding;
}
void ch_event_about(const struct ch_clause *c, struct ch_about *about) {
  (void)c;
  about->awaited = tell_event;
}
