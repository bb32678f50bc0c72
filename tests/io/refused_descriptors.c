/* Tests that what epoll refuses is waited for all the same, although poll(2) alone takes it: others go on meanwhile,
 * and the domain is not busy. On io_uring nothing is refused. */
#include "harness.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>

enum { MS = 1000000 };

static int64_t processor_time(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000000) +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
}

/* The outermost of as many epoll objects in each other as the kernel allows. The innermost has `fd`. */
static int nest(int fd) {
  for (;;) {
    struct epoll_event event = {.events = EPOLLIN};
    int outer = epoll_create1(EPOLL_CLOEXEC);
    EXPECT(outer >= 0);
    if (epoll_ctl(outer, EPOLL_CTL_ADD, fd, &event) < 0) {
      EXPECT(errno == ELOOP || errno == EINVAL);
      close(outer);
      return fd;
    }
    fd = outer;
  }
}

TEST(epoll_objects_nested_as_deeply_as_possible_are_waited_for) {
  int ends[2], answers[4] = {0};
  EXPECT(pipe(ends) == 0);
  int outermost = nest(ends[0]);
  do {
    async {
      struct pollfd one = {outermost, POLLIN};
      answers[0] = poll(&one, 1, -1);
    }
    async {
      struct epoll_event event;
      answers[1] = epoll_wait(outermost, &event, 1, -1);
    }
    async {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(outermost, &set);
      answers[2] = select(outermost + 1, &set, NULL, NULL, NULL);
    }
    async answers[3] = ch_fd_wait(outermost, POLLIN, CH_FOREVER);
    int64_t begin = processor_time();
    for (int i = 0; i < 40; i++)
      EXPECT(ch_sleep(10 * MS) == 0);
    EXPECT(processor_time() - begin < 200 * MS);
    EXPECT(answers[0] == 0 && answers[1] == 0 && answers[2] == 0 && answers[3] == 0);
    EXPECT(write(ends[1], "x", 1) == 1);
  }
  finish;
  EXPECT(answers[0] == 1 && answers[1] == 1 && answers[2] == 1 && answers[3] == POLLIN);
}

TEST(a_limit_ends_the_wait_for_what_epoll_refuses) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  struct pollfd one = {nest(ends[0]), POLLIN};
  activate {
    for (;;)
      ch_sleep(MS);
  }
  EXPECT(poll(&one, 1, 5) == 0);
  EXPECT(ch_fd_wait(one.fd, POLLIN, 5 * MS) == 0);
  int waited = 0;
  within(5 * MS) do waited = ch_fd_wait(one.fd, POLLIN, CH_FOREVER);
  finish;
  EXPECT(waited == -ECANCELED);
}

/* Some of these bits are words of epoll's own that poll does not have. */
TEST(any_bit_may_be_among_the_events) {
  static const short all[] = {-1, 0x7fff, (short)0x8000, (short)0xe000, POLLIN | 0x400, 0};
  activate {
    for (;;)
      ch_sleep(MS);
  }
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    int ends[2], plain, ours;
    EXPECT(pipe(ends) == 0);
    struct pollfd expected = {ends[0], all[i]}, one = expected;
    atomic plain = poll(&expected, 1, 0);
    ours = poll(&one, 1, 20);
    EXPECT(ours == plain && one.revents == expected.revents);
    EXPECT(ch_fd_wait(ends[0], all[i] & 0xffff | 0x70000000, 5 * MS) == plain);
    close(ends[0]);
    close(ends[1]);
  }
}
