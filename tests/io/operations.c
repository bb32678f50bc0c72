/* Tests of calls that the ring or a thread of the pool makes. What lies in the frame of the waiting call has to live
 * until nobody can use it any more, and the readiness cache must forget a descriptor when its number gets a new
 * meaning. */
#define _GNU_SOURCE
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

/* Does what plain code could do: the runtime does not learn of it. */
static void replace_unnoticed(int fd, int by) {
  syscall(SYS_dup2, by, fd);
  syscall(SYS_close, by);
}

/* Leaves an entry in the readiness cache that says that there is nothing to read. */
static void echo_once(int pair[2]) {
  char text[64];
  EXPECT(write(pair[1], "abc", 3) == 3);
  EXPECT(read(pair[0], text, sizeof text) == 3);
}

TEST(a_socket_s_number_that_is_a_pipe_now_is_read_as_a_pipe) {
  int pair[2], ends[2];
  char text[64];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
  do {
    echo_once(pair);
    replace_unnoticed(pair[0], ends[0]);
    async EXPECT(read(pair[0], text, sizeof text) == 2 && memcmp(text, "xy", 2) == 0);
    EXPECT(write(ends[1], "xy", 2) == 2);
  } finish;
}

TEST(recv_of_a_number_that_is_a_pipe_now_says_so) {
  int pair[2], ends[2];
  char text[64];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
  do {
    echo_once(pair);
    replace_unnoticed(pair[0], ends[0]);
    async EXPECT(recv(pair[0], text, sizeof text, 0) == -1 && errno == ENOTSOCK);
    EXPECT(write(ends[1], "xy", 2) == 2);
  } finish;
}

/* Nothing ever comes through the pipe, or something, late: that it is one is found out. */
TEST(recv_of_a_number_that_is_an_empty_pipe_now_says_so) {
  int pair[2], ends[2];
  char text[64];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
  do {
    echo_once(pair);
    replace_unnoticed(pair[0], ends[0]);
    async EXPECT(recv(pair[0], text, sizeof text, 0) == -1 && errno == ENOTSOCK);
  } finish;
}

TEST(a_socket_s_number_that_is_an_empty_pipe_now_is_read_as_a_pipe) {
  for (int cancelled = 0; cancelled < 2; cancelled++) {
    int pair[2], ends[2];
    char text[64];
    ssize_t n = -7;
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
    do {
      echo_once(pair);
      replace_unnoticed(pair[0], ends[0]);
      async n = read(pair[0], text, sizeof text);
      ch_sleep(500000000); /* by now, mostly */
      if (cancelled) cancel;
      EXPECT(cancelled || write(ends[1], "xy", 2) == 2);
    } finish;
    EXPECT(n == (cancelled ? -1 : 2));
  }
}

TEST(recv_of_a_number_that_is_a_file_now_says_so) {
  int pair[2], file = open("file", O_RDWR | O_CREAT, 0600);
  char text[64];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  do {
    echo_once(pair);
    replace_unnoticed(pair[0], file);
    async EXPECT(recv(pair[0], text, sizeof text, 0) == -1 && errno == ENOTSOCK);
  } finish;
  unlink("file");
}

/* More at a time than the ring has room for, each with a frame of its own. */
enum { MANY = 3000 };
static char read_there[MANY];
static int ended;
static void read_one(int fd, int i) {
  EXPECT(pread(fd, &read_there[i], 1, i) == 1);
  ended++;
}

/* Waits that end before the kernel has been told of them, one after the other, for more descriptors and more often than
 * a ring has entries. */
TEST(descriptors_that_were_waited_for_in_vain_are_seen_when_they_become_ready) {
  enum { ROUNDS = 1000 };
  static ch_sem soon;
  int one[2], two[2], in_vain = 0, seen = 0;
  char c;
  ssize_t n;
  EXPECT(pipe(one) == 0 && pipe(two) == 0);
  for (int i = 0; i < ROUNDS; i++) {
    activate ch_sem_post(&soon);
    waituntil (read(one[0], &c, 1)) { EXPECT(0); }
    or waituntil (read(two[0], &c, 1)) { EXPECT(0); }
    or waituntil (ch_sem_wait(&soon)) { in_vain++; }
    if (i % 7)
      continue;
    int *ready = i % 2 ? one : two;
    activate (ready) { EXPECT(write(ready[1], "x", 1) == 1); }
    waituntil (n = read(one[0], &c, 1)) { seen += n == 1 && ready == one; }
    or waituntil (n = read(two[0], &c, 1)) { seen += n == 1 && ready == two; }
  }
  EXPECT(in_vain == ROUNDS && seen == (ROUNDS + 6) / 7);
  EXPECT(close(one[0]) == 0 && write(two[1], "y", 1) == 1 && read(two[0], &c, 1) == 1 && c == 'y');
}

/* A ring that was about to look whether the event holds answers a cancellation with EALREADY, and goes on waiting if it
 * does not hold any more. */
TEST(a_file_is_let_go_although_its_event_came_and_went_before_the_wait_was_withdrawn) {
  ch_sem never; /* an activity that is alone would ask the ring before each call */
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  for (int i = 0; i < 20; i++) {
    int s[2];
    char c;
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
    EXPECT(ch_fd_wait(s[0], POLLIN, 1000000) == 0);
    EXPECT(send(s[1], "x", 1, MSG_DONTWAIT) == 1 && recv(s[0], &c, 1, MSG_DONTWAIT) == 1);
    ch_sleep(1000000);
    EXPECT(close(s[0]) == 0);
    EXPECT(recv(s[1], &c, 1, MSG_DONTWAIT) == 0); /* the peer sees the end at once */
    EXPECT(close(s[1]) == 0);
  }
  exit(0);
}

TEST(thousands_of_reads_at_a_time_each_get_their_own) {
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < MANY; i++)
    EXPECT(pwrite(fd, &(char){(char)('a' + i % 26)}, 1, i) == 1);
  do {
    for (int i = 0; i < MANY; i++)
      async read_one(fd, i);
  } finish;
  EXPECT(ended == MANY);
  for (int i = 0; i < MANY; i++)
    EXPECT(read_there[i] == 'a' + i % 26);
}

TEST(a_position_in_what_has_none_is_an_error_and_takes_nothing) {
  int ends[2][2];
  char c, text[10];
  struct iovec v = {&c, 1};
  activate { for (;;) ch_sleep(1000000); }
  EXPECT(pipe(ends[0]) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends[1]) == 0);
  for (int i = 0; i < 2; i++) {
    int from = ends[i][0], to = ends[i][1];
    EXPECT(write(to, "abc", 3) == 3);
    EXPECT(pread(from, &c, 1, 0) == -1 && errno == ESPIPE);
    EXPECT(preadv(from, &v, 1, 5) == -1 && errno == ESPIPE);
    EXPECT(preadv2(from, &v, 1, 0, 0) == -1 && errno == ESPIPE);
    EXPECT(pwrite(to, &c, 1, 0) == -1 && errno == ESPIPE);
    EXPECT(pwritev(to, &v, 1, 5) == -1 && errno == ESPIPE);
    EXPECT(pwritev2(to, &v, 1, 0, 0) == -1 && errno == ESPIPE);
    EXPECT(read(from, text, sizeof text) == 3);
  }
  exit(0);
}

#if __has_feature(address_sanitizer)
#define KEEPS_WHAT_IS_FREE 1
#else
#define KEEPS_WHAT_IS_FREE 0
#endif
static long resident(void) {
  char text[100] = "";
  long all, pages = 0;
  int fd = open("/proc/self/statm", O_RDONLY);
  EXPECT(pread(fd, text, sizeof text - 1, 0) > 0 && sscanf(text, "%ld %ld", &all, &pages) == 2);
  close(fd);
  return pages;
}
TEST(memory_of_many_waits_is_given_back) {
  enum { N = 100000 };
  int p[2];
  EXPECT(pipe(p) == 0);
  ch_sleep(1000000);
  long before = resident();
  ch_activity *all = calloc(N, sizeof *all);
  for (int i = 0; i < N; i++)
    activate [&all[i]] (p) { ch_fd_wait(p[0], POLLIN, 200000000000); }
  ch_sleep(1000000);
  long peak = resident() - before;
  EXPECT(write(p[1], "x", 1) == 1);
  for (int i = 0; i < N; i++)
    EXPECT(ch_activity_wait(&all[i]) == 0);
  free(all);
  ch_sleep(1000000);
  EXPECT(KEEPS_WHAT_IS_FREE || resident() - before < peak / 14);
}

/* A limit on memory holds for what comes from the system; what malloc has already it still gives. */
TEST(who_waits_for_many_descriptors_is_told_that_there_is_no_memory_for_that) {
  enum { N = 300 };
  const struct rlimit none = {4096, RLIM_INFINITY};
  static struct pollfd all[N];
  struct timeval limit = {0, 20000};
  int p[2], r;
  fd_set set;
  if (KEEPS_WHAT_IS_FREE) /* a sanitizer, whose memory is all from the system */
    return;
  EXPECT(pipe(p) == 0);
  FD_ZERO(&set);
  for (int i = 0; i < N; i++) {
    all[i] = (struct pollfd){.fd = dup(p[0]), .events = POLLIN};
    EXPECT(all[i].fd >= 0);
    FD_SET(all[i].fd, &set);
  }
  activate {
    for (;;)
      ch_sleep(1000000);
  }
  EXPECT(poll(all, N, 1) == 0); /* from now on malloc has what a poll needs of it */
  alarm(60);
  EXPECT(setrlimit(RLIMIT_AS, &none) == 0);
  r = poll(all, N, 20);
  EXPECT(r == 0 || (r == -1 && errno == ENOMEM));
  r = select(all[N - 1].fd + 1, &set, NULL, NULL, &limit);
  EXPECT(r == 0 || (r == -1 && errno == ENOMEM));
}

/* The domain's frames are gone when the thread comes back. */
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static int in_the_call, left;
static void last_long(void *argument) {
  (void)argument;
  __atomic_store_n(&in_the_call, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock(&busy);
  pthread_mutex_unlock(&busy);
  __atomic_store_n(&left, 1, __ATOMIC_RELEASE);
}
static atomic void hold(void) { pthread_mutex_lock(&busy); }
static atomic void let_go_and_wait(void) {
  pthread_mutex_unlock(&busy);
  while (!__atomic_load_n(&left, __ATOMIC_ACQUIRE))
    sched_yield();
}
TEST(a_thread_s_call_that_outlasts_its_caller_s_end_is_harmless) {
  hold();
  atexit(let_go_and_wait);
  activate { ch_offload(last_long, NULL); }
  while (!__atomic_load_n(&in_the_call, __ATOMIC_ACQUIRE))
    ch_sleep(1000000);
  exit(0);
}

/* A local socket with a name that nobody else has, and its address. */
static int named(struct sockaddr_un *address, socklen_t *length) {
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  *length = sizeof *address;
  EXPECT(bind(fd, &(struct sockaddr){.sa_family = AF_UNIX}, sizeof(sa_family_t)) == 0);
  EXPECT(getsockname(fd, (struct sockaddr *)address, length) == 0);
  return fd;
}

/* The socket has room, its receiver has none: no event tells when that changes. */
TEST(who_sends_to_a_full_local_receiver_waits_for_that_one) {
  struct sockaddr_un address;
  socklen_t length;
  char text[64];
  int to = named(&address, &length), from = socket(AF_UNIX, SOCK_DGRAM, 0), full = 0;
  struct sockaddr *there = (struct sockaddr *)&address;
  struct iovec all = {"message", 7};
  struct msghdr m = {.msg_name = there, .msg_namelen = length, .msg_iov = &all, .msg_iovlen = 1};
  struct timeval limit = {0, 50000};
  struct ch_stats before, after;
  while (sendto(from, "fill", 4, MSG_DONTWAIT, there, length) == 4) full++;
  EXPECT(errno == EAGAIN && full > 0);
  ssize_t sent = -2, second = -2;
  ch_activity sends, asks;
  activate [&sends] { sent = sendto(from, "datagram", 8, 0, there, length); }
  ch_sleep(10000000);
  ch_stats(&before);
  ch_sleep(100000000);
  ch_stats(&after);
  EXPECT(sent == -2);
  EXPECT(after.switches - before.switches < 20); /* it does not ask all the time */
  activate [&asks] {
    second = sendmsg(from, &m, 0);
    EXPECT(second == -1 && errno == ECANCELED);
  }
  ch_sleep(10000000);
  EXPECT(second == -2);
  ch_activity_cancel(&asks);
  ch_activity_wait(&asks);
  EXPECT(sent == -2);
  for (int i = 0; i < full; i++) EXPECT(recv(to, text, sizeof text, 0) == 4);
  ch_activity_wait(&sends);
  EXPECT(sent == 8);
  EXPECT(recv(to, text, sizeof text, 0) == 8 && memcmp(text, "datagram", 8) == 0);
  EXPECT(recv(to, text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN); /* who was cancelled sent nothing */
  while (sendto(from, "fill", 4, MSG_DONTWAIT, there, length) == 4);
  EXPECT(setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0);
  ch_activity idles;
  activate [&idles] { ch_sleep(1000000); }
  EXPECT(sendto(from, "late", 4, 0, there, length) == -1 && errno == EAGAIN);
  ch_activity_wait(&idles);
}

/* An empty datagram, too, has to wait for room: here until an activity of the same domain has made some. */
TEST(an_empty_datagram_waits_for_room) {
  int k[2], full = 0;
  char text[8];
  ssize_t sent = -2;
  ch_activity sends;
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, k) == 0);
  while (send(k[0], "fill", 4, MSG_DONTWAIT) == 4) full++;
  activate [&sends] { sent = write(k[0], "", 0); }
  ch_sleep(10000000);
  EXPECT(sent == -2);
  for (int i = 0; i < full; i++) EXPECT(recv(k[1], text, sizeof text, 0) == 4);
  ch_activity_wait(&sends);
  EXPECT(sent == 0);
  EXPECT(recv(k[1], text, sizeof text, MSG_DONTWAIT) == 0);
  close(k[0]);
  close(k[1]);
}
