/* A connection: requests one after the other, in straight-line code. While nothing of a request is there, a connection
 * is one wait for the descriptor and has no buffers. */
#include "knot.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* What serving requests takes, while some are there. */
struct work {
  struct request request;
  struct output output;
  char bytes[16384];
};

/* How a connection goes on. */
enum next {
  MORE,           /* other requests may come */
  CLOSE,          /* it is closed, for the client does not send any more */
  DRAIN_AND_CLOSE /* it is closed, but the client may still send */
};

/* Reads what the client has sent. If a request has begun, it waits for more, until the request's time is over. */
static ssize_t receive(struct connection *c, struct work *w, int64_t began) {
  ssize_t got = -1;
  bool waits = w->request.begun;
  by(began + settings.timeout) do {
    if (c->tls)
      got = tls_read(c, w->bytes, sizeof w->bytes, waits);
    else
      got = recv(c->fd, w->bytes, sizeof w->bytes, waits ? 0 : MSG_DONTWAIT);
  }
  finish;
  return got;
}

/* Answers the requests that have come, and one that has begun to come. */
static enum next serve_what_has_come(struct connection *c, struct work *w) {
  int64_t began = ch_now();
  w->output.to = c; /* its bytes need not be zero */
  w->output.used = 0;
  w->output.failed = false;
  request_begin(&w->request);
  for (;;) {
    ssize_t got = receive(c, w, began);
    if (got < 0 && errno == EAGAIN && !w->request.begun)
      return MORE;
    if (got < 0 && errno == ECANCELED)
      answer_status(&w->output, 408, true, false, "");
    if (got <= 0)
      return got == 0 ? CLOSE : DRAIN_AND_CLOSE;
    for (size_t at = 0; at < (size_t)got && !w->output.failed;) {
      at += request_take(&w->request, w->bytes + at, (size_t)got - at);
      if (!w->request.refused && !w->request.complete)
        continue;
      bool last = w->request.refused || stopping || !llhttp_should_keep_alive(&w->request.parser);
      long long sent = 0;
      int status = w->request.refused ? answer_status(&w->output, w->request.refused, last, false, "")
                                      : answer(&w->output, &w->request, last, &sent);
      log_request(c->address, &w->request, status, sent, began);
      if (last)
        return at == (size_t)got && !w->request.refused ? CLOSE : DRAIN_AND_CLOSE;
      began = ch_now();
      request_begin(&w->request);
    }
    output_flush(&w->output);
    if (w->output.failed)
      return CLOSE;
    if ((size_t)got < sizeof w->bytes && !w->request.begun && !c->tls)
      return MORE; /* OpenSSL is asked again, for it may have read more than it has given */
  }
}

/* Nothing interrupts a request that has begun to come. */
static noncancellable __attribute__((noinline)) enum next serve_some(struct connection *c) {
  struct work *w = malloc(sizeof *w);
  if (!w)
    return CLOSE;
  enum next next = serve_what_has_come(c, w);
  output_flush(&w->output);
  free(w);
  return next;
}

/* If the connection were closed while the client still sends, the client would get a reset, and might lose the answer.
 * This waits until the client has closed its side. Like serve_some it is not inlined: what lies in the frame of `serve`
 * is there for as long as the connection, also while that is idle. */
static noncancellable __attribute__((noinline)) void drain(int connection) {
  char rest[512];
  shutdown(connection, SHUT_WR);
  within(1000000000) do {
    while (read(connection, rest, sizeof rest) > 0) {
    }
  }
  finish;
}

/* A client that has come just before the end gets a moment for its first request. */
static noncancellable __attribute__((noinline)) bool last_request_comes(int connection) {
  return ch_fd_wait(connection, POLLIN, 1000000000) > 0;
}

void serve(int connection, uint32_t address) {
  struct connection c = {.fd = connection, .address = address};
  enum next next = MORE;
  for (bool first = true; next == MORE && (first || !stopping); first = false)
    if (ch_fd_wait(connection, POLLIN, settings.idle) <= 0 && !(first && stopping && last_request_comes(connection)))
      next = CLOSE;
    else if (first && !tls_begin(&c))
      next = CLOSE;
    else
      next = serve_some(&c);
  if (c.tls)
    tls_end(&c);
  if (next == DRAIN_AND_CLOSE)
    drain(connection);
  close(connection);
}
