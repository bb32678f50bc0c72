// A Charcoal domain inside a libuv loop: three handles of libuv that call the functions of charcoal/loop.h.
#ifndef UV_LOOP_H
#define UV_LOOP_H

#include <charcoal.h>
#include <charcoal/loop.h>
#include <uv.h>

struct guest {
  uv_prepare_t before; // libuv is about to wait
  uv_poll_t news;
  uv_timer_t due;
};

static inline void guest_news(uv_poll_t *handle, int status, int events) { (void)handle, (void)status, (void)events; }
static inline void guest_due(uv_timer_t *handle) { (void)handle; }

static inline void guest_step(uv_prepare_t *handle) {
  struct guest *g = handle->data;
  ch_loop_step();
  int64_t ns = ch_loop_timeout();
  if (ns == CH_FOREVER)
    uv_timer_stop(&g->due);
  else
    uv_timer_start(&g->due, guest_due, (uint64_t)(ns + 999999) / 1000000, 0);
}

// The domain's activities run in uv_run(loop) from now on; the loop goes on while `g` is in it.
static inline int guest_join(struct guest *g, uv_loop_t *loop) {
  int fd = ch_loop_fd();
  if (fd < 0)
    return -errno;
  uv_prepare_init(loop, &g->before);
  uv_timer_init(loop, &g->due);
  uv_poll_init(loop, &g->news, fd);
  g->before.data = g;
  uv_prepare_start(&g->before, guest_step);
  return uv_poll_start(&g->news, UV_READABLE, guest_news);
}

static inline void guest_leave(struct guest *g) {
  uv_close((uv_handle_t *)&g->before, NULL);
  uv_close((uv_handle_t *)&g->news, NULL);
  uv_close((uv_handle_t *)&g->due, NULL);
}

#endif
