/* Tests of wrong entries in the readiness cache (runtime/reactor/readiness_cache.h). An entry becomes wrong when code
 * that was not recompiled closes a number which is then used again, or when another process changes the descriptor's
 * mode; raw system calls do both here. The result is then still the plain call's, but may come later; what recompiled
 * code does takes effect at once. If an entry is never verified the test hangs until its alarm. */
#include "harness.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
static void raw_close(int fd) { EXPECT(syscall(SYS_close, fd) == 0); }
static void raw_onto(int fd, int number) { EXPECT(syscall(SYS_dup3, fd, number, 0) == number); }
static int raw_flags(int fd) { return (int)syscall(SYS_fcntl, fd, F_GETFL); }
static void raw_nonblocking(int fd) { EXPECT(syscall(SYS_fcntl, fd, F_SETFL, raw_flags(fd) | O_NONBLOCK) == 0); }
static void raw_timeout(int fd, int option, int ms) {
  struct timeval t = {ms / 1000, ms % 1000 * 1000};
  EXPECT(syscall(SYS_setsockopt, fd, SOL_SOCKET, option, &t, sizeof t) == 0);
}
static void raw_write(int fd, const char *text) {
  EXPECT(raw_syscall(SYS_write, fd, text, strlen(text)) == (long)strlen(text));
}

/* Somebody else waits, too: who is alone makes the plain call. */
static int never[2];
static void begins(void) {
  alarm(30);
  EXPECT(pipe(never) == 0);
  activate {
    char c;
    read(never[0], &c, 1);
  }
}

/* Reads and waits until the cache has an entry: the descriptor blocks, has no timeout, and a short read empties it. */
static void use(int reader, int writer) {
  char b[100];
  for (int i = 0; i < 4; i++) {
    ssize_t r = -2;
    ch_activity reads;
    activate[&reads] { r = read(reader, b, sizeof b); }
    for (int k = 0; k < 6; k++)
      ch_reschedule();
    EXPECT(r == -2);
    raw_write(writer, "hello");
    ch_activity_wait(&reads);
    EXPECT(r == 5);
  }
}

static void pair(int s[2]) { EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0); }

TEST(a_number_used_again_for_another_socket) {
  char b[100];
  int a[2], c[2];
  begins();
  pair(a);
  pair(c);
  use(a[0], a[1]);
  raw_onto(c[0], a[0]);
  raw_write(c[1], "new");
  EXPECT(read(a[0], b, sizeof b) == 3 && memcmp(b, "new", 3) == 0);
  use(a[0], c[1]);
}

TEST(a_number_used_again_while_nothing_is_there_to_read) {
  char b[100];
  int a[2], c[2];
  begins();
  pair(a);
  pair(c);
  use(a[0], a[1]);
  raw_onto(c[0], a[0]);
  ssize_t r = -2;
  ch_activity reads;
  activate[&reads] { r = read(a[0], b, sizeof b); }
  ch_sleep(100000000);
  EXPECT(r == -2);
  raw_write(c[1], "newer");
  ch_activity_wait(&reads);
  EXPECT(r == 5);
}

TEST(a_number_used_again_and_again) {
  char b[100];
  begins();
  for (int i = 0; i < 300; i++) {
    int a[2], c[2];
    pair(a);
    use(a[0], a[1]);
    EXPECT(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, c) == 0);
    raw_onto(c[0], a[0]);
    raw_write(c[1], "x");
    EXPECT(read(a[0], b, sizeof b) == 1);
    for (int k = 0; k < 2; k++)
      raw_close(a[k]), raw_close(c[k]);
  }
}

TEST(a_number_used_again_for_a_file) {
  static char b[200000], text[200000];
  int a[2], p[2], f = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  begins();
  memset(text, 'z', sizeof text);
  EXPECT(write(f, text, sizeof text) == sizeof text);
  pair(a);
  EXPECT(pipe(p) == 0);
  use(a[0], a[1]);
  use(p[0], p[1]);
  raw_onto(f, a[0]);
  raw_onto(f, p[0]);
  posix_fadvise(f, 4096, 100000, POSIX_FADV_DONTNEED);
  EXPECT(lseek(f, 0, SEEK_SET) == 0);
  ssize_t r = read(a[0], b, sizeof b);
  EXPECT(r == sizeof b && memcmp(b, text, sizeof b) == 0);
  EXPECT(lseek(f, 0, SEEK_SET) == 0);
  EXPECT(read(p[0], b, sizeof b) == sizeof b);
  EXPECT(read(p[0], b, sizeof b) == 0);
  unlink("file");
}

TEST(a_number_that_was_closed) {
  char c;
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  raw_close(a[0]);
  EXPECT(read(a[0], &c, 1) == -1 && errno == EBADF);
}

/* ---- whole ranges, and what fails ---- */

TEST(a_range_is_closed_while_somebody_waits_in_it) {
  int p[2], r = 0;
  begins();
  EXPECT(pipe(p) == 0);
  int high = (int)syscall(SYS_fcntl, p[0], F_DUPFD, 300);
  ch_activity waits;
  activate[&waits] { r = ch_fd_wait(high, POLLIN, CH_FOREVER); }
  ch_sleep(5000000);
  EXPECT(close_range(290, 400, 0) == 0);
  ch_activity_wait(&waits);
  EXPECT(r == -EBADF);
}

TEST(a_dup3_that_fails_closes_nothing) {
  char c = 0;
  int p[2];
  begins();
  EXPECT(pipe(p) == 0);
  ch_activity reads;
  activate[&reads] { EXPECT(read(p[0], &c, 1) == 1); }
  ch_sleep(5000000);
  EXPECT(dup3(p[1], p[0], O_APPEND) == -1 && errno == EINVAL);
  raw_write(p[1], "x");
  ch_activity_wait(&reads);
  EXPECT(c == 'x');
}

/* ---- a listener, and a connection ---- */

TEST(a_listener_whose_mode_was_changed) {
  int l[2];
  begins();
  for (int i = 0; i < 2; i++) {
    l[i] = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(listen(l[i], 5) == 0);
  }
  raw_timeout(l[0], SO_RCVTIMEO, 30);
  raw_nonblocking(l[1]);
  for (int i = 0; i < 2; i++)
    EXPECT(accept(l[i], NULL, NULL) == -1 && errno == EAGAIN);
}

TEST(a_connection_whose_time_out_was_set) {
  struct sockaddr_un name = {AF_UNIX, "listener"};
  begins();
  unlink(name.sun_path);
  int l = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0),
      second = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(l, (void *)&name, sizeof name) == 0 && listen(l, 0) == 0);
  EXPECT(connect(first, (void *)&name, sizeof name) == 0);
  raw_timeout(second, SO_SNDTIMEO, 30);
  EXPECT(connect(second, (void *)&name, sizeof name) == -1 && errno == EAGAIN); /* the queue is full */
  unlink(name.sun_path);
}

/* A socket, of whose mode nobody else is expected to know. */
TEST(a_mode_changed_by_a_child) {
  char b[100];
  int a[2], status;
  begins();
  pair(a);
  use(a[0], a[1]);
  pid_t child = fork();
  if (child == 0) {
    raw_nonblocking(a[0]);
    syscall(SYS_exit_group, 0);
  }
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(read(a[0], b, sizeof b) == -1 && errno == EAGAIN);
  raw_write(a[1], "there");
  EXPECT(read(a[0], b, sizeof b) == 5);
  EXPECT(read(a[0], b, sizeof b) == -1 && errno == EAGAIN);
}

/* A pipe is asked at each wait. */
TEST(a_pipes_mode_is_asked_at_each_wait) {
  char b[100];
  int p[2];
  begins();
  EXPECT(pipe(p) == 0);
  use(p[0], p[1]);
  raw_nonblocking(p[0]);
  int64_t before = ch_now();
  EXPECT(read(p[0], b, sizeof b) == -1 && errno == EAGAIN);
  (void)before;
  /* And whoever waits goes on waiting, as in the plain call. */
  EXPECT(syscall(SYS_fcntl, p[0], F_SETFL, raw_flags(p[0]) & ~O_NONBLOCK) == 0);
  ssize_t r = -2;
  ch_activity reads;
  activate[&reads] { r = read(p[0], b, sizeof b); }
  for (int k = 0; k < 6; k++)
    ch_reschedule();
  raw_nonblocking(p[0]);
  ch_sleep(100000000);
  EXPECT(r == -2);
  raw_write(p[1], "at last");
  ch_activity_wait(&reads);
  EXPECT(r == 7);
}

TEST(a_time_out_set_behind_our_back) {
  char b[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  raw_timeout(a[0], SO_RCVTIMEO, 200);
  for (int i = 0; i < 2; i++) {
    int64_t before = now();
    EXPECT(read(a[0], b, sizeof b) == -1 && errno == EAGAIN);
    EXPECT(now() - before >= INT64_C(200000000));
  }
}

TEST(a_time_out_for_sending_set_behind_our_back) {
  static char b[1 << 20];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  ssize_t r = -2;
  ch_activity writes;
  activate[&writes] { r = write(a[0], b, sizeof b); }
  for (int k = 0; k < 6; k++)
    ch_reschedule();
  EXPECT(r == -2);
  for (ssize_t got = 0; got < (ssize_t)sizeof b;)
    got += read(a[1], b, sizeof b);
  ch_activity_wait(&writes);
  EXPECT(r == sizeof b);
  raw_timeout(a[0], SO_SNDTIMEO, 200);
  int64_t before = now();
  r = write(a[0], b, sizeof b);
  EXPECT(r > 0 && r < (ssize_t)sizeof b);
  EXPECT(now() - before >= INT64_C(200000000));
}

/* Of two that wait for one descriptor one begins to wait again and again: the other is not forgotten for that. */
TEST(a_time_out_set_behind_our_back_on_a_busy_descriptor) {
  static char b[1 << 16];
  char c[100];
  int a[2], ends = 0;
  long waits = 0;
  begins();
  pair(a);
  use(a[0], a[1]);
  raw_timeout(a[0], SO_RCVTIMEO, 200);
  ch_activity writes, drains;
  activate[&writes] {
    while (!ends && write(a[0], b, sizeof b) > 0)
      waits++;
  }
  activate[&drains] {
    while (!ends) {
      static char taken[1 << 16];
      while (raw_syscall(SYS_recvfrom, a[1], taken, sizeof taken, MSG_DONTWAIT, NULL, NULL) > 0)
        ;
      ch_sleep(2000000);
    }
    raw_close(a[1]);
  }
  int64_t before = now();
  EXPECT(read(a[0], c, sizeof c) == -1 && errno == EAGAIN);
  EXPECT(now() - before >= INT64_C(200000000));
  EXPECT(waits > 20);
  ends = 1;
  signal(SIGPIPE, SIG_IGN);
  ch_activity_wait(&drains);
  ch_activity_wait(&writes);
}

/* ---- what recompiled code does ---- */

TEST(a_mode_changed_by_a_replacement_holds_at_once) {
  char b[100];
  int a[2], on = 1, ran = 0;
  begins();
  pair(a);
  use(a[0], a[1]);
  EXPECT(fcntl(a[0], F_SETFL, fcntl(a[0], F_GETFL) | O_NONBLOCK) == 0);
  EXPECT(read(a[0], b, sizeof b) == -1 && errno == EAGAIN);
  use(a[1], a[0]);
  int d = dup(a[1]);
  EXPECT(ioctl(d, FIONBIO, &on) == 0);
  EXPECT(read(a[1], b, sizeof b) == -1 && errno == EAGAIN);
  EXPECT(ran == 0);
}

TEST(a_time_out_set_by_a_replacement_holds_at_once) {
  char b[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  struct timeval t = {0, 50000};
  EXPECT(setsockopt(a[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
  int64_t before = now();
  EXPECT(read(a[0], b, sizeof b) == -1 && errno == EAGAIN);
  EXPECT(now() - before >= INT64_C(50000000));
}

TEST(who_waits_does_not_care_for_a_change_of_mode) {
  char b[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  ssize_t r = -2;
  ch_activity reads;
  activate[&reads] { r = read(a[0], b, sizeof b); }
  for (int k = 0; k < 6; k++)
    ch_reschedule();
  EXPECT(fcntl(a[0], F_SETFL, fcntl(a[0], F_GETFL) | O_NONBLOCK) == 0);
  ch_sleep(700000000); /* longer than what the kernel is not asked about */
  EXPECT(r == -2);
  raw_write(a[1], "late");
  ch_activity_wait(&reads);
  EXPECT(r == 4);
}

TEST(dup2_onto_a_number_makes_it_new) {
  char b[100];
  int a[2], c[2];
  begins();
  pair(a);
  pair(c);
  use(a[0], a[1]);
  int old = dup(a[0]); /* so that the description, and what epoll knows of it, outlive the number */
  raw_write(c[1], "c");
  EXPECT(dup2(c[0], a[0]) == a[0]);
  EXPECT(read(a[0], b, sizeof b) == 1 && b[0] == 'c');
  for (int i = 0; i < 3000; i++) { /* events under the number that was */
    raw_write(a[1], "x");
    EXPECT(ch_fd_wait(old, POLLIN, CH_FOREVER) == POLLIN);
    EXPECT(read(old, b, 1) == 1);
  }
  ssize_t r = -2;
  ch_activity reads;
  activate[&reads] { r = read(a[0], b, sizeof b); }
  raw_write(a[1], "not this");
  ch_sleep(30000000);
  EXPECT(r == -2);
  raw_write(c[1], "this");
  ch_activity_wait(&reads);
  EXPECT(r == 4);
}

/* ---- what is left behind ---- */

TEST(a_short_read_leaves_the_next_datagram) {
  char b[100];
  int s[2];
  begins();
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++)
      raw_write(s[1], "one");
    for (int k = 0; k < 3; k++)
      EXPECT(read(s[0], b, sizeof b) == 3);
    use(s[0], s[1]);
  }
}

TEST(the_end_that_came_with_the_last_bytes) {
  char b[100];
  begins();
  for (int i = 0; i < 20; i++) {
    int a[2];
    if (i % 2)
      pair(a);
    else
      EXPECT(pipe(a) == 0);
    use(a[0], a[1]);
    raw_write(a[1], "bye");
    close(a[1]);
    EXPECT(read(a[0], b, sizeof b) == 3);
    EXPECT(read(a[0], b, sizeof b) == 0);
    close(a[0]);
  }
}

/* The kernel is asked after 10 ms whether an entry is right. If every round had to wait for that, no round would take
 * less time. A busy machine may delay many rounds, but not a hundred. */
enum { BEFORE_THE_CACHE_IS_CHECKED = 9000000 };
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

/* A read ends where a message with a descriptor ends, and more is there: the next read does not wait at all. */
TEST(what_lies_behind_a_message_with_a_descriptor_is_there_at_once) {
  char b[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  int64_t quickest = INT64_MAX;
  for (int i = 0; i < 100 && quickest >= BEFORE_THE_CACHE_IS_CHECKED; i++) {
    union {
      struct cmsghdr header;
      char room[CMSG_SPACE(sizeof(int))];
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &a[1], sizeof(int));
    struct msghdr m = {
        .msg_iov = &(struct iovec){"a", 1}, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    EXPECT(raw_syscall(SYS_sendmsg, a[1], &m, 0) == 1);
    raw_write(a[1], "bcd");
    int64_t before = now();
    EXPECT(read(a[0], b, sizeof b) == 1);
    EXPECT(read(a[0], b, sizeof b) == 3);
    quickest = earlier(quickest, now() - before);
  }
  EXPECT(quickest < BEFORE_THE_CACHE_IS_CHECKED);
}

/* The reader's end does not show that its writer sends packets. */
TEST(what_lies_behind_a_packet_is_there_at_once) {
  char b[100];
  int p[2];
  begins();
  EXPECT(pipe(p) == 0);
  use(p[0], p[1]);
  EXPECT(syscall(SYS_fcntl, p[1], F_SETFL, O_WRONLY | O_DIRECT) == 0);
  int64_t quickest = INT64_MAX;
  for (int i = 0; i < 100 && quickest >= BEFORE_THE_CACHE_IS_CHECKED; i++) {
    raw_write(p[1], "one");
    raw_write(p[1], "three");
    int64_t before = now();
    EXPECT(read(p[0], b, sizeof b) == 3 && read(p[0], b, sizeof b) == 5);
    quickest = earlier(quickest, now() - before);
  }
  EXPECT(quickest < BEFORE_THE_CACHE_IS_CHECKED);
}

/* ---- numbers out of nowhere ---- */

static long mapped(void) {
  struct ch_stats s;
  ch_stats(&s);
  FILE *f = fopen("/proc/self/statm", "r");
  long pages = 0;
  EXPECT(f && fscanf(f, "%ld", &pages) == 1);
  fclose(f);
  return pages;
}
TEST(a_number_that_is_not_open_takes_no_memory) {
  char b[1];
  begins();
  ch_sleep(1000000);
  long before = mapped();
  int numbers[] = {100000, 1 << 20, 1 << 30, INT32_MAX, -1, -5};
  for (int i = 0; i < 6; i++) {
    int fd = numbers[i];
    EXPECT(ch_fd_wait(fd, POLLIN, 1000000) == -EBADF);
    EXPECT(read(fd, b, 1) == -1 && errno == EBADF);
    EXPECT(write(fd, b, 1) == -1 && errno == EBADF);
    EXPECT(recv(fd, b, 1, 0) == -1 && errno == EBADF);
    EXPECT(accept(fd, NULL, NULL) == -1 && errno == EBADF);
    EXPECT(close(fd) == -1 && errno == EBADF);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    EXPECT(poll(&p, 1, 1) == (fd >= 0));
  }
  EXPECT(mapped() - before < 2000);
}

TEST(a_wait_for_a_descriptor_that_is_closed_says_so) {
  int a[2], r = 0, timed = 0;
  begins();
  pair(a);
  do {
    async r = ch_fd_wait(a[0], POLLIN, CH_FOREVER);
    async timed = ch_fd_wait(a[0], POLLIN, INT64_C(10000000000));
    ch_sleep(1000000);
    close(a[0]);
  }
  finish;
  EXPECT(r == -EBADF && timed == -EBADF);
  EXPECT(ch_fd_wait(a[0], POLLIN, CH_FOREVER) == -EBADF);
  int f = open("file", O_CREAT | O_RDWR, 0600);
  EXPECT(ch_fd_wait(f, POLLIN, CH_FOREVER) == POLLIN);
  unlink("file");
}

/* ---- the peer of what is closed ---- */

/* Its end comes with close, not with the next look at the reactor: whoever closes goes on computing. */
TEST(the_peer_hears_of_a_close_at_once) {
  char c;
  begins();
  for (int how = 0; how < 4; how++) {
    int a[2];
    pair(a);
    ch_activity waits;
    activate[&waits] {
      if (how == 0)
        EXPECT(read(a[0], &c, 1) == -1 && errno == EBADF);
      if (how == 1)
        EXPECT(recv(a[0], &c, 1, MSG_NOSIGNAL) == -1 && errno == EBADF);
      if (how == 2)
        EXPECT(readv(a[0], &(struct iovec){&c, 1}, 1) == -1 && errno == EBADF);
      if (how == 3)
        EXPECT(ch_fd_wait(a[0], POLLIN, CH_FOREVER) == -EBADF);
    }
    ch_sleep(2000000);
    struct pollfd peer = {.fd = a[1], .events = POLLIN};
    close(a[0]);
    EXPECT(raw_syscall(SYS_poll, &peer, 1, 10) == 1 && peer.revents & POLLHUP);
    ch_activity_wait(&waits);
    close(a[1]);
  }
}

TEST(descriptors_in_messages_cut_reads_short) {
  char b[100], room[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  for (int i = 0; i < 5; i++) {
    union {
      struct cmsghdr header;
      char room[CMSG_SPACE(sizeof(int))];
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &a[1], sizeof(int));
    struct msghdr m = {.msg_iov = &(struct iovec){"with", 4},
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    EXPECT(raw_syscall(SYS_sendmsg, a[1], &m, 0) == 4);
    raw_write(a[1], "without");
    struct msghdr got = {
        .msg_iov = &(struct iovec){b, sizeof b}, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    EXPECT(recvmsg(a[0], &got, 0) == 4);
    int sent;
    memcpy(&sent, CMSG_DATA(CMSG_FIRSTHDR(&got)), sizeof sent);
    close(sent);
    EXPECT(read(a[0], b, sizeof b) == 7);
  }
}

TEST(two_who_wait_for_one_descriptor) {
  char b[2][100];
  ssize_t r[2] = {-2, -2};
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  for (int i = 0; i < 2; i++)
    activate(i) { r[i] = read(a[0], b[i], 1); }
  for (int k = 0; k < 6; k++)
    ch_reschedule();
  raw_write(a[1], "1");
  while (r[0] == -2 && r[1] == -2)
    ch_sleep(1000000);
  EXPECT(r[0] == -2 || r[1] == -2);
  raw_write(a[1], "2");
  while (r[0] == -2 || r[1] == -2)
    ch_sleep(1000000);
  EXPECT(r[0] == 1 && r[1] == 1);
}

/* poll looks at levels: what was there before is there still. */
TEST(poll_sees_what_was_left_behind) {
  char b[100];
  int a[2];
  begins();
  pair(a);
  use(a[0], a[1]);
  raw_write(a[1], "abc");
  for (int i = 0; i < 3; i++) {
    struct pollfd p = {.fd = a[0], .events = POLLIN};
    EXPECT(poll(&p, 1, 5000) == 1 && p.revents == POLLIN);
    EXPECT(ch_fd_wait(a[0], POLLIN, CH_FOREVER) == POLLIN);
    EXPECT(read(a[0], b, 1) == 1);
  }
  struct pollfd p = {.fd = a[0], .events = POLLIN};
  EXPECT(poll(&p, 1, 20) == 0);
  EXPECT(ch_fd_wait(a[0], POLLIN, 20000000) == 0);
  use(a[0], a[1]);
}

TEST(a_child_waits_by_itself) {
  char b[100];
  int a[2], status;
  begins();
  pair(a);
  use(a[0], a[1]);
  pid_t child = fork();
  if (child == 0) {
    ssize_t r = -2;
    ch_activity reads;
    activate[&reads] { r = read(a[0], b, sizeof b); }
    for (int k = 0; k < 6; k++)
      ch_reschedule();
    raw_write(a[1], "hello");
    ch_activity_wait(&reads);
    _exit(r == 5 ? 0 : 1);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  use(a[0], a[1]);
}

/* ---- what has come since the reactor last looked ----
 *
 * Whoever looks again and again and never waits for long sees it at once. Nobody else waits here, so nothing else makes
 * the reactor look. */

/* Nothing was there, and then a byte has come. */
static void byte_comes(int a[2]) {
  char c;
  alarm(30);
  pair(a);
  within (1000000) do EXPECT(read(a[0], &c, 1) == -1 && errno == ECANCELED);
  finish;
  raw_write(a[1], "x");
}

TEST(a_look_without_a_wait_sees_what_has_come) {
  int a[2];
  byte_comes(a);
  EXPECT(ch_fd_wait(a[0], POLLIN, 0) == POLLIN);
  EXPECT(ch_fd_wait(a[0], POLLIN, -1) == POLLIN);
  EXPECT(ch_fd_wait(a[0], POLLIN, 1) == POLLIN);
  EXPECT(ch_fd_wait(a[0], POLLIN | POLLOUT, 0) == (POLLIN | POLLOUT));
  close(a[0]);
  EXPECT(ch_fd_wait(a[0], POLLIN, 0) == -EBADF);
  EXPECT(ch_fd_wait(-1, POLLIN, 0) == -EBADF);
  do {
    cancel;
    EXPECT(ch_fd_wait(a[1], POLLOUT, 0) == -ECANCELED);
  } finish;
}

TEST(a_statement_with_else_sees_what_has_come) {
  char b[10];
  long r = 0;
  int a[2];
  byte_comes(a);
  waituntil (r = read(a[0], b, sizeof b)) EXPECT(r == 1);
  else EXPECT(!"the byte is there");
  waituntil (r = read(a[0], b, sizeof b)) EXPECT(!"it was read");
  else r = 0;
  raw_write(a[1], "yz");
  waituntil (r = recv(a[0], b, sizeof b, 0)) EXPECT(r == 2);
  else EXPECT(!"two bytes are there");
}

TEST(the_first_clause_that_is_ready_wins_although_it_has_just_become_so) {
  char b[10];
  long r = 0;
  int a[2], always[2];
  byte_comes(a);
  pair(always);
  raw_write(always[1], "more than enough");
  waituntil (r = read(a[0], b, sizeof b)) EXPECT(r == 1);
  or waituntil (r = read(always[0], b, 1)) EXPECT(!"it stands behind the first");
  waituntil (r = read(a[0], b, sizeof b)) EXPECT(!"it was read");
  or waituntil (r = read(always[0], b, 1)) EXPECT(r == 1);
  raw_write(a[1], "yz");
  waituntil (r = read(a[0], b, sizeof b)) EXPECT(r == 2);
  or waituntil (ch_sleep(0)) EXPECT(!"it stands behind the first");
}

/* The same for other calls: what makes them ready is done by another process, another activity or the clock. */
#define UNTIL_READY(call)                                                                                              \
  for (;;) {                                                                                                           \
    waituntil (call) break;                                                                                            \
    else {}                                                                                                            \
  }
TEST(a_loop_with_else_ends_when_its_clause_is_ready) {
  int status, number = 0, s = -1;
  ch_activity sleeps;
  sigset_t signals;
  alarm(30);
  pid_t child = fork();
  if (child == 0) {
    usleep(10000);
    _exit(4);
  }
  UNTIL_READY(waitpid(child, &status, 0));
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 4);

  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  pid_t sender = fork();
  if (sender == 0) {
    usleep(10000);
    kill(getppid(), SIGUSR1);
    _exit(0);
  }
  UNTIL_READY(sigwait(&signals, &number));
  EXPECT(number == SIGUSR1);

  activate[&sleeps] { ch_sleep(1000000); }
  UNTIL_READY(ch_activity_wait(&sleeps));
  int64_t soon = ch_now() + 1000000;
  UNTIL_READY(ch_sleep_until(soon));
  EXPECT(ch_now() >= soon);

  struct sockaddr_un name = {.sun_family = AF_UNIX};
  socklen_t length = sizeof(sa_family_t);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr *)&name, length) == 0 && listen(listener, 5) == 0);
  waituntil (s = accept(listener, NULL, NULL)) EXPECT(!"nobody has connected");
  else EXPECT(s == -1);
  length = sizeof name;
  EXPECT(getsockname(listener, (struct sockaddr *)&name, &length) == 0);
  EXPECT(connect(client, (struct sockaddr *)&name, length) == 0);
  waituntil (s = accept(listener, NULL, NULL)) EXPECT(s >= 0);
  else EXPECT(!"somebody has connected");
}

TEST(a_read_that_is_given_up_again_and_again_sees_what_has_come) {
  char c;
  ssize_t r = -1;
  int a[2];
  byte_comes(a);
  for (int i = 0; i < 1000 && r != 1; i++)
    do {
      async r = read(a[0], &c, 1);
      cancel;
    } finish;
  EXPECT(r == 1);
}

/* ---- what needs no question ---- */

int calls_of_poll(void);

static void tcp_pair(int s[2]) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof name;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  s[1] = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr *)&name, length) == 0 && listen(listener, 5) == 0);
  EXPECT(getsockname(listener, (struct sockaddr *)&name, &length) == 0);
  EXPECT(connect(s[1], (struct sockaddr *)&name, length) == 0);
  s[0] = accept(listener, NULL, NULL);
  EXPECT(s[0] >= 0);
  close(listener);
}

/* Waits with a limit for bytes that come while it waits. */
static int wait_for_bytes(int s[2]) {
  int ready = -1;
  ch_activity waits;
  activate[&waits] { ready = ch_fd_wait(s[0], POLLIN, INT64_C(20000000000)); }
  for (int i = 0; i < 6; i++)
    ch_reschedule();
  EXPECT(ready == -1);
  raw_write(s[1], "hello");
  ch_activity_wait(&waits);
  return ready;
}

/* A server asks so after each request whether there is another one, and then waits until one comes. */
TEST(a_wait_after_a_short_read_that_did_not_wait_asks_nobody) {
  char b[100];
  int s[2], before = 0;
  begins();
  tcp_pair(s);
  for (int i = 0; i < 10; i++) {
    if (i == 3) /* the first short reads tell what kind of socket it is */
      before = calls_of_poll();
    EXPECT(wait_for_bytes(s) & POLLIN);
    EXPECT(recv(s[0], b, sizeof b, MSG_DONTWAIT) == 5);
  }
  EXPECT(calls_of_poll() - before < 7); /* only a wait that lasts, on a busy machine, is verified */
}

/* The plain call would not wait, so it is made although the cache says that nothing is there. */
TEST(a_call_that_does_not_wait_is_always_made) {
  char b[100];
  int s[2];
  begins();
  tcp_pair(s);
  for (int i = 0; i < 10; i++) {
    EXPECT(wait_for_bytes(s) & POLLIN);
    EXPECT(recv(s[0], b, sizeof b, MSG_DONTWAIT) == 5);
    EXPECT(recv(s[0], b, sizeof b, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    raw_write(s[1], "again");
    EXPECT(recv(s[0], b, sizeof b, MSG_DONTWAIT) == 5 && memcmp(b, "again", 5) == 0);
  }
}

/* ---- the runtime's own descriptors ---- */

TEST(the_lowest_number_is_free) {
  int before = dup(0), after;
  close(before);
  begins();
  ch_sleep(1000000);
  after = dup(0);
  EXPECT(after == before + 2); /* begins made two */
}

TEST(who_closes_everything_can_still_wait) {
  char b[100];
  begins();
  ch_sleep(1000000);
  for (int fd = 3; fd < 4096; fd++)
    close(fd);
  close_range(3, ~0u, 0);
  closefrom(3);
  int a[2];
  pair(a);
  use(a[0], a[1]);
  int d = open("file", O_RDWR | O_CREAT, 0600);
  EXPECT(write(d, "abc", 3) == 3 && pread(d, b, 3, 0) == 3);
  unlink("file");
}
