/* A connection: requests one after the other, in straight-line code. As long as no byte of a request has come, a
 * connection is one wait for the descriptor and has no buffers. */
#include "knot.h"
#include <charcoal/server.h>
#include <poll.h>

struct connection {
  int fd;
  bool agreed; /* false: the two sides could not agree upon TLS */
  SSL *tls;    /* NULL: the connection is not encrypted */
};

/* What serving requests takes, while some are there. */
struct work {
  struct request request;
  struct ch_output output;
  char bytes[16384];
};

/* How a connection goes on. */
enum next {
  ANSWER,         /* a request is there, which may be refused */
  MORE,           /* other requests may come */
  CLOSE,          /* it is closed, for the client does not send any more */
  DRAIN_AND_CLOSE /* it is closed, but the client may still send */
};

/* Reads what has come. If it is not to wait and nothing is there, it fails with EAGAIN. */
static ssize_t read_some(struct connection c, void *to, size_t n, bool waits) {
  return c.tls ? ch_ssl_read(c.tls, to, (int)n, waits ? 0 : CH_SSL_DONTWAIT)
               : recv(c.fd, to, n, waits ? 0 : MSG_DONTWAIT);
}

/* Reads a request, with a time limit for the whole of it. If nothing of it is there, it does not wait. */
static enum next receive(struct connection c, struct work *w) {
  struct request *r = &w->request;
  ssize_t got = 1;
  request_begin(r);
  within(settings.timeout) do {
    while (got > 0 && !request_parse(r)) {
      ch_output_flush(&w->output);
      got = read_some(c, r->bytes + r->end, sizeof r->bytes - r->end, r->end > 0);
      r->end += got > 0 ? (size_t)got : 0;
    }
  }
  finish;
  if (got < 0 && errno == ECANCELED)
    r->refused = 408;
  return got > 0 || r->refused ? ANSWER : got < 0 && errno == EAGAIN ? MORE : CLOSE;
}

/* Answers the requests that have come, and one that has begun to come. */
static enum next serve_what_has_come(struct connection c, struct work *w) {
  struct request *r = &w->request;
  do {
    int64_t began = ch_now();
    enum next next = receive(c, w);
    if (next != ANSWER)
      return next;
    bool last = r->refused || stopping || !llhttp_should_keep_alive(&r->parser);
    struct answer a = {.to = &w->output, .request = r, .last = last};
    answer(&a);
    log_answer(&a, c.fd, began);
    if (last)
      return r->parsed == r->end && !r->refused ? CLOSE : DRAIN_AND_CLOSE;
  } while (!w->output.error && (r->parsed < r->end || (c.tls && SSL_has_pending(c.tls))));
  return w->output.error ? CLOSE : MORE;
}

/* Nothing interrupts a request that has begun to come.
 *
 * What `serve` calls is not inlined: the locals of `serve` take memory for as long as the connection, also while that
 * is idle. */
static noncancellable __attribute__((noinline)) enum next serve_some(struct connection c) {
  struct work *w = malloc(sizeof *w);
  if (!w)
    return CLOSE;
  w->request.parsed = w->request.end = 0;
  w->output = (struct ch_output){.fd = c.fd, .timeout = settings.timeout, .bytes = w->bytes, .size = sizeof w->bytes};
  w->output.write = c.tls ? ch_ssl_output : NULL;
  w->output.to = c.tls;
  enum next next = serve_what_has_come(c, w);
  ch_output_flush(&w->output);
  free(w);
  return next;
}

/* If the first bytes of a connection begin TLS, all that follows is encrypted. */
static __attribute__((noinline)) struct connection begin(int fd) {
  struct connection c = {.fd = fd, .agreed = true};
  if (!settings.tls || !ch_ssl_begins(fd))
    return c;
  c.tls = ch_ssl_new(settings.tls, fd);
  within(settings.timeout) do c.agreed = c.tls && ch_ssl_accept(c.tls) > 0;
  finish;
  return c;
}

/* Waits for the first bytes. A client that has come just before the end gets a moment. */
static __attribute__((noinline)) bool wait_for_first(int fd) {
  int came = ch_fd_wait(fd, POLLIN, settings.idle);
  if (came == -ECANCELED)
    noncancellable came = ch_fd_wait(fd, POLLIN, SECOND);
  return came > 0;
}

static noncancellable __attribute__((noinline)) void end(struct connection c, enum next next) {
  ch_ssl_end(c.tls);
  if (next == DRAIN_AND_CLOSE)
    ch_hang_up(c.fd, SECOND);
  else
    close(c.fd);
}

void serve(int fd, void *unused) {
  (void)unused;
  bool has_come = wait_for_first(fd);
  struct connection c = has_come ? begin(fd) : (struct connection){.fd = fd};
  enum next next = c.agreed ? serve_some(c) : CLOSE;
  while (next == MORE)
    next = ch_fd_wait(c.fd, POLLIN, settings.idle) > 0 ? serve_some(c) : CLOSE;
  end(c, next);
}
