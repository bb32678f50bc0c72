/* Tests the replacements while system calls fail at random (faults.h): nothing hangs, no byte is lost, and no memory or
 * descriptor leaks. */
#include "faults.h"
#include "harness.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* ---- what has to balance ---- */

static int open_descriptors(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}
struct balance {
  int descriptors;
  struct ch_stats stats;
};
/* So that the reactor and the pool have what they keep. */
static void warm_up(void) {
  int p[2];
  char c;
  EXPECT(ch_inbox() != NULL && pipe(p) == 0);
  activate { ch_sleep(1000000); }
  activate {
    ch_sleep(100000);
    EXPECT(write(p[1], "x", 1) == 1);
  }
  EXPECT(read(p[0], &c, 1) == 1);
  EXPECT(mkdir("warm", 0700) == 0 && rmdir("warm") == 0);
  close(p[0]);
  close(p[1]);
}
/* From the same function before and after, so the callers' own frames are the same. */
__attribute__((noinline)) static void measure(struct balance *b) {
  ch_sleep(20000000);
  b->descriptors = open_descriptors();
  ch_stats(&b->stats);
}
static int balances(const struct balance *a, const struct balance *b) {
  return a->descriptors == b->descriptors && a->stats.activities == b->stats.activities &&
         a->stats.frames == b->stats.frames && a->stats.frame_bytes == b->stats.frame_bytes;
}
#define BEGINS                                                                                                         \
  struct balance before, after;                                                                                        \
  warm_up();                                                                                                           \
  measure(&before)
/* What has ended elsewhere (the kernel, a thread) is heard of a little later: 20 ms mostly, 10 s at most. */
#define ENDS                                                                                                           \
  fault(0, 1);                                                                                                         \
  measure(&after);                                                                                                     \
  for (int more_ = 0; more_ < 500 && !balances(&before, &after); more_++)                                              \
    measure(&after);                                                                                                   \
  EXPECT(after.descriptors == before.descriptors);                                                                     \
  EXPECT(after.stats.activities == before.stats.activities);                                                           \
  EXPECT(after.stats.frames == before.stats.frames && after.stats.frame_bytes == before.stats.frame_bytes)

/* ---- streams: PAIRS writers and readers, each byte checked ---- */

enum { PAIRS = 20, EACH = 60000 };
static unsigned char byte(int pair, size_t i) { return (unsigned char)((size_t)pair * 31 + i * 7 + i / 251); }

static int done;
static void write_all(int fd, int pair) {
  unsigned char b[700];
  size_t sent = 0;
  while (sent < EACH) {
    size_t n = 1 + (sent * 17 + (size_t)pair) % sizeof b;
    if (n > EACH - sent)
      n = EACH - sent;
    for (size_t i = 0; i < n; i++)
      b[i] = byte(pair, sent + i);
    struct iovec v[2] = {{b, n / 2}, {b + n / 2, n - n / 2}};
    ssize_t r = sent % 3 == 0 ? writev(fd, v, 2) : write(fd, b, n);
    if (r < 0 && errno == EINTR)
      continue;
    EXPECT(r > 0 && (size_t)r <= n);
    sent += (size_t)r;
  }
  close(fd);
  done++;
}
static void read_all(int fd, int pair) {
  unsigned char b[900];
  size_t got = 0;
  for (;;) {
    ssize_t r = got % 5 == 0 ? readv(fd, &(struct iovec){b, sizeof b}, 1) : read(fd, b, sizeof b);
    if (r < 0 && errno == EINTR)
      continue;
    EXPECT(r >= 0);
    if (r == 0)
      break;
    for (ssize_t i = 0; i < r; i++)
      EXPECT(b[i] == byte(pair, got + (size_t)i));
    got += (size_t)r;
  }
  EXPECT(got == EACH);
  close(fd);
  done++;
}
static void streams(int kinds, unsigned rate) {
  BEGINS;
  ch_activity all[2 * PAIRS];
  fault(kinds, rate);
  for (int i = 0; i < PAIRS; i++) {
    int s[2];
    EXPECT((i % 2 ? pipe(s) : socketpair(AF_UNIX, SOCK_STREAM, 0, s)) == 0);
    activate[&all[2 * i]](s, i) { write_all(s[1], i); }
    activate[&all[2 * i + 1]](s, i) { read_all(s[0], i); }
  }
  for (int i = 0; i < 2 * PAIRS; i++)
    ch_activity_wait(&all[i]);
  EXPECT(done == 2 * PAIRS);
  EXPECT(kinds == 0 || faults_had() > 0);
  ENDS;
}
TEST(streams_without_faults) { streams(0, 1); }
TEST(streams_with_short_reads) { streams(SHORT_READS, 3); }
TEST(streams_with_short_writes) { streams(SHORT_WRITES, 3); }
TEST(streams_that_are_interrupted) { streams(INTERRUPTED, 5); }
TEST(streams_in_a_storm_of_again) { streams(AGAIN, 2); }
TEST(streams_with_a_slow_kernel) { streams(SLOW, 1); }
TEST(streams_with_a_busy_ring) {
  setenv("CHARCOAL_RING_ENTRIES", "2", 1);
  streams(BUSY | AGAIN, 3);
}
TEST(streams_with_everything) { streams(SHORT_READS | SHORT_WRITES | INTERRUPTED | AGAIN | SLOW, 10); }
TEST(streams_through_the_smallest_ring) {
  setenv("CHARCOAL_RING_ENTRIES", "1", 1);
  streams(SHORT_READS | SHORT_WRITES, 5);
}

/* ---- a child whose ring is busy from the beginning ---- */

/* The waits for descriptors of a child that find no room in its ring are not yet asked for. If one of them is withdrawn
 * then, nothing happens to the others. */
enum { WAITS = 6 };
static void wait_for_byte(int fd, int64_t timeout, int *events) { *events = ch_fd_wait(fd, POLLIN, timeout); }
static int child_with_a_busy_ring(int pipes[WAITS][2], const int events[WAITS]) {
  fault(BUSY, 1);
  ch_sleep(200000000); /* the last wait's time is over meanwhile */
  fault(0, 1);
  for (int i = 0; i < WAITS - 1; i++) {
    if (events[i] != -1 || write(pipes[i][1], "x", 1) != 1)
      return 1;
    while (events[i] == -1)
      ch_sleep(1000000);
    if (events[i] != POLLIN)
      return 2;
  }
  return events[WAITS - 1] != 0;
}
TEST(a_withdrawn_wait_of_a_child_with_a_busy_ring_is_no_others) {
  int pipes[WAITS][2], events[WAITS], status;
  setenv("CHARCOAL_RING_ENTRIES", "4", 1);
waiting:
  do {
    for (int i = 0; i < WAITS; i++) {
      events[i] = -1;
      EXPECT(pipe(pipes[i]) == 0);
      async wait_for_byte(pipes[i][0], i < WAITS - 1 ? CH_FOREVER : 100000000, &events[i]);
    }
    ch_sleep(1000000);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(child_with_a_busy_ring(pipes, events));
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    cancel waiting;
  }
  finish;
  for (int i = 0; i < WAITS; i++) {
    close(pipes[i][0]);
    close(pipes[i][1]);
  }
}

/* ---- storage ---- */

static void write_file(int i) {
  char name[40], b[5000], c[5000];
  struct stat s;
  int f;
  snprintf(name, sizeof name, "f%d", i);
  memset(b, 'a' + i % 26, sizeof b);
  while ((f = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0)
    EXPECT(errno == EINTR || errno == EMFILE);
  for (int k = 0; k < 5; k++)
    EXPECT(pwrite(f, b, sizeof b, k * (off_t)sizeof b) == sizeof b);
  EXPECT(fdatasync(f) == 0 && stat(name, &s) == 0 && s.st_size == 5 * sizeof b);
  EXPECT(pread(f, c, sizeof c, 3 * sizeof b) == sizeof c && memcmp(b, c, sizeof b) == 0);
  EXPECT(close(f) == 0 && rename(name, "over") == 0 && (unlink("over") == 0 || errno == ENOENT));
  done++;
}
static void storage(int kinds, unsigned rate) {
  BEGINS;
  ch_activity all[64];
  fault(kinds, rate);
  for (int i = 0; i < 64; i++)
    activate[&all[i]](i) { write_file(i); }
  for (int i = 0; i < 64; i++)
    ch_activity_wait(&all[i]);
  EXPECT(done == 64);
  ENDS;
}
TEST(storage_without_faults) { storage(0, 1); }
TEST(storage_without_threads) { storage(NO_THREADS, 1); }
TEST(storage_with_a_busy_ring) {
  setenv("CHARCOAL_RING_ENTRIES", "2", 1);
  storage(BUSY | AGAIN | INTERRUPTED, 3);
}
TEST(storage_with_a_slow_kernel) { storage(SLOW, 3); }
TEST(a_full_device_says_so) {
  BEGINS;
  int f = open("/dev/full", O_WRONLY);
  EXPECT(f >= 0 && write(f, "x", 1) == -1 && errno == ENOSPC);
  EXPECT(pwrite(f, "x", 1, 0) == -1 && errno == ENOSPC);
  EXPECT(close(f) == 0);
  ENDS;
}

/* ---- no descriptor, no thread at all, from the beginning ---- */

TEST(operations_without_a_descriptor_to_be_woken_by) {
  fault(NO_DESCRIPTORS, 1);
  activate { ch_sleep(1000000); }
  EXPECT(mkdir("made", 0700) == 0 && rmdir("made") == 0);
  EXPECT(rmdir("made") == -1 && errno == ENOENT);
}

/* ---- connections ---- */

static void connections(int kinds, unsigned rate, int resets) {
  BEGINS;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  int l = socket(AF_INET, SOCK_STREAM, 0), served = 0, refused = 0, lost = 0;
  /* room for all clients: when a queue overflows, the kernel may reset a connection by itself */
  EXPECT(bind(l, (void *)&a, sizeof a) == 0 && listen(l, 256) == 0 && getsockname(l, (void *)&a, &n) == 0);
  fault(kinds, rate);
  ch_activity server;
  activate[&server] {
    while (served < 200) {
      int s = accept(l, NULL, NULL);
      if (s < 0) {
        EXPECT(errno == EMFILE || errno == EINTR);
        refused++;
        continue;
      }
      served++;
      activate(s) {
        char c[100];
        ssize_t r;
        while ((r = recv(s, c, sizeof c, 0)) > 0 || (r < 0 && errno == EINTR))
          for (ssize_t k = 0, w; r > 0 && k < r; k += w < 0 ? 0 : w)
            if ((w = send(s, c + k, (size_t)(r - k), MSG_NOSIGNAL)) < 0 && errno != EINTR)
              break;
        close(s);
      }
    }
  }
  ch_activity clients[200];
  for (int i = 0; i < 200; i++)
    activate[&clients[i]] {
      int s = socket(AF_INET, SOCK_STREAM, 0);
      char c = 'q', d = 0;
      ssize_t r;
      EXPECT(connect(s, (void *)&a, sizeof a) == 0);
      while ((r = send(s, &c, 1, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
      if (r > 0)
        while ((r = recv(s, &d, 1, 0)) < 0 && errno == EINTR)
          ;
      if (r == 1)
        EXPECT(d == 'q');
      else
        lost++;
      close(s);
    }
  for (int i = 0; i < 200; i++)
    ch_activity_wait(&clients[i]);
  ch_activity_wait(&server);
  close(l);
  EXPECT(resets ? lost > 0 && lost < 200 : lost == 0);
  const char *reactor = getenv("CHARCOAL_REACTOR");
  int by_ring = reactor && strcmp(reactor, "io_uring") == 0; /* accepts in the kernel: the next test */
  EXPECT(!(kinds & NO_DESCRIPTORS) || refused > 0 || by_ring);
  ENDS;
}
TEST(connections_without_faults) { connections(0, 1, 0); }
TEST(connections_while_descriptors_are_short) { connections(NO_DESCRIPTORS, 3, 0); }
/* The connection is there when there is room for it again. */
TEST(a_connection_outlasts_the_lack_of_descriptors) {
  alarm(60);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct rlimit limit, less;
  socklen_t n = sizeof a;
  activate { ch_sleep(100000000000); } /* who is alone makes the plain call */
  int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), all[4096], used = 0;
  EXPECT(bind(l, (void *)&a, sizeof a) == 0 && listen(l, 10) == 0 && getsockname(l, (void *)&a, &n) == 0);
  EXPECT(connect(c, (void *)&a, sizeof a) == 0);
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  less = (struct rlimit){200, limit.rlim_max};
  EXPECT(setrlimit(RLIMIT_NOFILE, &less) == 0);
  while ((all[used] = dup(l)) >= 0)
    used++;
  for (int i = 0; i < 3; i++)
    EXPECT(accept(l, NULL, NULL) == -1 && errno == EMFILE);
  for (int i = 0; i < 4; i++)
    close(all[i]); /* the runtime may need some */
  EXPECT(accept(l, NULL, NULL) >= 0);
  _exit(0);
}
TEST(connections_that_are_interrupted) { connections(INTERRUPTED | AGAIN, 4, 0); }
TEST(connections_that_are_reset) { connections(RESET, 6, 1); }

/* ---- slices ---- */

__attribute__((noinline)) static int step(volatile int *n) { return ++*n; }
__attribute__((noinline)) static int two_steps(volatile int *n) { return step(n) + step(n); }
TEST(slices_begin_when_there_is_room_for_their_thread) {
  volatile int n = 0;
  static int other;
  alarm(60);
  fault(NO_THREADS, 1);
  for (int i = 0; i < 3; i++) {
    activate { ch_sleep(1000); }
    ch_sleep(1000000);
  }
  EXPECT(faults_had() > 0);
  fault(0, 1);
  ch_sleep(20000000); /* it is not tried all the time */
  activate { other = 1; }
  while (!other)
    two_steps(&n);
}
