/* The clients of a web server for files, or of a proxy before one, for the drivers of `http` and `proxy`. They make a
 * folder of files of 1 KB, 4 KB and 1 MB, and compare each byte that they get.
 *
 * CASE is SIZE-keepalive, or SIZE-close with a connection for each request; COUNT says for how many ms the clients are
 * busy. 200 connections are busy (50 with files of 1 MB). In 1k-keepalive-1000 there are 1,000 busy ones, beside 10,000
 * idle ones (1,000 if COUNT is below 1000), whose row is idle-bytes. */
#ifndef BENCH_HTTP_CLIENTS_H
#define BENCH_HTTP_CLIENTS_H

#include "../common/load.h"
#include <sys/stat.h>

static struct connection {
  char head[1000];
  unsigned used;     /* bytes of the head that have come */
  long have, length; /* bytes of the body that have come; of how many, or -1 until the whole head is there */
} *connections;

static struct server server;
static int closes;
static char request[200], *content;
static long size;

static void ask(int i) {
  connections[i].used = 0;
  connections[i].have = 0;
  connections[i].length = -1;
  if (closes)
    load_open(server, i);
  if (write(load.fds[i], request, strlen(request)) != (ssize_t)strlen(request))
    fail("write");
}

static void wrong(const char *what, const struct connection *c) {
  fprintf(stderr, "%s: %.*s\n", what, (int)c->used, c->head);
  exit(1);
}

/* Takes what belongs to the head, and returns how much that is. */
static long take_head(struct connection *c, const char *text, long n) {
  for (long at = 0; at < n; at++) {
    if (c->used == sizeof c->head - 1)
      wrong("a head that is too long", c);
    c->head[c->used++] = text[at];
    if (text[at] != '\n' || c->used < 4 || memcmp(c->head + c->used - 4, "\r\n\r\n", 4))
      continue;
    c->head[c->used] = '\0';
    const char *length = strcasestr(c->head, "\r\nContent-Length: ");
    c->length = length ? atol(length + 18) : 0;
    if (strncmp(c->head, "HTTP/1.1 200 OK\r\n", 17) || c->length != size ||
        closes != (strcasestr(c->head, "\r\nConnection: close\r\n") != NULL))
      wrong("a wrong answer", c);
    return at + 1;
  }
  return n;
}

static int take(int i) {
  static char text[1 << 18];
  struct connection *c = &connections[i];
  ssize_t got = read(load.fds[i], text, sizeof text);
  if (got == 0 && closes && c->length == c->have) {
    close(load.fds[i]);
    return 1;
  }
  if (got == 0 || (got < 0 && errno != EAGAIN))
    fail("a connection was lost");
  long head = c->length < 0 && got > 0 ? take_head(c, text, got) : 0;
  long body = got > 0 ? got - head : 0;
  if (body > c->length - c->have && body > 0)
    wrong("more than was asked for", c);
  if (memcmp(text + head, content + c->have, (size_t)body))
    wrong("other bytes than the file's", c);
  c->have += body;
  return !closes && c->have == c->length;
}

static void write_file(const char *folder, const char *name, long bytes) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s.html", folder, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, content, (size_t)bytes) != bytes)
    fail(path);
  close(file);
}

static void remove_file(const char *folder, const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s.html", folder, name);
  unlink(path);
}

/* The whole of a driver; `start` starts the program for the files of the folder. */
static int clients(int argc, char **argv, struct server (*start)(char *program, char *folder)) {
  static const struct {
    const char *name;
    long size;
  } files[] = {{"1k", 1 << 10}, {"4k", 4 << 10}, {"1m", 1 << 20}};
  static const char *const cases[] = {"1k-keepalive", "1k-keepalive-1000", "4k-keepalive", "1m-keepalive",
                                      "1k-close",     "4k-close",          "1m-close"};
  int milliseconds = driver_arguments(argc, argv), known = 0;
  const char *name = argv[1];
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    known |= strcmp(name, cases[i]) == 0;
  if (!known)
    unknown_case(name);
  char folder[] = "/tmp/bench-http-XXXXXX";
  if (!mkdtemp(folder) || chmod(folder, 0755))
    fail("mkdtemp");
  content = malloc(1 << 20);
  for (long i = 0; i < 1 << 20; i++)
    content[i] = (char)('a' + (i * 7 + i / 1000) % 26);
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
    write_file(folder, files[i].name, files[i].size);
    size = strncmp(name, files[i].name, 2) ? size : files[i].size;
  }
  server = start(argv[3], folder);
  closes = strstr(name, "close") != NULL;
  snprintf(request, sizeof request, "GET /%.2s.html HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", name, server.port,
           closes ? "Connection: close\r\n" : "");
  int many = strstr(name, "-1000") != NULL;
  int idle = !many ? 0 : milliseconds < 1000 ? 1000 : 10000, busy = many ? 1000 : size >= 1 << 20 ? 50 : 200;
  connections = calloc((size_t)(idle + busy), sizeof *connections);
  load_begin(idle + busy);
  double bytes = idle ? load_open_idle(server, idle) : -1;
  if (!closes)
    load_open_all(server, idle, idle + busy);
  struct load_figures figures = load_measure(server, idle, idle + busy, milliseconds);
  load_round(0, idle, 100);
  end_server(server);
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
    remove_file(folder, files[i].name);
  rmdir(folder);
  load_report(figures, busy, 1, NULL, bytes);
  return 0;
}

#endif
