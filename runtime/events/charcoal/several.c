/* ch_all and ch_any (charcoal/events.h), which make one event of several. An activity waits for the several events. */
#include "charcoal.h"
#include <charcoal/dialect.h>
#include <errno.h>
#include <stdlib.h>
#include "charcoal/events.h"

struct several {
  struct ch_rendezvous rendezvous;
  unsigned n, kind;
  ch_event *events;
  char *values; /* the values, of `stride` bytes each; NULL: there are none */
  size_t stride;
};

static void let_all_go(struct several *s) {
  ch_rendezvous_cancel_(&s->rendezvous);
  ch_rendezvous_destroy_(&s->rendezvous);
  free(s->events);
  free(s->values);
  free(s);
}

/* n events with their indices as ids. NULL: no memory. */
static struct several *make_several(unsigned n, unsigned kind, ch_event made[], const char *site) {
  struct several *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  *s = (struct several){.n = n, .kind = kind, .stride = kind >> 4};
  s->events = calloc(n + 1, sizeof *s->events);
  s->values = calloc(n + 1, s->stride + 1);
  if (!s->events || !s->values) {
    let_all_go(s);
    return NULL;
  }
  for (unsigned i = 0; i < n; i++)
    made[i] = s->events[i] =
        ch_event_make(&s->rendezvous, &i, sizeof i, kind != 0,
                      (struct ch_event_slot_made[]){{s->values + i * s->stride, kind, NULL, NULL, 0}}, site);
  return s;
}

int ch_event_all_(unsigned n, ch_event made[], ch_event outer, const char *site) {
  struct several *s = make_several(n, 0, made, site);
  if (!s)
    return ENOMEM;
  activate(s, outer) {
    ch_set_name("all of several events");
    for (unsigned i = 0; i < s->n && ch_event_is_outstanding_(outer); i++) {
      waituntil(ch_event_wait_(s->events[i])) {}
      or waituntil(ch_event_wait_(outer)) {}
    }
    if (ch_rendezvous_triggered_(&s->rendezvous) == s->n && ch_event_is_outstanding_(outer))
      ch_event_trigger(outer, 0, NULL);
    else
      ch_event_cancel_(outer);
    let_all_go(s);
  }
  return 0;
}

int ch_event_any_(unsigned n, ch_event made[], ch_event outer, unsigned kind, const char *site) {
  struct several *s = make_several(n, kind, made, site);
  if (!s)
    return ENOMEM;
  activate(s, outer) {
    ch_set_name("any of several events");
    int first = -1;
    waituntil(ch_rendezvous_wait(&s->rendezvous, &first, sizeof first, NULL)) {}
    or waituntil(ch_event_wait_(outer)) {}
    if (first >= 0 && ch_event_is_outstanding_(outer)) {
      struct ch_event_value values[] = {{&first, CH_KIND(first)}, {s->values + (size_t)first * s->stride, s->kind}};
      ch_event_trigger(outer, 2, values);
    }
    let_all_go(s);
  }
  return 0;
}
