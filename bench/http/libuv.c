/* libuv's streams. All connections read into one buffer; uv_try_write comes first, and a write request is made only for
 * what the kernel would not take. minimal.h says what this server cannot do. */
#include "minimal.h"

#include "../common/uv_serve.h"

struct pending {
  uv_write_t request;
  int last;
  char head[300];
};

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

int main(int argc, char **argv) {
  read_pages(argv[argc - 1]);
  return uv_serve(arrived);
}
