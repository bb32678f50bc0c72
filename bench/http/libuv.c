/* libuv's streams: one shared read buffer, uv_try_write first, and a write request only for what the kernel would not
 * take (see minimal.h for what it cannot do). */
#include "minimal.h"

#include "../common/serve.h"
#include <uv.h>

struct pending {
  uv_write_t request;
  int last;
  char head[300];
};

static void closed(uv_handle_t *handle) { free(handle); }

static void buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  static char text[4096];
  (void)handle, (void)suggested;
  *out = uv_buf_init(text, sizeof text);
}

static void written(uv_write_t *request, int status) {
  struct pending *pending = (struct pending *)request;
  if (status < 0 || pending->last)
    uv_close((uv_handle_t *)request->handle, closed);
  free(pending);
}

static void arrived(uv_stream_t *client, ssize_t got, const uv_buf_t *text) {
  char head[300];
  int head_size, last;
  const struct page *page = got > 0 ? reply(text->base, (size_t)got, head, &head_size, &last) : NULL;
  if (!page) {
    if (got != 0)
      uv_close((uv_handle_t *)client, closed);
    return;
  }
  uv_buf_t part[2] = {uv_buf_init(head, (unsigned)head_size), uv_buf_init(page->content, (unsigned)page->size)};
  int put = uv_try_write(client, part, 2);
  size_t done = put < 0 ? 0 : (size_t)put, all = (size_t)head_size + page->size;
  if (done == all) {
    if (last)
      uv_close((uv_handle_t *)client, closed);
    return;
  }
  struct pending *pending = malloc(sizeof *pending);
  memcpy(pending->head, head, sizeof head);
  pending->last = last;
  size_t of_head = done < (size_t)head_size ? done : (size_t)head_size, of_body = done - of_head;
  part[0] = uv_buf_init(pending->head + of_head, (unsigned)((size_t)head_size - of_head));
  part[1] = uv_buf_init(page->content + of_body, (unsigned)(page->size - of_body));
  uv_write(&pending->request, client, part, 2, written);
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

int main(int argc, char **argv) {
  uv_tcp_t listener;
  uv_loop_t *loop = uv_default_loop();
  read_pages(argv[argc - 1]);
  uv_tcp_init(loop, &listener);
  if (uv_tcp_open(&listener, announce(SOCK_NONBLOCK)) || uv_listen((uv_stream_t *)&listener, 4096, welcome))
    return 1;
  return uv_run(loop, UV_RUN_DEFAULT);
}
