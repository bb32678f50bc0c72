/* Tests that a program without a second activity is an ordinary C program: a signal handler ends its calls with
 * EINTR, or does not, as with the C library. With a second activity nobody can tell whose call was meant, so no call
 * ends. If a call is not interrupted here that should be, it waits for ever, and the harness ends the test. */
#include "harness.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>

static volatile int handled, nobody_asks, *volatile handled_so_far = &nobody_asks;
static void handler(int s) {
  handled += s == SIGALRM;
  ++*handled_so_far;
}

/* SIGALRM comes again and again, so that one before the call does no harm. */
static void signals(int flags) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
  struct itimerval often = {{0, 5000}, {0, 5000}};
  EXPECT(sigaction(SIGALRM, &a, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
}
static void no_signals(void) {
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_DFL);
  alarm(200); /* the harness's, which is the same timer */
}

#define INTERRUPTED(call)                                                                                              \
  do {                                                                                                                 \
    errno = 0;                                                                                                         \
    signals(0);                                                                                                        \
    long r_ = (long)(call);                                                                                            \
    int e_ = errno;                                                                                                    \
    no_signals();                                                                                                      \
    if (r_ != -1 || e_ != EINTR) {                                                                                     \
      fprintf(stderr, "%s:%d: %s: %ld %s\n", __FILE__, __LINE__, #call, r_, strerror(e_));                             \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

TEST(a_handler_ends_a_sleep) {
  struct timespec long_time = {1000000, 0}, left = {0, 0};
  signals(0);
  unsigned rest = sleep(1000000);
  no_signals();
  EXPECT(rest >= 999000 && rest <= 1000000);
  INTERRUPTED(nanosleep(&long_time, &left));
  EXPECT(left.tv_sec >= 999000);
  INTERRUPTED(usleep(999999999));
  signals(0);
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left) == EINTR);
  EXPECT(thrd_sleep(&long_time, &left) == -1);
  no_signals();
}

TEST(a_handler_ends_what_waits_for_a_descriptor) {
  int p[2], s[2], l = socket(AF_INET, SOCK_STREAM, 0), e = epoll_create1(0), v = eventfd(0, 0);
  char b[100] = "";
  struct iovec iov = {b, 100};
  struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
  struct mmsghdr mm = {.msg_hdr = m};
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event;
  struct timeval t = {1000000, 0};
  struct timespec ts = {1000000, 0};
  eventfd_t value;
  fd_set in;
  sigset_t none;
  sigemptyset(&none);
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && bind(l, (void *)&a, sizeof a) == 0 &&
         listen(l, 1) == 0);
  struct pollfd f = {.fd = p[0], .events = POLLIN};
  INTERRUPTED(read(p[0], b, 1));
  INTERRUPTED(readv(p[0], &iov, 1));
  INTERRUPTED(recv(s[0], &b, 1, 0));
  INTERRUPTED(recvfrom(s[0], b, 1, 0, NULL, NULL));
  INTERRUPTED(recvmsg(s[0], &m, 0));
  INTERRUPTED(recvmmsg(s[0], &mm, 1, 0, NULL));
  INTERRUPTED(accept(l, NULL, NULL));
  INTERRUPTED(accept4(l, NULL, NULL, SOCK_CLOEXEC));
  INTERRUPTED(eventfd_read(v, &value));
  INTERRUPTED(poll(&f, 1, -1));
  INTERRUPTED(poll(NULL, 0, 1000000000));
  INTERRUPTED(ppoll(&f, 1, &ts, &none));
  FD_ZERO(&in);
  FD_SET(p[0], &in);
  INTERRUPTED(select(p[0] + 1, &in, NULL, NULL, &t));
  EXPECT(t.tv_sec < 1000000 && t.tv_sec > 990000);
  INTERRUPTED(pselect(p[0] + 1, &in, NULL, NULL, &ts, &none));
  INTERRUPTED(epoll_wait(e, &event, 1, -1));
  INTERRUPTED(epoll_pwait(e, &event, 1, -1, &none));
  static char full[65536];
  EXPECT(write(p[1], full, sizeof full) == sizeof full);
  INTERRUPTED(write(p[1], b, 100));
  while (send(s[0], b, 100, MSG_DONTWAIT) > 0)
    continue;
  INTERRUPTED(send(s[0], b, 100, 0));
  INTERRUPTED(sendto(s[0], b, 100, 0, NULL, 0));
  INTERRUPTED(sendmsg(s[0], &m, 0));
  INTERRUPTED(writev(s[0], &iov, 1));
}

TEST(a_handler_ends_other_waits) {
  sem_t s;
  siginfo_t info;
  int status, f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR);
  struct flock range = {.l_type = F_WRLCK, .l_len = 5};
  struct timespec far;
  sigset_t usr;
  sigemptyset(&usr);
  sigaddset(&usr, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr, NULL);
  clock_gettime(CLOCK_REALTIME, &far);
  far.tv_sec += 1000000;
  sem_init(&s, 0, 0);
  INTERRUPTED(sem_wait(&s));
  INTERRUPTED(sem_timedwait(&s, &far));
  INTERRUPTED(pause());
  INTERRUPTED(sigwaitinfo(&usr, &info));
  pid_t child = fork();
  if (child == 0) {
    for (;;)
      pause();
  }
  INTERRUPTED(waitpid(child, &status, 0));
  INTERRUPTED(wait(&status));
  INTERRUPTED(wait3(&status, 0, NULL));
  INTERRUPTED(wait4(child, &status, 0, NULL));
  INTERRUPTED(waitid(P_PID, (id_t)child, &info, WEXITED));
  kill(child, SIGKILL);
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(flock(f, LOCK_EX) == 0);
  INTERRUPTED(flock(g, LOCK_EX));
  EXPECT(fcntl(f, F_OFD_SETLKW, &range) == 0);
  INTERRUPTED(fcntl(g, F_OFD_SETLKW, &range));
  EXPECT(mkfifo("fifo", 0600) == 0);
  INTERRUPTED(open("fifo", O_RDONLY));
  unlink("file");
  unlink("fifo");
}

TEST(a_handler_ends_reading_and_printing) {
  int p[2];
  char b[100000];
  EXPECT(pipe(p) == 0);
  FILE *in = fdopen(p[0], "r"), *out = fdopen(p[1], "w");
  INTERRUPTED(fgetc(in));
  EXPECT(ferror(in));
  memset(b, 'x', sizeof b);
  signals(0);
  EXPECT(fwrite(b, 1, sizeof b, out) < sizeof b && errno == EINTR && ferror(out));
  no_signals();
}

/* The call waits until a child makes it ready, which it does when handlers have run. */
#define RESTARTED(call, makes_ready)                                                                                   \
  do {                                                                                                                 \
    int status_;                                                                                                       \
    *handled_so_far = 0;                                                                                               \
    pid_t child_ = fork();                                                                                             \
    if (child_ == 0) {                                                                                                 \
      prctl(PR_SET_PDEATHSIG, SIGKILL);                                                                                \
      while (*handled_so_far < 3)                                                                                      \
        usleep(1000);                                                                                                  \
      (void)(makes_ready);                                                                                             \
      _exit(0);                                                                                                        \
    }                                                                                                                  \
    errno = 0;                                                                                                         \
    signals(SA_RESTART);                                                                                               \
    long r_ = (long)(call);                                                                                            \
    int e_ = errno;                                                                                                    \
    no_signals();                                                                                                      \
    if (r_ == -1 || waitpid(child_, &status_, 0) != child_ || status_ != 0) {                                          \
      fprintf(stderr, "%s:%d: %s: %ld %s\n", __FILE__, __LINE__, #call, r_, strerror(e_));                             \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

TEST(a_handler_that_restarts_ends_nothing) {
  struct shared {
    volatile int handled;
    sem_t semaphore;
  } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int p[2], s[2], f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR);
  char b;
  EXPECT(shared != MAP_FAILED && sem_init(&shared->semaphore, 1, 0) == 0);
  handled_so_far = &shared->handled;
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && mkfifo("fifo", 0600) == 0);
  RESTARTED(sem_wait(&shared->semaphore), sem_post(&shared->semaphore));
  RESTARTED(read(p[0], &b, 1), write(p[1], "x", 1));
  RESTARTED(recv(s[0], &b, 1, 0), write(s[1], "x", 1));
  EXPECT(flock(f, LOCK_EX) == 0);
  RESTARTED(flock(g, LOCK_EX), flock(f, LOCK_UN));
  RESTARTED(open("fifo", O_RDONLY), open("fifo", O_WRONLY));
  unlink("file");
  unlink("fifo");
}

static void leaves(int s) { pthread_exit(NULL); }
TEST(a_handler_may_leave_a_thread_that_spins) {
  pthread_spinlock_t l;
  int status;
  pid_t child = fork();
  if (child == 0) {
    struct itimerval once = {{0, 0}, {0, 20000}};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, leaves);
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&l);
    setitimer(ITIMER_REAL, &once, NULL);
    pthread_spin_lock(&l);
    _exit(1);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

TEST(it_is_so_again_when_the_others_have_ended) {
  ch_activity other;
  int p[2], ran = 0;
  char b;
  EXPECT(pipe(p) == 0);
  activate[&other] {
    usleep(1000);
    ran = 1;
  }
  ch_activity_wait(&other);
  EXPECT(ran);
  INTERRUPTED(read(p[0], &b, 1));
}

TEST(with_others_no_call_ends_because_a_handler_has_run) {
  int p[2];
  char b;
  EXPECT(pipe(p) == 0);
  signals(0);
  activate {
    int before = handled;
    while (handled < before + 3)
      ch_sleep(1000000);
    EXPECT(write(p[1], "x", 1) == 1);
  }
  EXPECT(read(p[0], &b, 1) == 1);
  no_signals();
}
