/* Callbacks over the channels of channel.h, in the style of paper 002, figure 1. One handler is called for each message
 * that comes. Another one is called once there is room for a message that could not be sent. */
#ifndef BENCH_CALLBACKS_H
#define BENCH_CALLBACKS_H

#include "channel.h"

struct port {
  struct end end;
  void (*on_receive)(struct port *, const struct message *);
  void (*on_send)(struct port *); /* NULL: nobody waits for room */
  void *state;
};

/* Looks at each port once and calls the handlers of those where something happened. */
static inline void dispatch(struct port *ports, int n) {
  struct message m;
  for (int i = 0; i < n; i++) {
    struct port *p = &ports[i];
    if (p->on_receive && try_receive(&p->end, &m))
      p->on_receive(p, &m);
    if (p->on_send && has_room(&p->end)) {
      void (*handler)(struct port *) = p->on_send;
      p->on_send = NULL;
      handler(p);
    }
  }
}

#endif
