/* A connection: requests one after the other, in straight-line code. While nothing of a request is there, a connection
 * is one wait for the descriptor and has no buffers. */
#include "knot.h"
#include <charcoal/server.h>
#include <poll.h>

/* What serving requests takes, while some are there. */
struct work {
  struct request request;
  struct ch_output output;
  char bytes[16384];
};

/* How a connection goes on. */
enum next {
  MORE,           /* other requests may come */
  CLOSE,          /* it is closed, for the client does not send any more */
  DRAIN_AND_CLOSE /* it is closed, but the client may still send */
};

/* Reads a request, with a time limit for the whole of it. If nothing of it is there, it does not wait. Returns MORE if
 * there is a request, which may be refused; otherwise it says in *next how the connection goes on. */
static bool receive(struct connection *c, struct work *w, enum next *next) {
  struct request *r = &w->request;
  ssize_t got = 1;
  request_begin(r);
  within(settings.timeout) do {
    while (got > 0 && !request_parse(r)) {
      ch_output_flush(&w->output);
      got = tls_read(c, r->bytes + r->end, sizeof r->bytes - r->end, r->end > 0);
      r->end += got > 0 ? (size_t)got : 0;
    }
  }
  finish;
  if (got < 0 && errno == ECANCELED)
    r->refused = 408;
  *next = got < 0 && errno == EAGAIN ? MORE : CLOSE;
  return got > 0 || r->refused;
}

/* Answers the requests that have come, and one that has begun to come. */
static enum next serve_what_has_come(struct connection *c, struct work *w) {
  struct request *r = &w->request;
  enum next next;
  do {
    int64_t began = ch_now();
    if (!receive(c, w, &next))
      return next;
    bool last = r->refused || stopping || !llhttp_should_keep_alive(&r->parser);
    struct answer a = {.to = &w->output, .request = r, .last = last};
    answer(&a);
    log_answer(&a, c->fd, began);
    if (last)
      return r->parsed == r->end && !r->refused ? CLOSE : DRAIN_AND_CLOSE;
  } while (!w->output.error && (r->parsed < r->end || tls_has_more(c)));
  return w->output.error ? CLOSE : MORE;
}

/* Nothing interrupts a request that has begun to come. This is not inlined: what lies in the frame of `serve` is there
 * for as long as the connection, also while that is idle. */
static noncancellable __attribute__((noinline)) enum next serve_some(struct connection *c) {
  struct work *w = malloc(sizeof *w);
  if (!w)
    return CLOSE;
  w->request.parsed = w->request.end = 0;
  w->output = (struct ch_output){.fd = c->fd, .timeout = settings.timeout, .bytes = w->bytes, .size = sizeof w->bytes};
  if (c->tls) {
    w->output.write = tls_write;
    w->output.to = c;
  }
  enum next next = serve_what_has_come(c, w);
  ch_output_flush(&w->output);
  free(w);
  return next;
}

void serve(int fd, void *unused) {
  (void)unused;
  struct connection c = {.fd = fd};
  enum next next = MORE;
  for (bool first = true; next == MORE && (first || !stopping); first = false) {
    int came = ch_fd_wait(fd, POLLIN, settings.idle);
    if (came <= 0 && first && stopping) /* a client that has come just before the end gets a moment */
      noncancellable came = ch_fd_wait(fd, POLLIN, SECOND);
    next = came <= 0 || (first && !tls_begin(&c)) ? CLOSE : serve_some(&c);
  }
  tls_end(&c);
  if (next == DRAIN_AND_CLOSE)
    noncancellable ch_hang_up(fd, SECOND);
  else
    close(fd);
}
