/* Both sides of the ping-pong as callbacks by hand. Message i carries i; its reply has to be answer(i). */
#include "../common/callbacks.h"
#include "../common/measure.h"

enum { BATCH = 1000 }; /* round trips that are timed together; the best batch counts */

static uint64_t answer(uint64_t i) { return i * 3 + 1; }

/* The times of batches, in either style. */
struct stopwatch {
  double start, best;
};

static void lap(struct stopwatch *w, unsigned long round) {
  if (round % BATCH)
    return;
  double now = now_ns();
  if (round > 0 && (w->best == 0 || now - w->start < w->best))
    w->best = now - w->start;
  w->start = now;
}

struct pinger {
  unsigned long next, count;
  uint64_t sum;
  struct stopwatch watch;
};

static void send_ping(struct port *p) {
  struct pinger *pinger = p->state;
  struct message m = {{pinger->next}};
  if (!try_send(&p->end, &m))
    p->on_send = send_ping;
}

static void got_pong(struct port *p, const struct message *m) {
  struct pinger *pinger = p->state;
  pinger->sum += m->word[0];
  pinger->next++;
  lap(&pinger->watch, pinger->next);
  if (pinger->next < pinger->count)
    send_ping(p);
}

static void ping_by_callbacks(struct end end, struct pinger *pinger) {
  struct port port = {.end = end, .on_receive = got_pong, .state = pinger};
  lap(&pinger->watch, 0);
  send_ping(&port);
  while (pinger->next < pinger->count)
    dispatch(&port, 1);
}

struct ponger {
  unsigned long served;
  struct message reply; /* what waits for room */
};

static void send_pong(struct port *p) {
  struct ponger *ponger = p->state;
  if (try_send(&p->end, &ponger->reply))
    ponger->served++;
  else
    p->on_send = send_pong;
}

static void got_ping(struct port *p, const struct message *m) {
  struct ponger *ponger = p->state;
  ponger->reply.word[0] = answer(m->word[0]);
  send_pong(p);
}

static void pong_by_callbacks(struct end end, unsigned long count) {
  struct ponger ponger = {0};
  struct port port = {.end = end, .on_receive = got_ping, .state = &ponger};
  while (ponger.served < count)
    dispatch(&port, 1);
}

/* The two ends of a pair of channels. */
static void make_ends(struct end *first, struct end *second) {
  struct channel(*shared)[2] = share_channels(1);
  *first = (struct end){.out = &shared[0][0], .in = &shared[0][1]};
  *second = (struct end){.out = &shared[0][1], .in = &shared[0][0]};
}

/* Starts the other process, on core 1, and returns the end of the caller, on core 0; in the other, 1 and its end. */
static int start_other(struct end *end) {
  struct end other;
  make_ends(end, &other);
  pid_t child = fork();
  if (child < 0)
    exit(1);
  be_on_core(child == 0);
  if (child == 0)
    *end = other;
  return child == 0;
}

static void report_pings(const struct pinger *pinger) {
  unsigned long n = pinger->count;
  expect(pinger->sum, 3 * (n * (n - 1) / 2) + n);
  report("time", pinger->watch.best / BATCH, "ns/round trip", pinger->sum);
}
