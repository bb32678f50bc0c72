/* uv_fs_read, which libuv's pool of threads carries out. The pool has as many threads as the depth says, or its
 * maximum. */
#include "file.h"
#include <uv.h>

static struct work w;

static void finished(uv_fs_t *request);

static void submit_next(uv_fs_t *request) {
  unsigned which = (unsigned)(uintptr_t)request->data;
  uv_buf_t buffer = uv_buf_init(w.buffers + which * w.size, (unsigned)w.size);
  int error = uv_fs_read(uv_default_loop(), request, w.fd, &buffer, 1, place(&w, w.next++), finished);
  if (error) {
    errno = -error;
    stop("uv_fs_read");
  }
}

static void finished(uv_fs_t *request) {
  account(&w, w.buffers + (uintptr_t)request->data * w.size, request->result);
  uv_fs_req_cleanup(request);
  if (w.next < w.count)
    submit_next(request);
}

int main(int argc, char **argv) {
  static uv_fs_t requests[MOST_DEPTH];
  char threads[12];
  w = prepare(argc, argv);
  snprintf(threads, sizeof threads, "%u", w.depth < 64 ? w.depth : 64);
  setenv("UV_THREADPOOL_SIZE", threads, 1);
  for (unsigned i = 0; i < w.depth && w.next < w.count; i++) {
    requests[i].data = (void *)(uintptr_t)i;
    submit_next(&requests[i]);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  report_reads(&w);
}
