/* A reverse proxy for HTTP/1.1: passes each request to one of several servers, and the server's answer back.
 *
 *   gateway PORT HOST:PORT...
 *
 * A request goes to the healthy server that has the fewest requests at the moment. Connections to servers are kept and
 * used again. If one turns out to be closed, a request that has come as a whole is sent anew. Every second each server
 * is asked whether it is well. Bytes are read only as fast as the other side takes them. Connections that change to
 * another protocol (Upgrade) are not passed on. */
#include "../port.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <charcoal/server.h>
#include <errno.h>
#include <llhttp/llhttp.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const int64_t second = 1000000000, idle = 60 * second, timeout = 30 * second;

/* ---- the servers ---- */

enum { KEPT = 1024, MOST_SERVERS = 16, MOST_CLIENTS = 1 << 20 };
static struct server {
  struct sockaddr_storage address;
  socklen_t address_size;
  bool healthy;
  int busy;             /* how many requests it has now */
  int kept[KEPT], idle; /* the connections that no request uses, and their number */
} servers[MOST_SERVERS];
static int number_of_servers;

static int connect_to(const struct server *s) {
  int fd = socket(s->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), result = -1;
  within(second) do result = connect(fd, (const struct sockaddr *)&s->address, s->address_size);
  finish;
  if (result != 0) {
    close(fd);
    return -1;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  return fd;
}

/* The healthy server that has the fewest requests; of equals each in turn. NULL: there is none. */
static struct server *choose(void) {
  static int turn;
  struct server *best = NULL;
  turn++;
  for (int i = 0; i < number_of_servers; i++) {
    struct server *s = &servers[(turn + i) % number_of_servers];
    if (s->healthy && (!best || s->busy < best->busy))
      best = s;
  }
  return best;
}

static void forget_connections(struct server *s) {
  while (s->idle > 0)
    close(s->kept[--s->idle]);
}

static bool is_well(const struct server *s) {
  static const char question[] = "HEAD / HTTP/1.1\r\nHost: health\r\nConnection: close\r\n\r\n";
  char answer[16] = "";
  int fd = connect_to(s);
  if (fd < 0)
    return false;
  within(second) do {
    if (send(fd, question, sizeof question - 1, MSG_NOSIGNAL) > 0)
      recv(fd, answer, sizeof answer - 1, MSG_WAITALL);
  }
  finish;
  close(fd);
  return strncmp(answer, "HTTP/1.", 7) == 0 && answer[9] >= '2' && answer[9] <= '4';
}

static void watch_over(struct server *s) {
  do {
    s->healthy = is_well(s);
    if (!s->healthy)
      forget_connections(s);
  } while (ch_sleep(second) == 0);
}

/* ---- messages ---- */

enum { PIECE = 16384, SOURCE = 64 }; /* how many bytes are read at a time; the longest line about a client */

struct side { /* a connection, and what was read from it and not passed on */
  int fd;
  size_t begin, end;
  char bytes[PIECE + SOURCE];
};

struct message {
  llhttp_t parser;
  bool has_head, complete;
  bool bodiless; /* the answer to HEAD: it has a length and no body */
  bool keeps;    /* another message may follow on its connection; valid when it is complete */
};

static int on_head(llhttp_t *p) {
  struct message *m = p->data;
  m->has_head = true;
  return m->bodiless;
}

static int on_complete(llhttp_t *p) {
  struct message *m = p->data;
  m->complete = true;
  m->keeps = llhttp_should_keep_alive(p);
  return HPE_PAUSED;
}

static void begin(struct message *m, llhttp_type_t type, bool bodiless) {
  static const llhttp_settings_t callbacks = {.on_headers_complete = on_head, .on_message_complete = on_complete};
  *m = (struct message){.bodiless = bodiless};
  llhttp_init(&m->parser, type, &callbacks);
  m->parser.data = m;
}

/* Takes in what belongs to the message, and returns how much of it that is; -1: it is no HTTP. */
static ssize_t take(struct message *m, const char *bytes, size_t n) {
  llhttp_errno_t error = llhttp_execute(&m->parser, bytes, n);
  return error == HPE_OK ? (ssize_t)n : m->complete ? llhttp_get_error_pos(&m->parser) - bytes : -1;
}

static bool send_all(int to, const char *bytes, size_t n) {
  for (ssize_t put; n > 0; bytes += put, n -= (size_t)put)
    if ((put = send(to, bytes, n, MSG_NOSIGNAL)) <= 0)
      return false;
  return true;
}

/* Passes the rest of the message on, as it comes. Each piece moves the scope's deadline on. */
static bool carry(struct side *from, struct message *m, int to, ch_scope *scope) {
  for (; !m->complete; ch_deadline_move(scope, ch_now() + timeout)) {
    if (from->begin == from->end) {
      ssize_t got = read(from->fd, from->bytes, PIECE);
      if (got <= 0) /* some answers end when their connection ends */
        return got == 0 && m->has_head && llhttp_finish(&m->parser) == HPE_OK && m->complete;
      from->begin = 0;
      from->end = (size_t)got;
    }
    ssize_t taken = take(m, from->bytes + from->begin, from->end - from->begin);
    if (taken < 0 || !send_all(to, from->bytes + from->begin, (size_t)taken))
      return false;
    from->begin += (size_t)taken;
  }
  return true;
}

/* ---- a request ---- */

struct request {
  struct side *client;
  struct message message;
  size_t taken;        /* how many of the client's bytes belong to this request */
  char source[SOURCE]; /* a header line with the client's address */
};

static void refuse(int client, const char *status) {
  char text[200];
  int n = snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
  send_all(client, text, (size_t)n);
}

/* Puts the line about the client after the first one of its request. */
static void add_source(struct request *r) {
  struct side *c = r->client;
  char *behind = (char *)memchr(c->bytes, '\n', c->end) + 1;
  size_t n = strlen(r->source);
  memmove(behind + n, behind, (size_t)(c->bytes + c->end - behind));
  memcpy(behind, r->source, n);
  c->end += n;
  r->taken += n;
}

/* Reads until the whole head is there. Returns NULL; or the status of the answer; or "": the client has gone. */
static const char *read_head(struct request *r) {
  struct side *c = r->client;
  begin(&r->message, HTTP_REQUEST, false);
  r->taken = 0;
  memmove(c->bytes, c->bytes + c->begin, c->end - c->begin);
  c->end -= c->begin;
  c->begin = 0;
  while (!r->message.has_head) {
    if (r->taken == c->end) {
      if (c->end >= PIECE)
        return "431 Request Header Fields Too Large";
      ssize_t got = -1;
      within(timeout) do got = read(c->fd, c->bytes + c->end, PIECE - c->end);
      finish;
      if (got <= 0)
        return c->end == 0 || got == 0 || errno != ECANCELED ? "" : "408 Request Timeout";
      c->end += (size_t)got;
    }
    ssize_t taken = take(&r->message, c->bytes + r->taken, c->end - r->taken);
    if (taken < 0)
      return "400 Bad Request";
    r->taken += (size_t)taken;
  }
  add_source(r);
  return NULL;
}

enum result { AGAIN, LAST, NOTHING }; /* another request may follow; none may; no answer has come */

/* Passes the answer on. Interim answers (100 and the like) go before it. */
static bool carry_answer(struct side *from, struct message *m, const struct request *r, ch_scope *scope) {
  bool head = r->message.parser.method == HTTP_HEAD;
  do {
    begin(m, HTTP_RESPONSE, head);
    if (!carry(from, m, r->client->fd, scope))
      return false;
  } while (m->parser.status_code / 100 == 1);
  return true;
}

/* Sends the request to the server, and its answer to the client. *keeps: the connection can be used again. */
static enum result exchange(struct request *r, int server, bool *keeps) {
  struct side from;
  struct message answer;
  bool came = false;
  from.fd = server;
  *keeps = false;
  within(timeout) do {
    ch_scope *scope = ch_scope_here();
    if (send_all(server, r->client->bytes, r->taken)) {
      r->client->begin = r->taken;
      async carry(r->client, &r->message, server, scope); /* the answer may come before the whole body has been sent */
      ssize_t got = read(server, from.bytes, PIECE);
      came = got > 0;
      from.begin = 0;
      from.end = came ? (size_t)got : 0;
      *keeps = came && carry_answer(&from, &answer, r, scope) && r->message.complete && answer.keeps &&
               from.begin == from.end; /* bytes after the answer would belong to no request */
    }
    cancel; /* the server does not take the rest of the body any more */
  }
  finish;
  return !came ? NOTHING : *keeps && r->message.keeps ? AGAIN : LAST;
}

/* Lets a server answer the request. A request may get no answer, because the connection had been closed meanwhile or
 * the server has gone. Then it is sent again if it changes nothing and has come as a whole. Other requests get a new
 * connection, and are sent once. */
static enum result pass(struct request *r) {
  unsigned method = r->message.parser.method;
  bool again = r->message.complete && (method == HTTP_GET || method == HTTP_HEAD);
  for (int tries = 0; tries < 2 * number_of_servers; tries++) {
    struct server *s = choose();
    if (!s)
      break;
    bool keeps;
    int fd = again && s->idle > 0 ? s->kept[--s->idle] : connect_to(s);
    if (fd < 0) {
      s->healthy = false; /* until the next check of its health */
      continue;
    }
    s->busy++;
    enum result result = exchange(r, fd, &keeps);
    s->busy--;
    if (keeps && s->idle < KEPT && s->healthy)
      s->kept[s->idle++] = fd;
    else
      close(fd);
    if (result != NOTHING)
      return result;
    if (!again)
      break;
    forget_connections(s);
  }
  refuse(r->client->fd, "502 Bad Gateway");
  return LAST;
}

/* ---- a client ---- */

/* Answers the requests that have come. Returns whether others may follow. */
static bool serve_some(int client, const char *source) {
  struct side side;
  struct request r = {.client = &side};
  enum result result;
  side.fd = client;
  side.begin = side.end = 0;
  snprintf(r.source, sizeof r.source, "X-Forwarded-For: %s\r\n", source);
  do {
    const char *refused = read_head(&r);
    if (refused) {
      if (*refused)
        refuse(client, refused);
      return false;
    }
    result = pass(&r);
  } while (result == AGAIN && side.begin < side.end);
  return result == AGAIN;
}

static void serve(int client, void *unused) {
  (void)unused;
  char source[INET_ADDRSTRLEN];
  struct sockaddr_in address = {0};
  getpeername(client, (void *)&address, &(socklen_t){sizeof address});
  inet_ntop(AF_INET, &address.sin_addr, source, sizeof source);
  while (ch_fd_wait(client, POLLIN, idle) > 0 && serve_some(client, source)) {
  }
  ch_hang_up(client, second);
}

/* ---- the process ---- */

static bool add_server(char *text) {
  char *colon = strrchr(text, ':');
  struct addrinfo *found, wanted = {.ai_socktype = SOCK_STREAM};
  struct server *s = &servers[number_of_servers];
  if (!colon || number_of_servers == MOST_SERVERS)
    return false;
  *colon = '\0';
  int error = getaddrinfo(text, colon + 1, &wanted, &found);
  *colon = ':';
  if (error)
    return false;
  memcpy(&s->address, found->ai_addr, found->ai_addrlen);
  s->address_size = found->ai_addrlen;
  s->healthy = is_well(s);
  number_of_servers++;
  freeaddrinfo(found);
  return true;
}

int main(int argc, char **argv) {
  int port = argc < 3 ? -1 : read_port(argv[1]);
  if (port < 0)
    return fprintf(stderr, "usage: gateway PORT HOST:PORT...\n"), 2;
  for (int i = 2; i < argc; i++)
    if (!add_server(argv[i]))
      return fprintf(stderr, "gateway: there is no server '%s'\n", argv[i]), 2;
  signal(SIGPIPE, SIG_IGN);
  int listener = ch_listen(NULL, port, 0);
  if (listener < 0)
    return perror("gateway: cannot listen"), 1;
  printf("gateway: port %d\n", ch_port(listener));
  fflush(stdout);
  for (int i = 0; i < number_of_servers; i++)
    activate(i) { watch_over(&servers[i]); }
  errno = ch_serve(listener, MOST_CLIENTS, serve, NULL);
  return perror("gateway: cannot accept"), 1;
}
