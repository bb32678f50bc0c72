/* A connection: requests one after the other, in straight-line code. While nothing of a request is there, a connection
 * is one wait for the descriptor and has no buffers. */
#include "knot.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* What serving requests takes, while some are there. A few are kept for the next connections of the same thread. */
struct work {
  struct work *next;
  struct request request;
  struct output output;
  char bytes[16384];
};
enum { SPARE = 16 };
static _Thread_local struct work *spare;
static _Thread_local int spares;

static struct work *take_work(void) {
  struct work *w = spare;
  if (!w)
    return malloc(sizeof *w);
  spare = w->next;
  spares--;
  return w;
}

static void give_work_back(struct work *w) {
  if (spares == SPARE) {
    free(w);
    return;
  }
  w->next = spare;
  spare = w;
  spares++;
}

void forget_spares(void) {
  while (spare)
    free(take_work());
}

/* A connection of this thread on which no request comes at the moment. */
struct idle {
  struct idle *next, **place; /* the pointer to this one */
  int connection;
};
static _Thread_local struct idle *all_idle;

static void begin_idle(struct idle *i) {
  *i = (struct idle){.next = all_idle, .place = &all_idle, .connection = i->connection};
  if (i->next)
    i->next->place = &i->next;
  all_idle = i;
}

static void end_idle(struct idle *i) {
  *i->place = i->next;
  if (i->next)
    i->next->place = i->place;
}

atomic void end_idle_connections(void) {
  for (struct idle *i = all_idle; i; i = i->next)
    shutdown(i->connection, SHUT_RD); /* its wait ends as if the client had gone */
}

/* Reads what the client sends next, for as long as a request may take from its beginning. 0: nothing comes any more. */
static ssize_t receive(int connection, const struct request *r, int64_t began, char *to, size_t n) {
  ssize_t got = -1;
  if (!r->begun)
    return recv(connection, to, n, MSG_DONTWAIT);
  by(began + settings.timeout) do got = read(connection, to, n);
  finish;
  return got;
}

/* How a connection goes on: with other requests; not, and the client sends nothing; not, but the client may send. */
enum next { MORE, OVER, RESTLESS };

/* Answers the requests that have come, and one that has begun to come. */
static enum next serve_what_has_come(int connection, uint32_t address, struct work *w) {
  int64_t began = ch_now();
  w->output.to = connection; /* its bytes need not be zero */
  w->output.used = 0;
  w->output.failed = false;
  request_begin(&w->request);
  for (;;) {
    ssize_t got = receive(connection, &w->request, began, w->bytes, sizeof w->bytes);
    if (got <= 0) {
      bool empty = got < 0 && errno == EAGAIN && !w->request.begun;
      if (got < 0 && errno == ECANCELED)
        answer_status(&w->output, 408, true, false, "");
      return empty ? MORE : got == 0 ? OVER : RESTLESS;
    }
    for (size_t at = 0; at < (size_t)got && !w->output.failed;) {
      at += request_take(&w->request, w->bytes + at, (size_t)got - at);
      if (w->request.refused) {
        answer_status(&w->output, w->request.refused, true, false, "");
        log_request(address, &w->request, w->request.refused, 0, began);
        return RESTLESS;
      }
      if (!w->request.complete)
        continue;
      bool last = stopping || !request_keeps_alive(&w->request);
      long long sent;
      int status = answer(&w->output, &w->request, last, &sent);
      log_request(address, &w->request, status, sent, began);
      if (last)
        return at == (size_t)got ? OVER : RESTLESS;
      began = ch_now();
      request_begin(&w->request);
    }
    output_flush(&w->output);
    if (w->output.failed)
      return OVER;
    if ((size_t)got < sizeof w->bytes && !w->request.begun)
      return MORE;
  }
}

/* A client that still sends would get a reset, and might lose the answer for it. This waits until it has seen the end.
 * It is a function of its own because the bytes have a place in its frame, which `serve` has for as long as it lives.
 */
static __attribute__((noinline)) void let_it_see_the_end(int connection) {
  char rest[512];
  shutdown(connection, SHUT_WR);
  within(1000000000) do while (read(connection, rest, sizeof rest) > 0);
  finish;
}

void serve(int connection, uint32_t address) {
  struct idle idle = {.connection = connection};
  enum next next = MORE;
  for (bool served = false; next == MORE && !(served && stopping); served = true) {
    if (served) /* the first request of a connection is waited for, also at the end */
      begin_idle(&idle);
    next = ch_fd_wait(connection, POLLIN, stopping ? 1000000000 : settings.idle) > 0 ? MORE : OVER;
    if (served)
      end_idle(&idle);
    if (next == MORE) {
      struct work *w = take_work();
      next = serve_what_has_come(connection, address, w);
      output_flush(&w->output);
      give_work_back(w);
    }
  }
  if (next != OVER)
    let_it_see_the_end(connection);
  close(connection);
}
