/* libuv's streams: one shared read buffer, uv_try_write first, and a write request only for what the kernel would not
 * take. */
#include "../common/serve.h"
#include <string.h>
#include <uv.h>

struct pending {
  uv_write_t request;
  char text[256];
};

static void closed(uv_handle_t *handle) { free(handle); }

static void buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  static char text[256];
  (void)handle, (void)suggested;
  *out = uv_buf_init(text, sizeof text);
}

static void written(uv_write_t *request, int status) {
  (void)status;
  free(request);
}

static void arrived(uv_stream_t *client, ssize_t got, const uv_buf_t *text) {
  if (got < 0) {
    uv_close((uv_handle_t *)client, closed);
    return;
  }
  uv_buf_t rest = uv_buf_init(text->base, (unsigned)got);
  int put = uv_try_write(client, &rest, 1);
  put = put < 0 ? 0 : put;
  if (put == got)
    return;
  struct pending *pending = malloc(sizeof *pending);
  if (!pending)
    exit(1);
  memcpy(pending->text, text->base + put, (size_t)(got - put));
  rest = uv_buf_init(pending->text, (unsigned)(got - put));
  uv_write(&pending->request, client, &rest, 1, written);
}

static void welcome(uv_stream_t *listener, int status) {
  uv_tcp_t *client = malloc(sizeof *client);
  if (!client || status < 0)
    exit(1);
  uv_tcp_init(listener->loop, client);
  if (uv_accept(listener, (uv_stream_t *)client)) {
    uv_close((uv_handle_t *)client, closed);
    return;
  }
  uv_tcp_nodelay(client, 1);
  uv_read_start((uv_stream_t *)client, buffer, arrived);
}

int main(void) {
  uv_tcp_t listener;
  uv_loop_t *loop = uv_default_loop();
  uv_tcp_init(loop, &listener);
  if (uv_tcp_open(&listener, announce(SOCK_NONBLOCK)) || uv_listen((uv_stream_t *)&listener, 4096, welcome))
    return 1;
  return uv_run(loop, UV_RUN_DEFAULT);
}
