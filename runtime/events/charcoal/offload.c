/* A call on a thread of the pool as the source of an event: an activity waits for it. */
#include "charcoal.h"
#include <charcoal/dialect.h>
#include <errno.h>
#include "charcoal/events.h"
#include "charcoal/offload.h"

int ch_event_offload_(void (*function)(void *), void *argument, ch_event e) {
  if (!ch_event_is_outstanding_(e))
    return ESTALE;
  activate(function, argument, e) {
    ch_set_name("offload for an event");
    ch_offload(function, argument);
    ch_event_trigger(e, 0, 0);
  }
  return 0;
}
