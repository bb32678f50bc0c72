#include <charcoal.h>
#include <charcoal/broadcast.h>
#include <charcoal/channel.h>
#include <charcoal/events.h>
#include <charcoal/future.h>
#include <charcoal/watch.h>
void send(channel(int) *c, future(int) *f, int x) {
  ch_send(f, &x);
  ch_get(c, &x);
  ch_future_set(c, 5);
  ch_watch_set(f, 5);
  ch_publish(c, &x);
}
void end(channel(int) *c, broadcast(int) *b, watch(int) *w, int *n) {
  ch_close(n);
  ch_close(b);
  (void)ch_length(w);
  ch_broadcast_close(c);
  ch_future_reset(c);
  ch_watch_close(c);
}
