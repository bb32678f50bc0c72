/* Windowed control flow: ch_window (charcoal/events.h). */
#include "charcoal.h"
#include <charcoal/dialect.h>
#include <errno.h>
#include "charcoal/events.h"

int ch_event_window_(size_t n, size_t window, void (*start)(size_t, void *, ch_event), void *data, const char *site) {
  struct ch_rendezvous r = {0};
  int error = window ? 0 : EINVAL;
  size_t begun = 0, ended = 0;
  while (!error && ended < n) {
    if (begun < n && begun - ended < window) {
      start(begun++, data, ch_event_make(&r, NULL, 0, 0, NULL, site));
    } else {
      error = ch_rendezvous_wait(&r, NULL, 0, site);
      ended += !error;
    }
  }
  ch_rendezvous_cancel_(&r);
  ch_rendezvous_destroy_(&r);
  return error;
}
