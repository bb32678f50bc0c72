/* ch_dial: the first address that answers, the families in turns, refusals, and what a cancel leaves. */
#include "harness.h"
#include <arpa/inet.h>
#include <charcoal/client.h>
#include <charcoal/server.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { MS = 1000000 };

/* An address of a list, with the room for what it points to. */
struct address {
  struct addrinfo info;
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_un local;
  } to;
};

static void set_port(struct address *a, int port) {
  *a = (struct address){.info = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_addrlen = sizeof a->to.v4}};
  a->to.v4 = (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* A listener of another family. */
static int listen_locally(struct address *a) {
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  *a = (struct address){.info = {.ai_family = AF_UNIX, .ai_socktype = SOCK_STREAM, .ai_addrlen = sizeof a->to.local}};
  a->to.local.sun_family = AF_UNIX;
  snprintf(a->to.local.sun_path + 1, sizeof a->to.local.sun_path - 1, "charcoal-dial-%d", getpid());
  EXPECT(bind(s, &a->to.any, sizeof a->to.local) == 0 && listen(s, 10) == 0);
  return s;
}

/* An address that does not answer: nobody accepts, and its queue is full. Returns the sockets that keep it so. */
enum { FULL = 3 };
struct deaf {
  int sockets[1 + FULL];
};
static struct deaf make_deaf(struct address *a) {
  struct deaf d = {.sockets = {socket(AF_INET, SOCK_STREAM, 0)}};
  set_port(a, 0);
  EXPECT(bind(d.sockets[0], &a->to.any, sizeof a->to.v4) == 0 && listen(d.sockets[0], 0) == 0);
  set_port(a, ch_port(d.sockets[0]));
  for (int i = 1; i <= FULL; i++) {
    d.sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void)!connect(d.sockets[i], &a->to.any, sizeof a->to.v4);
  }
  return d;
}
static void end_deaf(const struct deaf *d) {
  for (int i = 0; i <= FULL; i++)
    close(d->sockets[i]);
}

/* An address that refuses. */
static void make_closed(struct address *a) {
  int s = ch_listen("127.0.0.1", 0, 0);
  set_port(a, ch_port(s));
  close(s);
}

static const struct addrinfo *list_of(int n, struct address *all) {
  for (int i = 0; i < n; i++) {
    all[i].info.ai_addr = &all[i].to.any;
    all[i].info.ai_next = i + 1 < n ? &all[i + 1].info : NULL;
  }
  return &all[0].info;
}

static int somebody_came(int listener) { return poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 0); }
static int lowest_free_descriptor(void) {
  int fd = open("/dev/null", O_RDONLY);
  close(fd);
  return fd;
}

TEST(an_address_that_refuses_is_passed_over_and_the_rest_is_not_tried) {
  struct address all[3];
  make_closed(&all[0]);
  int second = ch_listen("127.0.0.1", 0, 0), third = ch_listen("127.0.0.1", 0, 0);
  set_port(&all[1], ch_port(second));
  set_port(&all[2], ch_port(third));
  for (int in_atomic = 0; in_atomic < 2; in_atomic++) {
    int s;
    if (in_atomic)
      atomic s = ch_dial_addresses(list_of(3, all));
    else
      s = ch_dial_addresses(list_of(3, all));
    EXPECT(s >= 0 && fcntl(s, F_GETFD) == FD_CLOEXEC);
    EXPECT(somebody_came(second) == 1 && somebody_came(third) == 0);
    close(accept(second, NULL, NULL));
    close(s);
  }
  close(second);
  close(third);
}

TEST(an_address_that_does_not_answer_delays_the_next_one_by_its_head_start_and_is_given_up) {
  struct address all[2];
  struct deaf deaf = make_deaf(&all[0]);
  int good = ch_listen("127.0.0.1", 0, 0);
  set_port(&all[1], ch_port(good));
  int before = lowest_free_descriptor();
  int64_t begin = ch_now();
  int s = ch_dial_addresses(list_of(2, all));
  EXPECT(s >= 0 && ch_now() - begin >= 250 * MS);
  EXPECT(somebody_came(good) == 1);
  close(s);
  EXPECT(lowest_free_descriptor() == before);
  close(good);
  end_deaf(&deaf);
}

TEST(another_family_has_its_turn_before_the_second_address_of_the_first) {
  struct address all[3];
  struct deaf deaf = make_deaf(&all[0]);
  int second = ch_listen("127.0.0.1", 0, 0);
  set_port(&all[1], ch_port(second));
  int local = listen_locally(&all[2]);
  int s = ch_dial_addresses(list_of(3, all));
  EXPECT(s >= 0 && somebody_came(local) == 1 && somebody_came(second) == 0);
  close(s);
  close(local);
  close(second);
  end_deaf(&deaf);
}

TEST(if_all_refuse_the_last_error_is_told) {
  struct address all[2];
  make_closed(&all[0]);
  make_closed(&all[1]);
  EXPECT(ch_dial_addresses(list_of(2, all)) == -1 && errno == ECONNREFUSED);
  EXPECT(ch_dial_addresses(NULL) == -1 && errno == ENXIO);
}

TEST(a_deadline_ends_all_attempts_and_leaves_no_socket) {
  struct address all[2];
  struct deaf one = make_deaf(&all[0]), other = make_deaf(&all[1]);
  int before = lowest_free_descriptor(), s = 0, error = 0;
  for (int64_t limit = 50 * MS; limit <= 400 * MS; limit += 350 * MS) { /* with one attempt under way, and with two */
    within(limit) do {
      s = ch_dial_addresses(list_of(2, all));
      error = errno;
    }
    finish;
    EXPECT(s == -1 && error == ECANCELED);
    EXPECT(lowest_free_descriptor() == before);
  }
  end_deaf(&one);
  end_deaf(&other);
}

TEST(names_and_services_are_looked_up) {
  int listener = ch_listen("127.0.0.1", 0, 0);
  char port[12];
  snprintf(port, sizeof port, "%d", ch_port(listener));
  int s = ch_dial("127.0.0.1", port);
  EXPECT(s >= 0 && somebody_came(listener) == 1);
  close(s);
  EXPECT(ch_dial("127.0.0.1", "no-such-service") == -1 && errno == ENXIO);
  close(listener);
}
