/* What the servers on libuv share: libuv's streams, which all read into one buffer. */
#ifndef BENCH_UV_SERVE_H
#define BENCH_UV_SERVE_H

#include "serve.h"
#include <uv.h>

static uv_read_cb arrived_; /* what uv_serve was given */

static inline void closed(uv_handle_t *handle) { free(handle); }

static inline void buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  static char text[4096];
  (void)handle, (void)suggested;
  *out = uv_buf_init(text, sizeof text);
}

static inline void welcome(uv_stream_t *listener, int status) {
  uv_tcp_t *client = malloc(sizeof *client);
  if (!client || status < 0)
    exit(1);
  uv_tcp_init(listener->loop, client);
  if (uv_accept(listener, (uv_stream_t *)client)) {
    uv_close((uv_handle_t *)client, closed);
    return;
  }
  uv_tcp_nodelay(client, 1);
  uv_read_start((uv_stream_t *)client, buffer, arrived_);
}

/* Runs until there is nothing more to do; the result is main's. `arrived` is called with what each connection sends. */
static inline int uv_serve(uv_read_cb arrived) {
  uv_tcp_t listener;
  uv_loop_t *loop = uv_default_loop();
  arrived_ = arrived;
  uv_tcp_init(loop, &listener);
  if (uv_tcp_open(&listener, announce(SOCK_NONBLOCK)) || uv_listen((uv_stream_t *)&listener, 4096, welcome))
    return 1;
  return uv_run(loop, UV_RUN_DEFAULT);
}

#endif
