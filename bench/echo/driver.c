/* The clients of an echo server: 10,000 idle connections (1,000 if COUNT is below 1000) and, beside them, the busy
 * ones.
 *
 * CASE is throughput or throughput-100, for 1,000 or 100 busy connections; COUNT says for how many ms they are busy.
 * Each sends 64 bytes, awaits their echo, compares it, and sends the next. An idle connection has had one echo before
 * it falls idle, and gets another one at the end, which shows that it still works. The line also has the rows of p99
 * (or p99-100) and idle-bytes. */
#include "../common/load.h"

enum { SIZE = 64 };

static struct connection {
  unsigned long number;
  unsigned have;
  char text[SIZE];
} *connections;

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
  if (write(load.fds[i], text, SIZE) != SIZE)
    fail("write");
}

static int take(int i) {
  struct connection *c = &connections[i];
  char right[SIZE];
  ssize_t got = read(load.fds[i], c->text + c->have, SIZE - c->have);
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
  return 1;
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
  load_begin(idle + busy);
  double bytes = load_open_idle(server, idle);
  load_open_all(server, idle, idle + busy);
  struct load_figures figures = load_measure(server, idle, idle + busy, milliseconds);
  load_round(0, idle, 100);
  end_server(server);
  load_report(figures, idle + busy, 1, busy == 100 ? "p99-100" : "p99", busy == 1000 ? bytes : -1);
}
