/* Tests that a call has the same result, and the same errno, as a clause of `waituntil` and as a plain call: in its
 * errors, and when something ends its wait. */
#include "harness.h"
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#define MS INT64_C(1000000)

static int differ;
static void compare(int line, const char *call, const long result[2], const int error[2]) {
  if (result[0] == result[1] && error[0] == error[1])
    return;
  fprintf(stderr, "line %d: %s: %ld %s; as a clause: %ld %s\n", line, call, result[0], strerrorname_np(error[0]),
          result[1], strerrorname_np(error[1]));
  differ++;
}

/* A call that need not wait. */
#define SAME(call)                                                                                                     \
  do {                                                                                                                 \
    long result[2] = {0, -1000};                                                                                       \
    int error[2];                                                                                                      \
    errno = 0;                                                                                                         \
    result[0] = call;                                                                                                  \
    error[0] = errno;                                                                                                  \
    errno = 0;                                                                                                         \
    waituntil(result[1] = call) {}                                                                                     \
    or waituntil(ch_sleep(100000 * MS)) {}                                                                             \
    error[1] = errno;                                                                                                  \
    compare(__LINE__, #call, result, error);                                                                           \
  } while (0)

/* A call that waits, until `end` has happened. */
#define SAME_WHEN(begin, call, end)                                                                                    \
  do {                                                                                                                 \
    long result[2] = {-1000, -1000};                                                                                   \
    int error[2];                                                                                                      \
    for (int as_clause = 0; as_clause < 2; as_clause++) {                                                              \
      begin;                                                                                                           \
      do {                                                                                                             \
        async {                                                                                                        \
          errno = 0;                                                                                                   \
          if (!as_clause) {                                                                                            \
            result[0] = call;                                                                                          \
          } else {                                                                                                     \
            waituntil(result[1] = call) {}                                                                             \
            or waituntil(ch_sleep(100000 * MS)) {}                                                                     \
          }                                                                                                            \
          error[as_clause] = errno;                                                                                    \
        }                                                                                                              \
        ch_sleep(2 * MS);                                                                                              \
        end;                                                                                                           \
      }                                                                                                                \
      finish;                                                                                                          \
    }                                                                                                                  \
    compare(__LINE__, #call " until " #end, result, error);                                                            \
  } while (0)

static char b[8];
static void *const nowhere = (void *)16;
static struct sockaddr_un nobody = {.sun_family = AF_UNIX, .sun_path = "/none/nobody"};
static void in_company(void) {
  activate {
    for (;;)
      ch_sleep(MS);
  }
  signal(SIGPIPE, SIG_IGN);
}

TEST(errors_of_descriptors_are_those_of_the_plain_calls) {
  int folder = open("/", O_RDONLY), null = open("/dev/null", O_RDWR), datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
  int unconnected = socket(AF_INET, SOCK_STREAM, 0), p[2], s[2];
  in_company();
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  EXPECT(write(s[1], "abc", 3) == 3 && write(p[1], "abc", 3) == 3);
  const int all[] = {-1, -5, 1 << 20, INT32_MAX, folder, null, datagrams, unconnected, p[0], p[1], s[0]};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    const int fd = all[i];
    SAME(read(fd, b, 0));
    SAME(write(fd, b, 0));
    SAME(recv(fd, b, 1, MSG_PEEK | MSG_OOB));
    SAME(send(fd, nowhere, 1, 0));
    SAME(write(fd, nowhere, 1));
    SAME(sendto(fd, b, 1, 0, (void *)&nobody, sizeof nobody));
    SAME(sendto(fd, b, 1, 0, nowhere, sizeof nobody));
    SAME(accept(fd, NULL, NULL));
    SAME(accept4(fd, NULL, NULL, 0x12345));
    SAME(connect(fd, (void *)&nobody, sizeof nobody));
    SAME(connect(fd, (void *)&nobody, 1));
    SAME(ch_fd_wait(fd, POLLIN | POLLOUT, CH_FOREVER));
    SAME(ch_fd_wait(fd, POLLIN | POLLOUT, 0));
    SAME(ch_fd_wait(fd, POLLPRI, MS));
    SAME(ch_fd_wait(fd, 0, -1));
  }
  EXPECT(differ == 0);
}

TEST(errors_of_children_signals_and_names_are_those_of_the_plain_calls) {
  const struct timespec before = {-1, 0}, fraction = {0, 1000000000}, none = {0, 0}, little = {0, 1000000};
  struct addrinfo *found, family = {.ai_family = 99}, number = {.ai_flags = AI_NUMERICHOST};
  sigset_t set;
  int status;
  in_company();
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  SAME(waitpid(getpid(), &status, 0));
  SAME(waitpid(1 << 22, &status, WNOHANG));
  SAME(waitpid(1, &status, 0x40000000));
  SAME(sigtimedwait(&set, NULL, &before));
  SAME(sigtimedwait(&set, NULL, &fraction));
  SAME(sigtimedwait(&set, NULL, &none));
  SAME(sigtimedwait(&set, NULL, &little));
  SAME(sigtimedwait(&set, NULL, nowhere));
  SAME(sigtimedwait(nowhere, NULL, &none));
  SAME(sigwait(nowhere, &status));
  SAME(sigwaitinfo(nowhere, NULL));
  SAME(getaddrinfo("localhost", NULL, &family, &found));
  SAME(getaddrinfo("no number", NULL, &number, &found));
  SAME(getaddrinfo(NULL, NULL, NULL, &found));
  EXPECT(differ == 0);
}

static int s[2], p[2];
static void new_ones(int type) {
  close(s[0]), close(s[1]), close(p[0]), close(p[1]);
  EXPECT(socketpair(AF_UNIX, type, 0, s) == 0 && pipe(p) == 0);
}
static void fill(int fd) {
  static char many[65536];
  int mode = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, mode | O_NONBLOCK);
  while (write(fd, many, sizeof many) > 0 || write(fd, many, 1) > 0)
    ;
  fcntl(fd, F_SETFL, mode);
}

TEST(what_ends_a_wait_gives_the_result_of_the_plain_call) {
  enum { STREAM = SOCK_STREAM, DATAGRAMS = SOCK_DGRAM };
  sigset_t set;
  int number;
  in_company();
  s[0] = s[1] = p[0] = p[1] = -1;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  SAME_WHEN(new_ones(STREAM), read(s[0], b, 4), close(s[1]));
  SAME_WHEN(new_ones(STREAM), read(s[0], b, 4), close(s[0]));
  SAME_WHEN(new_ones(STREAM), recv(s[0], b, 4, 0), shutdown(s[1], SHUT_WR));
  SAME_WHEN(new_ones(STREAM), recv(s[0], b, 4, MSG_PEEK), write(s[1], "ab", 2));
  SAME_WHEN(new_ones(DATAGRAMS), recv(s[0], b, 1, MSG_TRUNC), send(s[1], "abc", 3, 0));
  SAME_WHEN(new_ones(DATAGRAMS), recvfrom(s[0], b, 4, 0, NULL, NULL), send(s[1], "", 0, 0));
  SAME_WHEN(new_ones(STREAM), read(p[0], b, 4), close(p[1]));
  SAME_WHEN(new_ones(STREAM), read(p[0], b, 4), close(p[0]));
  SAME_WHEN((new_ones(STREAM), fill(p[1])), write(p[1], b, 4), close(p[0]));
  SAME_WHEN((new_ones(STREAM), fill(p[1])), write(p[1], b, 4), close(p[1]));
  SAME_WHEN((new_ones(STREAM), fill(s[0])), send(s[0], b, 4, 0), close(s[0]));
  SAME_WHEN(new_ones(STREAM), ch_fd_wait(s[0], POLLIN, CH_FOREVER), close(s[0]));
  SAME_WHEN(new_ones(STREAM), ch_fd_wait(s[0], POLLIN, CH_FOREVER), close(s[1]));
  SAME_WHEN(new_ones(STREAM), ch_fd_wait(s[0], POLLIN, CH_FOREVER), shutdown(s[1], SHUT_WR));
  SAME_WHEN(new_ones(STREAM), ch_fd_wait(s[0], POLLIN, 4 * MS), ch_sleep(1));
  SAME_WHEN((void)0, sigwait(&set, &number), kill(getpid(), SIGUSR1));
  SAME_WHEN((void)0, sigwaitinfo(&set, NULL), kill(getpid(), SIGUSR1));
  EXPECT(differ == 0);
}

static int raised;
static void count(int number) { raised += number == SIGPIPE; }
TEST(what_waits_for_room_in_a_local_socket_is_told_its_error_and_raises_no_signal) {
  enum { STREAM = SOCK_STREAM, SEQUENCE = SOCK_SEQPACKET };
  in_company();
  s[0] = s[1] = p[0] = p[1] = -1;
  signal(SIGPIPE, count);
  SAME_WHEN((new_ones(STREAM), fill(s[0])), write(s[0], b, 4), close(s[1]));
  SAME_WHEN((new_ones(STREAM), fill(s[0])), send(s[0], b, 4, 0), close(s[1]));
  SAME_WHEN((new_ones(STREAM), fill(s[0])), sendto(s[0], b, 4, 0, NULL, 0), close(s[1]));
  SAME_WHEN((new_ones(STREAM), fill(s[0])), write(s[0], b, 4), shutdown(s[0], SHUT_WR));
  for (int type = STREAM; type <= SEQUENCE; type += SEQUENCE - STREAM) {
    SAME_WHEN((new_ones(type), fill(s[0])), write(s[0], b, 4), shutdown(s[1], SHUT_RD));
    SAME_WHEN((new_ones(type), fill(s[0])), send(s[0], b, 4, 0), shutdown(s[0], SHUT_WR));
  }
  EXPECT(differ == 0 && raised == 0);
}

static void listener(void) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  close(s[0]);
  s[0] = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(bind(s[0], (void *)&here, sizeof here) == 0 && listen(s[0], 1) == 0);
}
TEST(a_wait_for_a_listener_that_is_shut_down_tells_what_poll_tells) {
  in_company();
  s[0] = -1;
  SAME_WHEN(listener(), ch_fd_wait(s[0], POLLIN, CH_FOREVER), shutdown(s[0], SHUT_RDWR));
  SAME_WHEN(listener(), ch_fd_wait(s[0], 0, CH_FOREVER), shutdown(s[0], SHUT_RDWR));
  EXPECT(differ == 0);
}
