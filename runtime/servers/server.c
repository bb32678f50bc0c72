/* The parts of a TCP server (charcoal/server.h), in Charcoal C: preparing the process, listening, accepting and
 * closing. */
#define _GNU_SOURCE
#include "charcoal.h"
#include <charcoal/dialect.h>
#include "charcoal/server.h"
#include "posix/descriptors.h"
#include "posix/socket_calls.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

void ch_server_prepare(sigset_t *signals) {
  struct rlimit descriptors;
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(signals);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, signals, NULL);
}

/* ---- listening ---- */

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

/* Returns the size of the address; 0: the text is none. */
static socklen_t read_address(union address *a, const char *text, int port) {
  memset(a, 0, sizeof *a);
  a->v4.sin_family = text && strchr(text, ':') ? AF_INET6 : AF_INET;
  a->v4.sin_port = htons((uint16_t)port); /* sin6_port lies at the same place */
  if (a->any.sa_family == AF_INET6)
    return inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1 ? sizeof a->v6 : 0;
  return !text || inet_pton(AF_INET, text, &a->v4.sin_addr) == 1 ? sizeof a->v4 : 0;
}

int ch_listen(const char *address, int port, unsigned flags) {
  union address a;
  socklen_t size = port >= 0 && port <= 65535 ? read_address(&a, address, port) : 0;
  if (!size)
    return errno = EINVAL, -1;
  int s = ch_plain_socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0)
    return -1;
  ch_socket_set(s, SOL_SOCKET, SO_REUSEADDR, 1);
  if (flags & CH_SHARE_PORT)
    ch_socket_set(s, SOL_SOCKET, SO_REUSEPORT, 1);
  ch_socket_set(s, IPPROTO_TCP, TCP_NODELAY, 1); /* connections inherit this from the listener */
  if (ch_socket_bind(s, &a.any, size) == 0 && ch_socket_listen(s, 4096) == 0)
    return s;
  int error = errno;
  ch_socket_close(s);
  return errno = error, -1;
}

int ch_port(int socket) {
  union address a;
  socklen_t size = sizeof a;
  return ch_socket_name(socket, &a.any, &size) == 0 ? ntohs(a.v4.sin_port) : -1;
}

/* ---- accepting ---- */

struct server {
  int listener;
  void (*serve)(int connection, void *data);
  void *data;
  ch_sem room; /* how many connections may still be accepted */
  ch_scope *connections;
};

/* Whether another accept may succeed after this error. Waits a moment if something has to become free before. */
static bool try_again(int error) {
  bool lacks = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  return (lacks && ch_sleep(100000000) == 0) || error == ECONNABORTED || error == EINTR || error == EPROTO;
}

static void begin_to_serve(struct server *s, int connection) {
  activate[ch_in(s->connections)](s, connection) {
    s->serve(connection, s->data);
    ch_sem_post(&s->room);
  }
}

/* Accepts connections until that fails. Returns the error. */
static int accept_all(struct server *s) {
  int error = 0;
  do {
    error = ch_sem_wait(&s->room);
    if (error)
      return error;
    int connection = ch_socket_accept(s->listener, SOCK_CLOEXEC);
    if (connection < 0) {
      error = errno;
      ch_sem_post(&s->room);
    } else {
      begin_to_serve(s, connection);
    }
  } while (!error || try_again(error));
  return error;
}

/* Accepts the connections that have come already, and waits for no others. The listener's mode stays as it is, because
 * other processes may serve the same listener. */
static void accept_those_that_have_come(struct server *s) {
  for (bool come = true; come && ch_sem_wait(&s->room) == 0;) {
    int connection = -1;
    waituntil(connection = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC)) come = connection >= 0 || try_again(errno);
    else come = false;
    if (connection < 0)
      ch_sem_post(&s->room);
    else
      begin_to_serve(s, connection);
  }
}

int ch_serve(int listener, unsigned long most, void (*serve)(int connection, void *data), void *data) {
  struct server s = {.listener = listener, .serve = serve, .data = data};
  int error;
  ch_sem_init(&s.room, most);
  do {
    s.connections = ch_scope_here();
    error = accept_all(&s);
    if (error == ECANCELED) {
      noncancellable accept_those_that_have_come(&s);
      error = 0;
    }
    ch_socket_close(listener);
    cancel;
  }
  finish;
  ch_sem_destroy(&s.room);
  return error == EAGAIN ? 0 : error;
}

/* ---- several domains ---- */

struct one {
  const ch_servers *of;
  int listener;
  ch_task *task;
};
struct ch_servers {
  struct ch_servers_how how;
  ch_domains *domains;
  struct one all[];
};

static intptr_t serve_in_domain(void *argument) {
  const struct one *o = argument;
  return ch_serve(o->listener, o->of->how.most, o->of->how.serve, o->of->how.data);
}

/* Makes all listeners; the first one chooses the port, if it is to be any. Returns 0 or an error number. */
static int listen_all(ch_servers *s) {
  for (unsigned i = 0; i < s->how.domains; i++) {
    s->all[i].listener = ch_listen(s->how.address, s->how.port, CH_SHARE_PORT);
    if (s->all[i].listener < 0)
      return errno;
    s->how.port = ch_port(s->all[i].listener);
  }
  return 0;
}

ch_servers *ch_servers_start(const struct ch_servers_how *how) {
  ch_servers *s = calloc(1, sizeof *s + how->domains * sizeof *s->all);
  if (!s)
    return NULL;
  s->how = *how;
  for (unsigned i = 0; i < how->domains; i++)
    s->all[i] = (struct one){.of = s, .listener = -1};
  int error = listen_all(s);
  s->domains = error ? NULL : ch_domains_start(how->domains, &(struct ch_domains_how){.name = how->name});
  error = error || s->domains ? error : errno;
  for (unsigned i = 0; i < how->domains && !error; i++) {
    s->all[i].task = ch_domain_spawn(s->domains, i, serve_in_domain, &s->all[i]);
    error = s->all[i].task ? 0 : errno;
  }
  if (!error)
    return s;
  for (unsigned i = 0; i < how->domains; i++)
    if (s->all[i].listener >= 0 && !s->all[i].task)
      ch_socket_close(s->all[i].listener);
  ch_servers_stop(s);
  ch_servers_end(s);
  return errno = error, NULL;
}

int ch_servers_port(const ch_servers *s) { return s->how.port; }
ch_domains *ch_servers_domains(const ch_servers *s) { return s->domains; }

int ch_servers_stop(ch_servers *s) {
  int error = 0;
  for (unsigned i = 0; i < s->how.domains; i++)
    if (s->all[i].task)
      ch_task_cancel(s->all[i].task);
  for (unsigned i = 0; i < s->how.domains; i++) {
    intptr_t result = 0;
    if (s->all[i].task)
      noncancellable ch_task_join(s->all[i].task, &result);
    error = error ? error : (int)result;
  }
  return error;
}

void ch_servers_end(ch_servers *s) {
  if (s->domains)
    ch_domains_end(s->domains, 0);
  free(s);
}

/* ---- hanging up ---- */

int ch_hang_up(int connection, int64_t timeout) {
  char rest[512];
  ssize_t got = -1;
  shutdown(connection, SHUT_WR);
  within(timeout) do {
    while ((got = read(connection, rest, sizeof rest)) > 0) {
    }
  }
  finish;
  int error = got == 0 || errno != ECANCELED ? 0 : ch_cancelled() ? ECANCELED : ETIMEDOUT;
  ch_socket_close(connection);
  return error;
}
