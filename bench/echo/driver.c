/* The clients of an echo server: 10,000 idle connections (1,000 when COUNT is below 1000) and, beside them, the busy
 * ones.
 *
 * CASE is throughput or throughput-100, for 1,000 or 100 busy connections; COUNT how many ms they work. Each sends 64
 * bytes, awaits their echo, compares it, and sends the next. An idle connection has had one echo before it falls idle,
 * and all of them get another at the end, so they are known to live. The line has the rows of p99 (or p99-100) and
 * idle-bytes, too. */
#include "../common/drive.h"
#include <sys/epoll.h>

enum { SIZE = 64, STEPS = 64, OCTAVES = 40 };

struct connection {
  double sent; /* when the question that is under way was sent */
  unsigned long number;
  unsigned have;
  char text[SIZE];
};

static struct connection *connections;
static int *fds, epoll;
static unsigned long answered, histogram[OCTAVES * STEPS], measured;
static int measuring;

static void make_text(char text[SIZE], int i, unsigned long number) {
  memset(text, 'a' + (i + (int)number) % 26, SIZE);
  memcpy(text, &i, sizeof i);
  memcpy(text + 8, &number, sizeof number);
}

static void ask(int i) {
  struct connection *c = &connections[i];
  char text[SIZE];
  make_text(text, i, ++c->number);
  c->have = 0;
  c->sent = now_ns();
  if (write(fds[i], text, SIZE) != SIZE)
    fail("write");
}

/* 64 steps an octave: 1.1 % wide. */
static void note(double ns) {
  unsigned long x = ns < 64 ? 64 : (unsigned long)ns;
  int octave = 63 - __builtin_clzl(x);
  histogram[octave * STEPS + (int)((x >> (octave - 6)) & 63)]++;
  measured++;
}

static double quantile(double q) {
  unsigned long seen = 0;
  for (int i = 0; i < OCTAVES * STEPS; i++)
    if ((seen += histogram[i]) >= q * (double)measured && seen > 0)
      return (double)((64UL + (unsigned)(i % STEPS)) << (i / STEPS)) / 64;
  return 0;
}

/* Whether a whole echo has come. */
static int take(int i) {
  struct connection *c = &connections[i];
  char right[SIZE];
  ssize_t got = read(fds[i], c->text + c->have, SIZE - c->have);
  if (got == 0 || (got < 0 && errno != EAGAIN))
    fail("a connection was lost");
  c->have += got > 0 ? (unsigned)got : 0;
  if (c->have < SIZE)
    return 0;
  make_text(right, i, c->number);
  if (memcmp(right, c->text, SIZE)) {
    fprintf(stderr, "connection %d: a wrong echo\n", i);
    exit(1);
  }
  if (measuring)
    note(now_ns() - c->sent);
  answered++;
  return 1;
}

/* One echo on each of [from, to), `width` at a time. */
static void round_of(int from, int to, int width) {
  struct epoll_event ready[256];
  int asked = from, done = from;
  while (done < to) {
    while (asked < to && asked - done < width)
      ask(asked++);
    int n = epoll_wait(epoll, ready, 256, 20000);
    if (n <= 0)
      fail("no echo for 20 s");
    for (int i = 0; i < n; i++)
      done += take((int)ready[i].data.u32);
  }
}

/* Keeps all of [from, to) busy until the deadline, and waits for the last answers. */
static void work(int from, int to, double deadline) {
  struct epoll_event ready[256];
  int under_way = to - from;
  for (int i = from; i < to; i++)
    ask(i);
  while (under_way > 0) {
    int n = epoll_wait(epoll, ready, 256, 20000), more = now_ns() < deadline;
    if (n <= 0)
      fail("no echo for 20 s");
    for (int i = 0; i < n; i++) {
      int which = (int)ready[i].data.u32;
      if (!take(which))
        continue;
      if (more)
        ask(which);
      else
        under_way--;
    }
  }
}

static void open_connections(struct server server, int from, int to) {
  for (int i = from; i < to; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
    fds[i] = connect_to(server);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
      fail("epoll_ctl");
    round_of(i, i + 1, 1);
  }
}

int main(int argc, char **argv) {
  int milliseconds = driver_arguments(argc, argv);
  const char *name = argv[1];
  int idle = milliseconds < 1000 ? 1000 : 10000, busy = strstr(name, "-100") ? 100 : 1000;
  char *command[] = {argv[3], argv[1], argv[2], NULL};
  if (strcmp(name, "throughput") && strcmp(name, "throughput-100"))
    unknown_case(name);
  struct server server = start_server(command);
  connections = calloc((size_t)(idle + busy), sizeof *connections);
  fds = calloc((size_t)(idle + busy), sizeof *fds);
  epoll = epoll_create1(0);
  /* The first hundred pay for what a runtime allocates once. */
  open_connections(server, 0, 100);
  double before = server_memory(server);
  open_connections(server, 100, idle);
  double bytes = (server_memory(server) - before) / (idle - 100);
  open_connections(server, idle, idle + busy);
  work(idle, idle + busy, now_ns() + milliseconds * 1e5); /* warm up */
  answered = 0;
  measuring = 1;
  double start = now_ns(), cpu = server_cpu(server);
  work(idle, idle + busy, start + milliseconds * 1e6);
  double elapsed = now_ns() - start;
  cpu = server_cpu(server) - cpu;
  measuring = 0;
  round_of(0, idle, 100);
  end_server(server);
  const char *p99 = busy == 100 ? "p99-100" : "p99";
  printf("{\"metric\": \"throughput\", \"value\": %.6g, \"unit\": \"requests/s\", \"check\": \"%d\", \"more\": ["
         "{\"metric\": \"cpu\", \"value\": %.6g, \"unit\": \"us CPU/request\"}, "
         "{\"case\": \"%s\", \"metric\": \"p99\", \"value\": %.6g, \"unit\": \"us\"}, "
         "{\"case\": \"%s\", \"metric\": \"p50\", \"value\": %.6g, \"unit\": \"us\"}",
         (double)answered / elapsed * 1e9, idle + busy, cpu / (double)answered / 1e3, p99, quantile(0.99) / 1e3, p99,
         quantile(0.5) / 1e3);
  if (busy == 1000)
    printf(", {\"case\": \"idle-bytes\", \"metric\": \"memory\", \"value\": %.6g, \"unit\": \"bytes/connection\"}",
           bytes);
  printf("]}\n");
}
