/* The clients of a server that speaks redis' protocol: 50 connections, as redis-benchmark has.
 *
 * CASE is set, get, set-16 or get-16: the command, and how many commands are sent at once. COUNT says for how many ms
 * the clients are busy. Each connection has 1,000 keys of its own and values of 64 bytes, which name the connection,
 * the key and how often it was set. The latency is that of a whole batch. All values are read again at the end. A
 * server is called `server -p 0`. */
#include "../common/load.h"

enum { BUSY = 50, KEYS = 1000, VALUE = 64, MOST = 16, ROOM = MOST * (VALUE + 80) };

static struct connection {
  unsigned long number; /* the number of the first command of the batch */
  unsigned times[KEYS]; /* how often each key was set */
  unsigned have;
  char text[ROOM];
} *connections;

static int batch, sets;

static int key_of(unsigned long number) { return (int)(number * 7919 % KEYS); }

static int make_value(char *to, int i, int key, unsigned times) {
  int n = snprintf(to, VALUE + 1, "%d %d %u ", i, key, times);
  memset(to + n, 'a' + key % 26, (size_t)(VALUE - n));
  return VALUE;
}

static void ask(int i) {
  struct connection *c = &connections[i];
  char text[ROOM], value[VALUE + 1];
  int n = 0;
  for (int k = 0; k < batch; k++) {
    int key = key_of(c->number + (unsigned)k);
    char name[32];
    int size = snprintf(name, sizeof name, "key:%d:%d", i, key);
    n += sprintf(text + n, "*%d\r\n$3\r\n%s\r\n$%d\r\n%s\r\n", sets ? 3 : 2, sets ? "SET" : "GET", size, name);
    if (sets)
      n += sprintf(text + n, "$%d\r\n%.*s\r\n", VALUE, make_value(value, i, key, ++c->times[key]), value);
  }
  c->have = 0;
  if (write(load.fds[i], text, (size_t)n) != n)
    fail("write");
}

static int make_answer(char *to, int i) {
  struct connection *c = &connections[i];
  char value[VALUE + 1];
  int n = 0;
  for (int k = 0; k < batch; k++) {
    int key = key_of(c->number + (unsigned)k);
    if (sets)
      n += sprintf(to + n, "+OK\r\n");
    else
      n += sprintf(to + n, "$%d\r\n%.*s\r\n", VALUE, make_value(value, i, key, c->times[key]), value);
  }
  return n;
}

static int take(int i) {
  struct connection *c = &connections[i];
  char right[ROOM];
  ssize_t got = read(load.fds[i], c->text + c->have, sizeof c->text - c->have);
  if (got == 0 || (got < 0 && errno != EAGAIN))
    fail("a connection was lost");
  c->have += got > 0 ? (unsigned)got : 0;
  int size = make_answer(right, i);
  if (memcmp(c->text, right, c->have < (unsigned)size ? c->have : (unsigned)size) || c->have > (unsigned)size) {
    fprintf(stderr, "connection %d: a wrong answer: %.*s\n", i, (int)c->have, c->text);
    exit(1);
  }
  if (c->have < (unsigned)size)
    return 0;
  c->number += (unsigned)batch;
  return 1;
}

/* Sets or gets all keys of all connections once. */
static void all_keys(int setting) {
  int batch_before = batch, sets_before = sets;
  batch = 10;
  sets = setting;
  for (int i = 0; i < KEYS; i += batch)
    load_round(0, BUSY, BUSY);
  batch = batch_before;
  sets = sets_before;
}

int main(int argc, char **argv) {
  int milliseconds = driver_arguments(argc, argv);
  const char *name = argv[1], *dash = strchr(name, '-');
  if ((strncmp(name, "set", 3) && strncmp(name, "get", 3)) || (name[3] && strcmp(name + 3, "-16")))
    unknown_case(name);
  char *command[] = {argv[3], "-p", "0", NULL};
  struct server server = start_server(command);
  connections = calloc(BUSY, sizeof *connections);
  load_begin(BUSY);
  for (int i = 0; i < BUSY; i++)
    load_open(server, i);
  all_keys(1);
  sets = *name == 's';
  batch = dash ? MOST : 1;
  struct load_figures figures = load_measure(server, 0, BUSY, milliseconds);
  all_keys(0);
  end_server(server);
  load_report(figures, BUSY, batch, NULL, -1);
}
