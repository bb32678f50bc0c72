/* A chat server: what one client writes, all the others read.
 *
 *   chat [PORT]
 *
 * The first line of a client is its name. Each client has a channel with the lines that it has not been sent yet.
 * Nobody waits for a slow client: if its channel is full, the client is dropped. */
#include "../port.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <charcoal/channel.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { UNSENT = 64, LONGEST = 1000 };

/* A line on its way to some clients; the last one frees it. */
struct line {
  int readers;
  size_t size;
  char text[];
};

struct client {
  struct client *next;
  int connection;
  char name[32];
  channel(struct line *) unsent;
};
static struct client *clients;

static void release(struct line *line) {
  if (--line->readers == 0)
    free(line);
}

static void drop(struct client *c) {
  shutdown(c->connection, SHUT_RDWR); /* ends the waits of both its reader and its writer */
  ch_close(&c->unsent);
}

/* Gives the line to all but one. No client comes or goes meanwhile, for it is atomic. */
__attribute__((format(printf, 2, 3))) static atomic void tell_others(const struct client *but, const char *format,
                                                                     ...) {
  struct line *line = malloc(sizeof *line + LONGEST + 100);
  va_list arguments;
  va_start(arguments, format);
  line->size = (size_t)vsnprintf(line->text, LONGEST + 100, format, arguments);
  va_end(arguments);
  line->readers = 1;
  for (struct client *c = clients; c; c = c->next)
    if (c != but && !ch_is_closed(&c->unsent)) {
      if (ch_try_send(&c->unsent, &line) == 0)
        line->readers++;
      else
        drop(c);
    }
  release(line);
}

static void send_lines(struct client *c) {
  struct line *line;
  while (ch_recv(&c->unsent, &line) == 0) {
    for (size_t done = 0; done < line->size;) {
      ssize_t put = send(c->connection, line->text + done, line->size - done, MSG_NOSIGNAL);
      if (put < 0)
        break; /* the branch that reads from this connection notices it, too */
      done += (size_t)put;
    }
    release(line);
  }
}

/* The next line without its end. False: there is none, or it is too long. */
static bool get_line(FILE *in, char text[static LONGEST + 2]) {
  if (!fgets(text, LONGEST + 2, in))
    return false;
  size_t n = strcspn(text, "\r\n");
  bool whole = text[n] != '\0';
  text[n] = '\0';
  for (char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c))
      *c = ' ';
  return whole;
}

static void serve(int connection) {
  struct client me = {.connection = connection};
  char text[LONGEST + 2];
  FILE *in = fdopen(connection, "r");
  ch_channel_init(&me.unsent, UNSENT);
  if (get_line(in, text)) {
    snprintf(me.name, sizeof me.name, "%s", *text ? text : "nobody");
    me.next = clients;
    clients = &me;
    tell_others(&me, "* %s has come\n", me.name);
    do {
      async send_lines(&me);
      while (get_line(in, text)) {
        tell_others(&me, "%s: %s\n", me.name, text);
        ch_reschedule(); /* lets the others send it: a line that is there already is read without a wait */
      }
      struct client **place = &clients;
      while (*place != &me)
        place = &(*place)->next;
      *place = me.next;
      ch_close(&me.unsent); /* the lines that are in the channel are still sent */
    }
    finish;
    tell_others(&me, "* %s has gone\n", me.name);
  }
  ch_channel_destroy(&me.unsent);
  fclose(in);
}

int main(int argc, char **argv) {
  int port = argc > 1 ? read_port(argv[1]) : 0;
  if (port < 0 || argc > 2)
    return fprintf(stderr, "usage: chat [PORT]\n"), 2;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(listener, (void *)&here, sizeof here) != 0 || listen(listener, 1000) != 0)
    return perror("chat: cannot listen"), 1;
  getsockname(listener, (void *)&here, &(socklen_t){sizeof here});
  printf("chat: port %d\n", ntohs(here.sin_port));
  fflush(stdout);
  for (;;) {
    int connection = accept(listener, NULL, NULL);
    if (connection >= 0)
      activate(connection) { serve(connection); }
    else if (errno == EMFILE || errno == ENFILE)
      ch_sleep(100000000); /* until a client has gone, and its descriptor is free */
    else if (errno != ECONNABORTED && errno != EINTR)
      return perror("chat: cannot accept"), 1;
  }
}
