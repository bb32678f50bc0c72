/* Adapters: events that are made from other events or from futures, with a time limit, with another value, or for
 * several events. Each adapter is an activity that waits. */
#include "charcoal.h"
#include <charcoal/dialect.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "charcoal/events.h"
#include "charcoal/future.h"

/* The rendezvous of an event that an adapter has made, and the value that it got. */
struct held {
  struct ch_rendezvous rendezvous;
  ch_event event;
  unsigned kind;
  _Alignas(16) char value[];
};

static struct held *hold(unsigned kind, const char *site) {
  struct held *h = calloc(1, sizeof *h + (kind >> 4));
  if (!h)
    return NULL;
  h->kind = kind;
  h->event = ch_event_make(&h->rendezvous, NULL, 0, kind != 0,
                           (struct ch_event_slot_made[]){{h->value, kind, NULL, NULL, 0}}, site);
  return h;
}
static bool was_triggered(struct held *h) { return ch_rendezvous_triggered_(&h->rendezvous) != 0; }
static void let_go(struct held *h) {
  ch_rendezvous_cancel_(&h->rendezvous);
  ch_rendezvous_destroy_(&h->rendezvous);
  free(h);
}

int ch_event_on_future_(struct ch_future *f, ch_event e) {
  if (!ch_event_is_outstanding_(e))
    return ESTALE;
  activate(f, e) {
    ch_set_name("future for an event");
    int error = 0;
    bool is_set = false;
    if (!ch_event_is_outstanding_(e))
      return; /* the future may no longer exist */
    waituntil(ch_event_wait_(e)) {}
    or waituntil((error = ch_future_get(f, NULL, 0))) { is_set = true; }
    if (is_set && ch_event_is_outstanding_(e))
      ch_event_trigger(e, 1, (struct ch_event_value[]){{&error, CH_KIND(error)}});
  }
  return 0;
}

ch_event ch_event_for_future_(struct ch_future *f, unsigned kind, const char *site) {
  struct held *h = hold(kind, site);
  if (!h)
    return NULL;
  activate(f, h) {
    ch_set_name("event for a future");
    ch_event_wait_(h->event);
    if (was_triggered(h))
      ch_future_put(f, h->value, h->kind >> 4, 0);
    else
      ch_future_put(f, NULL, 0, ECANCELED);
    let_go(h);
  }
  return h->event;
}

ch_event ch_event_within_(int64_t duration, int signal, ch_event outer, unsigned kind, const char *site) {
  struct held *h = hold(kind, site);
  if (!h)
    return NULL;
  const int64_t now = ch_now(), end = duration < CH_FOREVER - now ? now + duration : CH_FOREVER;
  activate(h, outer, end, signal) {
    ch_set_name("limit of an event");
    bool is_late = false;
    int number;
    sigset_t signals;
    sigemptyset(&signals);
    if (signal)
      sigaddset(&signals, signal);
    waituntil(ch_event_wait_(h->event)) {}
    or when(!signal) waituntil(ch_sleep_until(end)) { is_late = true; }
    or when(signal) waituntil(sigwait(&signals, &number)) { is_late = true; }
    or waituntil(ch_event_wait_(outer)) {}
    const bool in_time = was_triggered(h);
    struct ch_event_value values[] = {{&in_time, CH_KIND(in_time)}, {h->value, h->kind}};
    if (ch_event_is_outstanding_(outer) && (in_time || is_late))
      ch_event_trigger(outer, in_time ? 2 : 1, values);
    else
      ch_event_cancel_(outer);
    let_go(h);
  }
  return h->event;
}

/* ---- events that trigger others ---- */

/* A copy of what is bound, or room for what `map` makes. NULL with *failed: no memory. */
static void *room_for(const struct ch_event_relay *relay, bool *failed) {
  void *room = relay->bound || relay->map ? malloc(relay->out >> 4) : NULL;
  *failed = !room && (relay->bound || relay->map);
  if (room && relay->bound)
    memcpy(room, relay->bound, relay->out >> 4);
  return room;
}

ch_event ch_event_relay_(struct ch_event_relay relay, const char *site) {
  bool failed;
  void *made = room_for(&relay, &failed);
  struct held *h = failed ? NULL : hold(relay.in, site);
  if (!h) {
    free(made);
    return NULL;
  }
  activate(h, relay, made) {
    ch_set_name("event that triggers others");
    if (relay.and_to) {
      waituntil(ch_event_wait_(h->event)) {}
      or(waituntil(ch_event_wait_(relay.to)) {} and waituntil(ch_event_wait_(relay.and_to)){})
    } else {
      waituntil(ch_event_wait_(h->event)) {}
      or waituntil(ch_event_wait_(relay.to)) {}
    }
    if (was_triggered(h)) {
      if (relay.map)
        relay.map(h->value, made);
      struct ch_event_value value = {made ? made : h->value, relay.out};
      for (int i = 0; i < 2; i++)
        if (ch_event_is_outstanding_(i ? relay.and_to : relay.to))
          ch_event_trigger(i ? relay.and_to : relay.to, relay.out != 0, &value);
    } else {
      ch_event_cancel_(relay.to);
      ch_event_cancel_(relay.and_to);
    }
    let_go(h);
    free(made);
  }
  return h->event;
}
