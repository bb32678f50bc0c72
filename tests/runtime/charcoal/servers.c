/* Servers: listening, accepting with a limit, the end by a cancel, hanging up; output with a time limit. */
#include "harness.h"
#include <arpa/inet.h>
#include <charcoal/output.h>
#include <charcoal/server.h>
#include <fcntl.h>
#include <sys/socket.h>

enum { MS = 1000000 };

static int connect_to(int port) {
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int s = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(connect(s, (void *)&to, sizeof to) == 0);
  return s;
}

static int ask(int connection) {
  char byte = 'a';
  return write(connection, &byte, 1) == 1 && read(connection, &byte, 1) == 1 ? byte : -1;
}

TEST(a_listener_has_a_port_and_refuses_nonsense) {
  int any = ch_listen(NULL, 0, 0), one = ch_listen("127.0.0.1", 0, CH_SHARE_PORT);
  EXPECT(any >= 0 && one >= 0 && ch_port(any) > 0 && ch_port(one) > 0);
  EXPECT(ch_listen("127.0.0.1", ch_port(any), 0) == -1 && errno == EADDRINUSE);
  int other = ch_listen("127.0.0.1", ch_port(one), CH_SHARE_PORT);
  EXPECT(other >= 0 && ch_port(other) == ch_port(one));
  EXPECT(ch_listen("nowhere", 0, 0) == -1 && errno == EINVAL);
  EXPECT(ch_listen("1::z", 0, 0) == -1 && errno == EINVAL);
  EXPECT(ch_listen(NULL, 65536, 0) == -1 && errno == EINVAL);
  EXPECT(ch_listen(NULL, -1, 0) == -1 && errno == EINVAL);
  EXPECT(ch_port(-1) == -1 && errno == EBADF);
}

static int served, now, most;
static void echo(int connection, void *add) {
  char byte;
  most = ++now > most ? now : most;
  while (read(connection, &byte, 1) == 1) {
    byte = (char)(byte + (intptr_t)add);
    if (write(connection, &byte, 1) != 1)
      break;
  }
  now--;
  served++;
  close(connection);
}

TEST(no_more_connections_are_served_at_a_time_than_there_may_be) {
  int listener = ch_listen("127.0.0.1", 0, 0), port = ch_port(listener), clients[6];
serving:
  do {
    async EXPECT(ch_serve(listener, 2, echo, (void *)1) == 0);
    for (int i = 0; i < 6; i++)
      clients[i] = connect_to(port);
    for (int i = 0; i < 6; i += 2) {
      EXPECT(ask(clients[i]) == 'b' && ask(clients[i + 1]) == 'b');
      close(clients[i]);
      close(clients[i + 1]);
    }
    cancel serving;
  }
  finish;
  EXPECT(most == 2 && now == 0 && served == 6);
  EXPECT(fcntl(listener, F_GETFD) == -1 && errno == EBADF);
}

TEST(a_cancel_serves_who_was_let_in_and_returns_when_all_have_ended) {
  int listener = ch_listen("127.0.0.1", 0, 0), port = ch_port(listener), idle, late;
serving:
  do {
    async EXPECT(ch_serve(listener, 100, echo, NULL) == 0);
    idle = connect_to(port);
    EXPECT(ask(idle) == 'a');
    atomic late = connect_to(port);
    cancel serving;
  }
  finish;
  char byte;
  EXPECT(served == 2 && now == 0);
  EXPECT(read(idle, &byte, 1) == 0 && read(late, &byte, 1) == 0);
}

TEST(a_server_that_stops_leaves_the_listeners_mode_to_the_other_processes_that_serve_it) {
  int listener = ch_listen("127.0.0.1", 0, 0), in_other_process = dup(listener);
serving:
  do {
    async EXPECT(ch_serve(listener, 2, echo, NULL) == 0);
    ch_sleep(MS);
    cancel serving;
  }
  finish;
  EXPECT((fcntl(in_other_process, F_GETFL) & O_NONBLOCK) == 0);
}

TEST(a_listener_that_is_none_is_an_error) {
  int pair[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT(ch_serve(pair[0], 1, echo, NULL) == EINVAL);
}

static intptr_t count(void *n) { return ++*(int *)n; }

TEST(several_domains_serve_at_one_port) {
  ch_servers *s =
      ch_servers_start(&(struct ch_servers_how){.domains = 2, .most = 10, .serve = echo, .data = (void *)2});
  int clients[8], n = 0;
  EXPECT(s && ch_servers_port(s) > 0 && ch_domains_count(ch_servers_domains(s)) == 2);
  for (int i = 0; i < 8; i++)
    clients[i] = connect_to(ch_servers_port(s));
  for (int i = 0; i < 8; i++)
    EXPECT(ask(clients[i]) == 'c');
  EXPECT(ch_servers_stop(s) == 0);
  char byte;
  for (int i = 0; i < 8; i++)
    EXPECT(read(clients[i], &byte, 1) == 0);
  EXPECT(ch_domains_each(ch_servers_domains(s), count, &n) == 0 && n == 2);
  ch_servers_end(s);
  EXPECT(!ch_servers_start(&(struct ch_servers_how){.address = "x", .domains = 1, .serve = echo}) && errno == EINVAL);
}

TEST(who_is_hung_up_on_gets_all_that_was_sent) {
  int pair[2], result = -1;
  char text[8];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  do {
    EXPECT(write(pair[0], "answer", 6) == 6 && write(pair[1], "more", 4) == 4);
    async result = ch_hang_up(pair[0], CH_FOREVER);
    EXPECT(write(pair[1], "more", 4) == 4);
    EXPECT(read(pair[1], text, sizeof text) == 6 && read(pair[1], text, sizeof text) == 0);
    close(pair[1]);
  }
  finish;
  EXPECT(result == 0 && fcntl(pair[0], F_GETFD) == -1);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT(ch_hang_up(pair[0], MS) == ETIMEDOUT && fcntl(pair[0], F_GETFD) == -1);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  do {
    cancel;
    EXPECT(ch_hang_up(pair[0], CH_FOREVER) == ECANCELED && fcntl(pair[0], F_GETFD) == -1);
  }
  finish;
}

/* ---- output ---- */

static char room[64];
static struct ch_output output_to(int fd) {
  return (struct ch_output){.fd = fd, .timeout = CH_FOREVER, .bytes = room, .size = sizeof room};
}

static char sent[300];
static size_t sent_bytes;
static ssize_t note_bytes(void *to, const void *from, size_t n) {
  n = n < 50 ? n : 50; /* as a socket does that has no room for more */
  memcpy((char *)to + sent_bytes, from, n);
  sent_bytes += n;
  return (ssize_t)n;
}

TEST(output_is_gathered_and_sent_in_order) {
  struct ch_output o = output_to(-1);
  o.write = note_bytes;
  o.to = sent;
  ch_output_text(&o, "one ");
  ch_output_format(&o, "%d %s ", 2, "two");
  EXPECT(sent_bytes == 0);
  ch_output_flush(&o);
  EXPECT(o.error == 0 && o.used == 0 && strcmp(sent, "one 2 two ") == 0);
  char large[150];
  memset(large, 'x', sizeof large);
  ch_output_text(&o, "<");
  ch_output_add(&o, large, sizeof large);
  ch_output_format(&o, "%062d", 0);
  ch_output_format(&o, "%s", ">");
  ch_output_flush(&o);
  EXPECT(o.error == 0 && sent_bytes == 10 + 1 + 150 + 62 + 1 && sent[10] == '<' && sent[sent_bytes - 1] == '>');
  ch_output_format(&o, "%064d", 0);
  EXPECT(o.error == EMSGSIZE);
  ch_output_text(&o, "never");
  ch_output_flush(&o);
  EXPECT(sent_bytes == 10 + 1 + 150 + 62 + 1);
}

TEST(a_file_comes_behind_what_was_added) {
  char path[] = "/tmp/charcoal-output-XXXXXX", text[100] = "";
  int pair[2], file = mkstemp(path);
  unlink(path);
  EXPECT(write(file, "0123456789", 10) == 10 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  struct ch_output o = output_to(pair[0]);
  ch_output_text(&o, "digits: ");
  ch_output_file(&o, file, 2, 5);
  EXPECT(o.error == 0 && read(pair[1], text, 11) > 0 && strncmp(text, "digits: 234", 8) == 0);
  EXPECT(!(fcntl(pair[0], F_GETFL) & O_NONBLOCK));
  o.write = note_bytes;
  o.to = sent;
  ch_output_file(&o, file, 0, 10);
  EXPECT(o.error == 0 && strcmp(sent, "0123456789") == 0);
  o.write = NULL;
  ch_output_file(&o, file, 8, 11);
  EXPECT(o.error == EIO);
}

TEST(a_large_file_comes_whole_to_who_takes_it_slowly) {
  enum { SIZE = 700001 };
  static char content[SIZE], got[SIZE];
  char path[] = "/tmp/charcoal-output-XXXXXX";
  int pair[2], file = mkstemp(path);
  size_t n = 0;
  unlink(path);
  for (int i = 0; i < SIZE; i++)
    content[i] = (char)(i * 7 + i / 1000);
  EXPECT(write(file, content, SIZE) == SIZE && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  struct ch_output o = output_to(pair[0]);
  do {
    async ch_output_file(&o, file, 0, SIZE);
    for (ssize_t r = 1; r > 0 && n < SIZE; n += (size_t)r)
      r = read(pair[1], got + n, n % 2 ? 1000 : 30001);
  }
  finish;
  EXPECT(o.error == 0 && n == SIZE && memcmp(got, content, SIZE) == 0);
  o.timeout = MS;
  ch_output_file(&o, file, 0, SIZE);
  EXPECT(o.error == ETIMEDOUT);
  do {
    cancel;
    o.error = 0;
    ch_output_file(&o, file, 0, SIZE);
    EXPECT(o.error == ECANCELED);
  }
  finish;
  close(pair[1]);
  o.error = 0;
  ch_output_file(&o, file, 0, SIZE); /* without SIGPIPE, which would end this program */
  EXPECT(o.error == EPIPE);
  o.error = 0;
  ch_output_file(&o, -1, 0, SIZE);
  EXPECT(o.error == EBADF);
}

TEST(who_takes_nothing_is_given_up) {
  static char large[1 << 20];
  int pair[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  struct ch_output o = output_to(pair[0]);
  o.timeout = MS;
  ch_output_add(&o, large, sizeof large);
  EXPECT(o.error == ETIMEDOUT);
  do {
    cancel;
    o.error = 0;
    ch_output_add(&o, large, sizeof large);
    EXPECT(o.error == ECANCELED);
  }
  finish;
  close(pair[1]);
  o.error = 0;
  ch_output_add(&o, large, sizeof large);
  EXPECT(o.error == EPIPE);
}
