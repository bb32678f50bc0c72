/* The clients of a server under load, for drivers (see drive.h). Each connection has at most one question under way,
 * and the times that the answers take are kept. A file that includes this one defines `ask` and `take`. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "drive.h"
#include <sys/epoll.h>

/* Sends the next question of connection i. */
static void ask(int i);
/* Reads what has come on connection i, and ends the driver if it is wrong. Returns whether the whole answer is there.
 */
static int take(int i);

enum { STEPS = 64, OCTAVES = 40 };

static struct {
  int *fds, epoll;
  double *asked; /* when the question that is under way on a connection was sent */
  unsigned long answered, histogram[OCTAVES * STEPS], measured;
  int measuring;
} load;

static void load_begin(int connections) {
  load.fds = calloc((size_t)connections, sizeof *load.fds);
  load.asked = calloc((size_t)connections, sizeof *load.asked);
  load.epoll = epoll_create1(0);
}

/* Opens connection i. */
static void load_open(struct server server, int i) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
  load.fds[i] = connect_to(server);
  if (epoll_ctl(load.epoll, EPOLL_CTL_ADD, load.fds[i], &event))
    fail("epoll_ctl");
}

static void load_ask(int i) {
  load.asked[i] = now_ns();
  ask(i);
}

/* 64 steps an octave: 1.1 % wide. */
static void load_note(double ns) {
  unsigned long x = ns < 64 ? 64 : (unsigned long)ns;
  int octave = 63 - __builtin_clzl(x);
  load.histogram[octave * STEPS + (int)((x >> (octave - 6)) & 63)]++;
  load.measured++;
}

/* The time within which the fraction q of the answers came, in us. */
static double load_quantile(double q) {
  unsigned long seen = 0;
  for (int i = 0; i < OCTAVES * STEPS; i++)
    if ((seen += load.histogram[i]) >= q * (double)load.measured && seen > 0)
      return (double)((64UL + (unsigned)(i % STEPS)) << (i / STEPS)) / 64e3;
  return 0;
}

static int load_take(int i) {
  if (!take(i))
    return 0;
  if (load.measuring)
    load_note(now_ns() - load.asked[i]);
  load.answered++;
  return 1;
}

static int load_wait(struct epoll_event ready[256]) {
  int n = epoll_wait(load.epoll, ready, 256, 20000);
  if (n <= 0)
    fail("no answer for 20 s");
  return n;
}

/* One question on each of [from, to), `width` at a time. */
static void load_round(int from, int to, int width) {
  struct epoll_event ready[256];
  int asked = from, done = from;
  while (done < to) {
    while (asked < to && asked - done < width)
      load_ask(asked++);
    for (int i = 0, n = load_wait(ready); i < n; i++)
      done += load_take((int)ready[i].data.u32);
  }
}

/* Keeps all of [from, to) busy until the deadline, and waits for the last answers. */
static void load_work(int from, int to, double deadline) {
  struct epoll_event ready[256];
  int under_way = to - from;
  for (int i = from; i < to; i++)
    load_ask(i);
  while (under_way > 0) {
    int n = load_wait(ready), more = now_ns() < deadline;
    for (int i = 0; i < n; i++) {
      int which = (int)ready[i].data.u32;
      if (!load_take(which))
        continue;
      if (more)
        load_ask(which);
      else
        under_way--;
    }
  }
}

/* Opens [from, to), and asks each of them once. */
static void load_open_all(struct server server, int from, int to) {
  for (int i = from; i < to; i++) {
    load_open(server, i);
    load_round(i, i + 1, 1);
  }
}

/* Opens [0, idle). Returns the server's memory for each of them in bytes; the first hundred pay for what a runtime
 * allocates once. */
static double load_open_idle(struct server server, int idle) {
  load_open_all(server, 0, 100);
  double before = server_memory(server);
  load_open_all(server, 100, idle);
  return (server_memory(server) - before) / (idle - 100);
}

struct load_figures {
  double throughput, cpu; /* questions per second; us of the server's CPU time per question */
};

/* Keeps [from, to) busy for so long, after a tenth of that to warm up. */
static struct load_figures load_measure(struct server server, int from, int to, int milliseconds) {
  load_work(from, to, now_ns() + milliseconds * 1e5);
  load.answered = 0;
  load.measuring = 1;
  double start = now_ns(), cpu = server_cpu(server);
  load_work(from, to, start + milliseconds * 1e6);
  double elapsed = now_ns() - start;
  load.measuring = 0;
  return (struct load_figures){(double)load.answered / elapsed * 1e9,
                               (server_cpu(server) - cpu) / (double)load.answered / 1e3};
}

/* Prints the line of a run; `per_question` requests were asked at once. The times stand in the case `p99` if it is not
 * NULL, and there is a row of idle-bytes if `idle_bytes` is not negative. */
static void load_report(struct load_figures f, int check, int per_question, const char *p99, double idle_bytes) {
  char where[64] = "";
  if (p99)
    snprintf(where, sizeof where, "\"case\": \"%s\", ", p99);
  printf("{\"metric\": \"throughput\", \"value\": %.6g, \"unit\": \"requests/s\", \"check\": \"%d\", \"more\": ["
         "{\"metric\": \"cpu\", \"value\": %.6g, \"unit\": \"us CPU/request\"}, "
         "{%s\"metric\": \"p99\", \"value\": %.6g, \"unit\": \"us\"}, "
         "{%s\"metric\": \"p50\", \"value\": %.6g, \"unit\": \"us\"}",
         f.throughput * per_question, check, f.cpu / per_question, where, load_quantile(0.99), where,
         load_quantile(0.5));
  if (idle_bytes >= 0)
    printf(", {\"case\": \"idle-bytes\", \"metric\": \"memory\", \"value\": %.6g, \"unit\": \"bytes/connection\"}",
           idle_bytes);
  printf("]}\n");
}

#endif
