#include <charcoal/broadcast.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/watch.h>
void serve(channel(int) *c);
void f(channel(int) *c, channel(double) *other, future(int) *v, broadcast(int) *b, subscription(double) *s,
       watch(int) *w) {
  double d = 0;
  const char *text = 0;
  uint64_t seen = 0;
  serve(other);
  ch_send(c, &d);
  ch_recv(c, &text);
  ch_try_send(c, 5);
  ch_recv_some(c, &d, 1);
  ch_send(d, &d);
  ch_get(v, &d);
  ch_future_set(v, text);
  ch_publish(b, &d);
  ch_subscribe(b, s);
  ch_next(s, &text);
  ch_watch_set(w, text);
  ch_watch_get(w, &d);
  ch_watch_next(w, &seen, &d);
}
