/* libuv's streams. All connections read into one buffer; uv_try_write comes first, and a write request is made only for
 * what the kernel would not take. */
#include "../common/uv_serve.h"
#include <string.h>

struct pending {
  uv_write_t request;
  char text[];
};

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
  struct pending *pending = malloc(sizeof *pending + (size_t)(got - put));
  if (!pending)
    exit(1);
  memcpy(pending->text, text->base + put, (size_t)(got - put));
  rest = uv_buf_init(pending->text, (unsigned)(got - put));
  uv_write(&pending->request, client, &rest, 1, written);
}

int main(void) { return uv_serve(arrived); }
