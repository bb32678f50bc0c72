/* Hand-written replacements: only the caller waits, and results, errno and the descriptors' modes are the plain calls'.
 * Charcoal C; the tests run on the real reactor. Nothing here sleeps to arrange an order. */
#include "harness.h"
#include <pthread.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

/* Lets everybody else run until they all wait. */
static void let_others_run(void) {
  for (int i = 0; i < 4; i++)
    ch_reschedule();
}

/* ---- streams ---- */

TEST(only_the_reader_waits) {
  int p[2], got = 0;
  EXPECT(pipe(p) == 0);
  ch_activity reader;
  activate[&reader] {
    char c;
    EXPECT(read(p[0], &c, 1) == 1 && c == 'x');
    got = 1;
  }
  let_others_run();
  EXPECT(!got);
  EXPECT(write(p[1], "x", 1) == 1);
  EXPECT(ch_activity_wait(&reader) == 0 && got);
}

enum { MUCH = 1 << 20 };
static unsigned char pattern(size_t i) { return (unsigned char)(i * 7 + i / 251); }

static void transfers_all(int from, int to, int sockets) {
  unsigned char *out = malloc(MUCH), *in = malloc(MUCH);
  for (size_t i = 0; i < MUCH; i++)
    out[i] = pattern(i);
  ch_activity writer;
  ssize_t written = 0;
  activate[&writer] {
    struct iovec v[3] = {{out, 100}, {out + 100, MUCH / 2}, {out + 100 + MUCH / 2, MUCH - 100 - MUCH / 2}};
    written = sockets ? send(to, out, MUCH, 0) : write(to, out, MUCH);
    if (written == MUCH)
      written = writev(to, v, 3);
  }
  for (int round = 0; round < 2; round++) {
    size_t got = 0;
    while (got < MUCH) {
      ssize_t n = read(from, in + got, MUCH - got);
      EXPECT(n > 0);
      got += (size_t)n;
    }
    EXPECT(memcmp(in, out, MUCH) == 0);
  }
  EXPECT(ch_activity_wait(&writer) == 0 && written == MUCH);
  free(in);
  free(out);
}
TEST(a_write_into_a_pipe_returns_when_all_is_written) {
  int p[2];
  EXPECT(pipe(p) == 0);
  transfers_all(p[0], p[1], 0);
}
TEST(a_send_returns_when_all_is_sent) {
  int s[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  transfers_all(s[0], s[1], 1);
}

TEST(waitall_receives_all_of_it) {
  int s[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  ch_activity sender;
  activate[&sender] {
    for (int i = 0; i < 10; i++) {
      EXPECT(send(s[1], "0123456789", 10, 0) == 10);
      ch_reschedule();
    }
  }
  char b[100];
  EXPECT(recv(s[0], b, 50, MSG_WAITALL) == 50);
  struct iovec v[2] = {{b, 20}, {b + 20, 30}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  EXPECT(recvmsg(s[0], &m, MSG_WAITALL) == 50 && memcmp(b, "0123456789", 10) == 0 && b[49] == '9');
  ch_activity_wait(&sender);
  activate {
    EXPECT(write(s[1], "abc", 3) == 3);
    close(s[1]);
  }
  EXPECT(recvfrom(s[0], b, 50, MSG_WAITALL, NULL, NULL) == 3);
}

TEST(datagrams_keep_their_bounds) {
  int s[2];
  char b[100];
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
  activate {
    EXPECT(send(s[1], "one", 3, 0) == 3);
    EXPECT(write(s[1], "three", 5) == 5);
    EXPECT(sendto(s[1], "", 0, 0, NULL, 0) == 0);
  }
  EXPECT(recv(s[0], b, sizeof b, 0) == 3);
  EXPECT(read(s[0], b, sizeof b) == 5);
  EXPECT(recv(s[0], b, sizeof b, 0) == 0);
}

TEST(descriptors_travel_in_messages) {
  int s[2], p[2], other = -1;
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(p) == 0);
  char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 'd';
  ch_activity receiver;
  activate[&receiver] {
    char room[CMSG_SPACE(sizeof(int))], c;
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    EXPECT(recvmsg(s[0], &m, 0) == 1 && c == 'd');
    EXPECT(CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS);
    memcpy(&other, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof other);
  }
  let_others_run();
  struct iovec v = {&byte, 1};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *h = CMSG_FIRSTHDR(&m);
  h->cmsg_level = SOL_SOCKET;
  h->cmsg_type = SCM_RIGHTS;
  h->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(h), &p[1], sizeof(int));
  EXPECT(sendmsg(s[1], &m, 0) == 1);
  ch_activity_wait(&receiver);
  EXPECT(write(other, "y", 1) == 1);
  EXPECT(read(p[0], &byte, 1) == 1 && byte == 'y');
}

/* ---- results and errno are the plain call's: each is made once atomically, which is the plain call, and once
 * interruptibly ---- */

#define SAME(call)                                                                                                     \
  do {                                                                                                                 \
    long plain_, ours_;                                                                                                \
    int plain_errno_, ours_errno_;                                                                                     \
    errno = 0;                                                                                                         \
    atomic { plain_ = (long)(call); }                                                                                  \
    plain_errno_ = errno;                                                                                              \
    errno = 0;                                                                                                         \
    ours_ = (long)(call);                                                                                              \
    ours_errno_ = errno;                                                                                               \
    if (plain_ != ours_ || (plain_ < 0 && plain_errno_ != ours_errno_)) {                                              \
      fprintf(stderr, "%s:%d: %s: plain %ld (%s), ours %ld (%s)\n", __FILE__, __LINE__, #call, plain_,                 \
              strerror(plain_errno_), ours_, strerror(ours_errno_));                                                   \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

TEST(errors_are_the_plain_calls) {
  char b[16] = "";
  int p[2], s[2], d[2], listening = socket(AF_INET, SOCK_STREAM, 0), file;
  char name[] = "/tmp/charcoal-test-XXXXXX";
  struct iovec v[2] = {{b, 4}, {b + 4, 4}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  signal(SIGPIPE, SIG_IGN);
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, d) == 0);
  EXPECT((file = mkstemp(name)) >= 0 && unlink(name) == 0);
  SAME(read(-1, b, 1));
  SAME(read(12345, b, 1));
  SAME(read(p[1], b, 1));
  SAME(write(p[0], b, 1));
  SAME(read(p[0], b, 0));
  SAME(read(file, b, 16));
  SAME(write(file, "0123456789", 10));
  SAME(lseek(file, 0, SEEK_SET));
  SAME(read(file, b, 3));
  SAME((lseek(file, 0, SEEK_SET), readv(file, v, 2)));
  SAME(writev(file, v, 2));
  SAME(readv(file, v, -1));
  SAME(writev(file, v, 5000));
  SAME(read(open("/", O_RDONLY), b, 1));
  SAME(read(open("/dev/null", O_RDONLY), b, 1));
  SAME(write(open("/dev/full", O_WRONLY), b, 1));
  SAME(recv(p[0], b, 1, 0));
  SAME(send(file, b, 1, 0));
  SAME(recvmsg(file, &m, 0));
  SAME(sendmsg(-1, &m, 0));
  SAME(recv(s[0], b, 1, MSG_DONTWAIT));
  SAME(recv(listening, b, 1, 0));
  SAME(send(listening, b, 1, MSG_NOSIGNAL));
  SAME(accept(p[0], NULL, NULL));
  SAME(accept(s[0], NULL, NULL));
  SAME(accept4(listening, NULL, NULL, 12345));
  SAME(connect(p[0], (struct sockaddr *)&nobody, sizeof nobody));
  SAME(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&nobody, 3));
  SAME(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&nobody, sizeof nobody));
  SAME(connect(-1, (struct sockaddr *)&nobody, sizeof nobody));
  SAME(close(12345));
  close(s[1]);
  SAME(read(s[0], b, 1));
  SAME(recv(s[0], b, 1, MSG_WAITALL));
  SAME(send(s[0], b, 1, MSG_NOSIGNAL));
  SAME(write(s[0], b, 1));
  close(p[0]);
  SAME(write(p[1], b, 1));
  close(d[1]);
  EXPECT(send(d[0], b, 1, 0) == -1 && errno == ECONNREFUSED);
}

TEST(a_nonblocking_descriptor_says_eagain_at_once) {
  int p[2], s[2];
  char b[4];
  EXPECT(pipe2(p, O_NONBLOCK) == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s) == 0);
  int listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  EXPECT(listen(listening, 5) == 0);
  SAME(read(p[0], b, 4));
  SAME(recv(s[0], b, 4, 0));
  SAME(accept(listening, NULL, NULL));
  static char much[1 << 20];
  EXPECT(write(p[1], much, sizeof much) == 65536);
  SAME(write(p[1], much, 1));
  EXPECT(send(s[0], much, sizeof much, 0) < (ssize_t)sizeof much);
  while (send(s[0], much, 1, 0) == 1) {
  }
  SAME(send(s[0], much, 1, 0));
}

TEST(descriptors_stay_as_they_were) {
  int p[2], s[2], listening = socket(AF_INET, SOCK_STREAM, 0), out = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  EXPECT(bind(listening, (struct sockaddr *)&a, size) == 0 && listen(listening, 5) == 0);
  EXPECT(getsockname(listening, (struct sockaddr *)&a, &size) == 0);
  ch_activity all[4];
  int in = -1;
  activate[&all[0]] {
    char c;
    EXPECT(read(p[0], &c, 1) == 1);
  }
  activate[&all[1]] {
    char c;
    EXPECT(recv(s[0], &c, 1, 0) == 1);
  }
  activate[&all[2]] {
    in = accept(listening, NULL, NULL);
    EXPECT(in >= 0);
  }
  activate[&all[3]] { EXPECT(connect(out, (struct sockaddr *)&a, size) == 0); }
  let_others_run();
  int fds[] = {p[0], p[1], s[0], s[1], listening, out};
  for (int i = 0; i < 6; i++)
    EXPECT(!(fcntl(fds[i], F_GETFL) & O_NONBLOCK));
  EXPECT(write(p[1], "x", 1) == 1 && write(s[1], "x", 1) == 1);
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&all[i]);
  for (int i = 0; i < 6; i++)
    EXPECT(!(fcntl(fds[i], F_GETFL) & O_NONBLOCK));
  EXPECT(!(fcntl(in, F_GETFL) & O_NONBLOCK));
}

TEST(receive_timeouts_are_kept) {
  int s[2];
  char c;
  struct timeval t = {0, 20000};
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  EXPECT(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
  int64_t before = ch_now();
  SAME(recv(s[0], &c, 1, 0));
  SAME(read(s[0], &c, 1));
  EXPECT(ch_now() - before >= 4 * 10000000L); /* the kernel counts them in its ticks */
}

TEST(closing_ends_a_wait_for_the_descriptor) {
  int p[2];
  EXPECT(pipe(p) == 0);
  ch_activity reader;
  activate[&reader] {
    char c;
    EXPECT(read(p[0], &c, 1) == -1 && errno == EBADF);
  }
  let_others_run();
  EXPECT(close(p[0]) == 0);
  EXPECT(ch_activity_wait(&reader) == 0);
}

/* With the result of the plain call, which leaves errno alone. */
TEST(closing_ends_a_clause_for_the_readiness_of_the_descriptor) {
  int p[2];
  EXPECT(pipe(p) == 0);
  ch_activity reader;
  activate[&reader] {
    int found = 0;
    errno = EIO;
    waituntil(found = ch_fd_wait(p[0], POLLIN, CH_FOREVER)) EXPECT(found == -EBADF && errno == EIO);
    or waituntil(ch_sleep(INT64_C(100000000000))) EXPECT(0);
  }
  let_others_run();
  EXPECT(close(p[0]) == 0);
  EXPECT(ch_activity_wait(&reader) == 0);
  for (int i = 0; i < 2; i++) {
    int fd = i ? -1 : p[0], found = 0;
    long got = 0;
    waituntil(found = ch_fd_wait(fd, POLLIN, CH_FOREVER)) {}
    EXPECT(found == -EBADF);
    waituntil(found = ch_fd_wait(fd, POLLIN, 0)) {}
    EXPECT(found == -EBADF);
    waituntil(got = read(fd, p, 1)) {}
    else EXPECT(0);
    EXPECT(got == -1 && errno == EBADF);
  }
}

TEST(atomic_code_calls_the_plain_functions) {
  int p[2], ran = 0;
  EXPECT(pipe(p) == 0);
  activate { ran = 1; }
  atomic {
    char c;
    EXPECT(write(p[1], "x", 1) == 1 && read(p[0], &c, 1) == 1);
    struct timespec t = {0, 1000000};
    EXPECT(nanosleep(&t, NULL) == 0);
  }
  EXPECT(!ran);
  ch_reschedule();
  EXPECT(ran);
}

/* ---- connections ---- */

TEST(two_hundred_connections_in_one_thread) {
  enum { MANY = 200 };
  int listening = socket(AF_INET, SOCK_STREAM, 0), served = 0, answered = 0;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  EXPECT(bind(listening, (struct sockaddr *)&a, size) == 0 && listen(listening, 64) == 0);
  EXPECT(getsockname(listening, (struct sockaddr *)&a, &size) == 0);
  ch_activity server, clients[MANY];
  activate[&server] {
    ch_activity connections[MANY];
    for (int i = 0; i < MANY; i++) {
      struct sockaddr_in peer;
      socklen_t length = sizeof peer;
      int fd = accept(listening, (struct sockaddr *)&peer, &length);
      EXPECT(fd >= 0 && length == sizeof peer && peer.sin_family == AF_INET);
      activate[&connections[i]](fd) {
        char b[64];
        for (ssize_t n; (n = read(fd, b, sizeof b)) > 0;)
          EXPECT(write(fd, b, (size_t)n) == n);
        close(fd);
        served++;
      }
    }
    for (int i = 0; i < MANY; i++)
      ch_activity_wait(&connections[i]);
  }
  for (int i = 0; i < MANY; i++)
    activate[&clients[i]](i) {
      char b[64], r[64];
      int fd = socket(AF_INET, SOCK_STREAM, 0);
      EXPECT(connect(fd, (struct sockaddr *)&a, size) == 0);
      for (int k = 0; k < 5; k++) {
        int n = snprintf(b, sizeof b, "%d-%d", i, k);
        EXPECT(send(fd, b, (size_t)n, 0) == n && recv(fd, r, (size_t)n, MSG_WAITALL) == n &&
               memcmp(b, r, (size_t)n) == 0);
      }
      close(fd);
      answered++;
    }
  for (int i = 0; i < MANY; i++)
    EXPECT(ch_activity_wait(&clients[i]) == 0);
  EXPECT(ch_activity_wait(&server) == 0 && served == MANY && answered == MANY);
}

/* ---- poll ---- */

TEST(poll_waits_for_the_first_of_several) {
  int p[3][2];
  for (int i = 0; i < 3; i++)
    EXPECT(pipe(p[i]) == 0);
  struct pollfd all[] = {{p[0][0], POLLIN, 0}, {-1, POLLIN, 0}, {p[1][0], POLLIN, 0}, {p[2][0], POLLIN, 0}};
  SAME(poll(all, 4, 0));
  int64_t before = ch_now();
  SAME(poll(all, 4, 15));
  EXPECT(ch_now() - before >= 30000000L);
  activate { EXPECT(write(p[2][1], "x", 1) == 1); }
  EXPECT(poll(all, 4, -1) == 1 && all[3].revents == POLLIN && !all[0].revents && !all[1].revents && !all[2].revents);
  SAME(poll(all, 4, -1));
  activate { close(p[1][1]); }
  all[3].events = 0;
  EXPECT(poll(all, 4, 10000) == 1 && all[2].revents == POLLHUP);
  all[0].fd = 12345;
  SAME(poll(all, 4, -1));
  EXPECT(all[0].revents == POLLNVAL);
  SAME(poll(NULL, 0, 5));
}

/* ---- time ---- */

TEST(sleeps_overlap) {
  enum { MANY = 100 };
  ch_activity all[MANY];
  int64_t before = ch_now();
  int asleep = 0, most = 0;
  for (int i = 0; i < MANY; i++)
    activate[&all[i]](i) {
      struct timespec t = {0, 50000000};
      if (++asleep > most)
        most = asleep;
      switch (i % 4) {
      case 0:
        EXPECT(usleep(50000) == 0);
        break;
      case 1:
        EXPECT(nanosleep(&t, NULL) == 0);
        break;
      case 2:
        EXPECT(clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL) == 0);
        break;
      default:
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += 50000000;
        if (t.tv_nsec >= 1000000000)
          t.tv_sec++, t.tv_nsec -= 1000000000;
        EXPECT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
      }
      EXPECT(ch_now() - before >= 49900000);
      asleep--;
    }
  for (int i = 0; i < MANY; i++)
    ch_activity_wait(&all[i]);
  EXPECT(most > MANY / 10); /* all of them, but where the machine holds us up */
}
TEST(bad_times_are_refused_as_by_libc) {
  struct timespec bad = {0, 1000000000}, negative = {-1, 0}, past = {1, 0};
  SAME(nanosleep(&bad, NULL));
  SAME(nanosleep(&negative, NULL));
  SAME(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL));
  SAME(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
  SAME(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL));
  SAME(clock_nanosleep(999, 0, &past, NULL));
  SAME(sleep(0));
  SAME(usleep(0));
}

/* ---- names ---- */

/* Answers A queries with 10.0.a.b for "h<n>....", has no AAAA, and knows no name that begins with x. Ends with the
 * program. */
static void serve_names(int fd) {
  unsigned char m[600];
  struct sockaddr_in from;
  for (;;) {
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(fd, m, 512, 0, (struct sockaddr *)&from, &size);
    if (n < 12)
      continue;
    size_t at = 12;
    while (m[at])
      at += m[at] + 1u;
    int type = m[at + 2], number = atoi((char *)m + 14), known = m[13] == 'h';
    at += 5;
    m[2] = 0x81;
    m[3] = known ? 0x80 : 0x83;
    memset(m + 6, 0, 6);
    if (known && type == 1) {
      unsigned char answer[16] = {
          0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, (unsigned char)(number >> 8), (unsigned char)number};
      memcpy(m + at, answer, 16);
      at += 16;
      m[7] = 1;
    }
    sendto(fd, m, at, 0, (struct sockaddr *)&from, size);
  }
}
TEST(three_hundred_names_at_once) {
  enum { MANY = 300 };
  int fd = socket(AF_INET, SOCK_DGRAM, 0), found = 0;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  EXPECT(bind(fd, (struct sockaddr *)&a, size) == 0 && getsockname(fd, (struct sockaddr *)&a, &size) == 0);
  activate(fd) { serve_names(fd); }
  char list[64];
  snprintf(list, sizeof list, "127.0.0.1:%d", ntohs(a.sin_port));
  EXPECT(ch_dns_servers(list) == 0);
  ch_activity all[MANY];
  for (int i = 0; i < MANY; i++)
    activate[&all[i]](i) {
      char name[64];
      struct addrinfo *r, hints = {.ai_socktype = SOCK_STREAM};
      snprintf(name, sizeof name, "h%d.example.com", i);
      EXPECT(getaddrinfo(name, "8080", &hints, &r) == 0);
      struct sockaddr_in *in = (struct sockaddr_in *)r->ai_addr;
      EXPECT(r->ai_family == AF_INET && r->ai_protocol == IPPROTO_TCP && !r->ai_next);
      EXPECT(in->sin_port == htons(8080) && ntohl(in->sin_addr.s_addr) == 0x0a000000u + (unsigned)i);
      freeaddrinfo(r);
      found++;
    }
  for (int i = 0; i < MANY; i++)
    EXPECT(ch_activity_wait(&all[i]) == 0);
  EXPECT(found == MANY);
  struct addrinfo *r, hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_DGRAM};
  EXPECT(getaddrinfo("xnobody.example.com", NULL, NULL, &r) == EAI_NONAME);
  EXPECT(getaddrinfo("h7.example.com", NULL, &hints, &r) != 0);
  hints.ai_flags = AI_V4MAPPED;
  EXPECT(getaddrinfo("h7.example.com", NULL, &hints, &r) == 0 && r->ai_family == AF_INET6);
  EXPECT(IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)r->ai_addr)->sin6_addr));
  freeaddrinfo(r);
  EXPECT(getaddrinfo("h9.example.com", NULL, NULL, &r) == 0);
  int kinds = 0;
  for (struct addrinfo *i = r; i; i = i->ai_next)
    kinds++;
  EXPECT(kinds == 3); /* stream, datagram, raw, as libc */
  freeaddrinfo(r);
  SAME(getaddrinfo("127.0.0.1", "nosuchservice", NULL, &r));
  SAME(getaddrinfo("h7.example.com", "nosuchservice", NULL, &r));
}
TEST(lists_of_name_servers_are_checked) {
  EXPECT(ch_dns_servers("127.0.0.1:5353,[::1]:53,8.8.8.8,::1") == 0);
  EXPECT(ch_dns_servers("dns.example.com") == EINVAL);
  EXPECT(ch_dns_servers("127.0.0.1:") == EINVAL);
  EXPECT(ch_dns_servers("127.0.0.1:99999") == EINVAL);
  EXPECT(ch_dns_servers("127.0.0.1:4294967349") == EINVAL && ch_dns_servers("[::1]:18446744073709551669") == EINVAL);
  EXPECT(ch_dns_servers("") == EINVAL);
  EXPECT(ch_dns_servers(NULL) == 0);
}

/* ---- processes ---- */

TEST(a_child_of_fork_goes_on_by_itself) {
  int p[2], q[2], status;
  EXPECT(pipe(p) == 0 && pipe(q) == 0);
  ch_activity warm;
  activate[&warm] {
    char c;
    EXPECT(read(p[0], &c, 1) == 1);
  } /* so that there is a reactor to inherit */
  let_others_run();
  EXPECT(write(p[1], "x", 1) == 1 && ch_activity_wait(&warm) == 0);
  pid_t child = fork();
  if (child == 0) {
    ch_activity sleeper, reader;
    int slept = 0;
    activate[&sleeper] {
      EXPECT(usleep(1000) == 0);
      slept = 1;
      EXPECT(write(p[1], "y", 1) == 1);
    }
    activate[&reader] {
      char c;
      EXPECT(read(p[0], &c, 1) == 1 && c == 'y');
    }
    EXPECT(ch_activity_wait(&sleeper) == 0 && ch_activity_wait(&reader) == 0 && slept);
    EXPECT(write(q[1], "z", 1) == 1);
    _exit(7);
  }
  char c;
  EXPECT(read(q[0], &c, 1) == 1 && c == 'z');
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* ---- conditions of pthreads and branches ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;
static void asks_again(void) {
  pthread_mutex_lock(&mutex);
  while (!is_ready)
    pthread_cond_wait(&condition, &mutex); /* ECANCELED, which programs do not look at */
  pthread_mutex_unlock(&mutex);
}
static void makes_ready(void) {
  noncancellable {
    ch_sleep(1000000);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
}
static void cancelled_condition(void) {
  do {
    async asks_again();
    async makes_ready();
    cancel;
  }
  finish;
}
TEST(law_1_who_waits_again_and_again_on_a_condition_in_a_cancelled_scope_lets_its_siblings_go_on) {
  cancelled_condition();
  EXPECT(is_ready);
}
