/* Turns among the calls that wait for one descriptor (runtime/reactor/turns.h): first come, first served, and nobody
 * starves. What is there to read is written by raw system calls, when all wait. */
#include "harness.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

enum { WAITERS = 5 };

static void raw_write(int fd, const void *from, size_t n) { EXPECT(raw_syscall(SYS_write, fd, from, n) == (long)n); }

/* ---- ways to read a byte ---- */

static int by_read(int fd, char *c) { return (int)read(fd, c, 1); }
static int by_readv(int fd, char *c) { return (int)readv(fd, &(struct iovec){c, 1}, 1); }
static int by_recv(int fd, char *c) { return (int)recv(fd, c, 1, 0); }
static int by_recvfrom(int fd, char *c) { return (int)recvfrom(fd, c, 1, 0, NULL, NULL); }
static int by_recvmsg(int fd, char *c) {
  struct iovec v = {c, 1};
  return (int)recvmsg(fd, &(struct msghdr){.msg_iov = &v, .msg_iovlen = 1}, 0);
}

enum kind { PIPE, STREAM, PACKETS, TIMED };
static const struct way {
  const char *name;
  enum kind kind;
  int (*call)(int fd, char *c);
} ways[] = {
    {"read of a pipe", PIPE, by_read},        {"readv of a pipe", PIPE, by_readv},
    {"read of a stream", STREAM, by_read},    {"readv of a stream", STREAM, by_readv},
    {"recv of a stream", STREAM, by_recv},    {"recvmsg of a stream", STREAM, by_recvmsg},
    {"recv of packets", PACKETS, by_recv},    {"recvfrom of packets", PACKETS, by_recvfrom},
    {"read with a timeout", TIMED, by_read}, {"recv with a timeout", TIMED, by_recv},
};

static void connection(enum kind kind, int ends[2]) {
  if (kind == PIPE)
    EXPECT(pipe(ends) == 0);
  else
    EXPECT(socketpair(AF_UNIX, kind == PACKETS ? SOCK_DGRAM : SOCK_STREAM, 0, ends) == 0);
  if (kind == TIMED)
    EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){60, 0}, sizeof(struct timeval)) == 0);
}

static void until_all_wait(void) {
  for (int k = 0; k < 20; k++)
    ch_reschedule();
}

/* Several rounds: in the first nothing is known of the descriptor. */
TEST(who_came_first_gets_the_first_byte) {
  for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
    int ends[2];
    connection(w->kind, ends);
    for (int round = 0; round < 4; round++) {
      char got[WAITERS + 1] = "";
      do {
        for (int i = 0; i < WAITERS; i++)
          async(i) { EXPECT(w->call(ends[0], &got[i]) == 1); }
        async {
          until_all_wait();
          for (int i = 0; i < WAITERS; i++)
            raw_write(ends[1], &"abcde"[i], 1);
        }
      }
      finish;
      if (strcmp(got, "abcde") != 0)
        fprintf(stderr, "%s, round %d: %s\n", w->name, round, got);
      EXPECT(strcmp(got, "abcde") == 0);
    }
    close(ends[0]);
    close(ends[1]);
  }
}

/* Each byte is written when the one before has been read and all wait again. */
TEST(nobody_starves) {
  enum { BYTES = 60 };
  for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++) {
    int ends[2], shares[WAITERS] = {0}, sum = 0;
    connection(w->kind, ends);
    do {
      for (int i = 0; i < WAITERS; i++)
        async(i) {
          for (char c = 0; w->call(ends[0], &c) == 1 && c != '.'; sum++)
            shares[i]++;
        }
      async {
        for (int n = 0; n < BYTES; n++) {
          until_all_wait();
          raw_write(ends[1], "x", 1);
          while (sum == n)
            ch_sleep(10000);
        }
        for (int i = 0; i < WAITERS; i++)
          raw_write(ends[1], ".", 1);
      }
    }
    finish;
    for (int i = 0; i < WAITERS; i++) {
      if (shares[i] < BYTES / WAITERS / 2)
        fprintf(stderr, "%s: the share of %d is %d of %d\n", w->name, i, shares[i], BYTES);
      EXPECT(shares[i] >= BYTES / WAITERS / 2);
    }
    close(ends[0]);
    close(ends[1]);
  }
}

/* Blocks of a page, which a pipe takes whole. */
TEST(who_came_first_writes_first) {
  enum { PAGE = 4096 };
  static char page[WAITERS][PAGE], read_back[PAGE];
  int ends[2], pages;
  EXPECT(pipe(ends) == 0);
  pages = fcntl(ends[1], F_GETPIPE_SZ) / PAGE;
  for (int i = 0; i < WAITERS; i++)
    memset(page[i], 'a' + i, PAGE);
  for (int i = 0; i < pages; i++)
    raw_write(ends[1], read_back, PAGE);
  do {
    for (int i = 0; i < WAITERS; i++)
      async(i) { EXPECT(write(ends[1], page[i], PAGE) == PAGE); }
    async {
      until_all_wait();
      for (int n = 0; n < pages + WAITERS; n++) {
        EXPECT(read(ends[0], read_back, PAGE) == PAGE);
        EXPECT(read_back[0] == (n < pages ? 0 : 'a' + n - pages) && read_back[PAGE - 1] == read_back[0]);
      }
    }
  }
  finish;
}
