/* Tests exact cancellation of every replacement that waits (law 4; AC paper, section 2.2): either the call returns
 * ECANCELED and nothing has happened, or it has its whole effect. Nothing here sleeps to arrange an order. */
#include "harness.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <time.h>

static void let_others_run(void) {
  for (int i = 0; i < 6; i++) ch_reschedule();
}

/* The call waits; then its activity is cancelled. And once more as a branch of a scope. */
#define IS_CANCELLED_WITH(call, expected)                                                                              \
  do {                                                                                                                 \
    long result_ = 12345;                                                                                              \
    int error_ = 0;                                                                                                    \
    ch_activity waits_;                                                                                                \
    activate [&waits_] {                                                                                               \
      errno = 0;                                                                                                       \
      result_ = (long)(call);                                                                                          \
      error_ = errno;                                                                                                  \
    }                                                                                                                  \
    let_others_run();                                                                                                  \
    EXPECT(result_ == 12345);                                                                                          \
    ch_activity_cancel(&waits_);                                                                                       \
    ch_activity_wait(&waits_);                                                                                         \
    if (result_ != (expected) || ((expected) == -1 && error_ != ECANCELED)) {                                          \
      fprintf(stderr, "%s:%d: %s: %ld %s\n", __FILE__, __LINE__, #call, result_, strerror(error_));                    \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
    result_ = 12345;                                                                                                   \
    do {                                                                                                               \
      async {                                                                                                          \
        errno = 0;                                                                                                     \
        result_ = (long)(call);                                                                                        \
        error_ = errno;                                                                                                \
      }                                                                                                                \
      EXPECT(result_ == 12345);                                                                                        \
      cancel;                                                                                                          \
    } finish;                                                                                                          \
    EXPECT(result_ == (expected) && ((expected) != -1 || error_ == ECANCELED));                                        \
    /* In a scope that is cancelled already it does not begin. */                                                      \
    do {                                                                                                               \
      cancel;                                                                                                          \
      errno = 0;                                                                                                       \
      result_ = (long)(call);                                                                                          \
      error_ = errno;                                                                                                  \
    } finish;                                                                                                          \
    EXPECT(result_ == (expected) && ((expected) != -1 || error_ == ECANCELED));                                        \
  } while (0)
#define IS_CANCELLED(call) IS_CANCELLED_WITH(call, -1)

static void nothing(int s) { (void)s; }

TEST(reading_takes_nothing) {
  int p[2], s[2];
  char b[100];
  struct iovec v = {b, 10};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  struct mmsghdr mm = {.msg_hdr = m};
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  IS_CANCELLED(read(p[0], b, 10));
  IS_CANCELLED(readv(p[0], &v, 1));
  IS_CANCELLED(read(s[0], b, 10));
  IS_CANCELLED(recv(s[0], b, 10, 0));
  IS_CANCELLED(recvfrom(s[0], b, 10, 0, NULL, NULL));
  IS_CANCELLED(recvmsg(s[0], &m, 0));
  IS_CANCELLED(recvmmsg(s[0], &mm, 1, 0, NULL));
  EXPECT(write(p[1], "pipe", 4) == 4 && write(s[1], "socket", 6) == 6);
  EXPECT(read(p[0], b, 10) == 4 && read(s[0], b, 10) == 6);
}

TEST(data_that_are_there_are_left_there_in_a_cancelled_scope) {
  int p[2];
  char b[10];
  long r = 0;
  EXPECT(pipe(p) == 0 && write(p[1], "abc", 3) == 3);
  do {
    cancel;
    r = read(p[0], b, 10);
    EXPECT(r == -1 && errno == ECANCELED);
    noncancellable { r = read(p[0], b, 1); }
    EXPECT(r == 1 && b[0] == 'a');
    EXPECT(write(p[1], "d", 1) == -1 && errno == ECANCELED);
  } finish;
  EXPECT(read(p[0], b, 10) == 2 && b[0] == 'b');
}

TEST(a_write_that_was_half_done_says_how_much) {
  int p[2];
  static char much[1 << 20];
  long written = -7, n;
  EXPECT(pipe(p) == 0);
  do {
    async written = write(p[1], much, sizeof much);
    cancel;
  } finish;
  EXPECT(written > 0 && written < (long)sizeof much);
  EXPECT(fcntl(p[0], F_SETFL, O_NONBLOCK) == 0);
  long got = 0;
  while ((n = read(p[0], much, sizeof much)) > 0) got += n;
  EXPECT(got == written);
}

TEST(a_write_that_has_no_room_writes_nothing) {
  int p[2], s[2];
  char b[4096];
  struct iovec v = {b, 10};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  fcntl(p[1], F_SETFL, O_NONBLOCK);
  while (write(p[1], b, 4096) > 0);
  fcntl(p[1], F_SETFL, 0);
  while (send(s[1], b, 4096, MSG_DONTWAIT) > 0);
  while (send(s[1], b, 1, MSG_DONTWAIT) > 0);
  IS_CANCELLED(write(p[1], b, 10));
  IS_CANCELLED(writev(p[1], &v, 1));
  IS_CANCELLED(send(s[1], b, 10, 0));
  IS_CANCELLED(sendto(s[1], b, 10, 0, NULL, 0));
  IS_CANCELLED(sendmsg(s[1], &m, 0));
}

TEST(accept_and_connect) {
  int l = socket(AF_UNIX, SOCK_STREAM, 0), full = socket(AF_UNIX, SOCK_STREAM, 0), s;
  struct sockaddr_un u = {.sun_family = AF_UNIX, .sun_path = "a"}, v = {.sun_family = AF_UNIX, .sun_path = "b"};
  EXPECT(bind(l, (void *)&u, sizeof u) == 0 && listen(l, 5) == 0);
  EXPECT(bind(full, (void *)&v, sizeof v) == 0 && listen(full, 0) == 0);
  IS_CANCELLED(accept(l, NULL, NULL));
  IS_CANCELLED(accept4(l, NULL, NULL, SOCK_CLOEXEC));
  s = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(connect(s, (void *)&v, sizeof v) == 0); /* the queue is full now */
  s = socket(AF_UNIX, SOCK_STREAM, 0);
  IS_CANCELLED(connect(s, (void *)&v, sizeof v));
  EXPECT(accept(full, NULL, NULL) >= 0);
  EXPECT(connect(s, (void *)&v, sizeof v) == 0);
}

TEST(a_connection_under_way_is_given_up) {
  /* A listener whose queue is full lets TCP's handshake wait. */
  int l = socket(AF_INET, SOCK_STREAM, 0), filler[4], s;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  EXPECT(bind(l, (void *)&a, sizeof a) == 0 && listen(l, 0) == 0 && getsockname(l, (void *)&a, &n) == 0);
  for (int i = 0; i < 4; i++) {
    filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(filler[i], (void *)&a, sizeof a);
  }
  s = socket(AF_INET, SOCK_STREAM, 0);
  IS_CANCELLED(connect(s, (void *)&a, sizeof a));
  EXPECT(getpeername(s, (void *)&a, &n) == -1 && errno == ENOTCONN);
}

TEST(waiting_for_many) {
  int p[2], e = epoll_create1(0);
  EXPECT(pipe(p) == 0);
  struct pollfd f[2] = {{.fd = p[0], .events = POLLIN}, {.fd = p[0], .events = POLLIN}};
  struct epoll_event ev = {.events = EPOLLIN};
  EXPECT(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev) == 0);
  sigset_t none;
  sigemptyset(&none);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(p[0], &set);
  IS_CANCELLED(poll(f, 2, -1));
  IS_CANCELLED(poll(NULL, 0, -1));
  IS_CANCELLED(ppoll(f, 1, NULL, &none));
  IS_CANCELLED(select(p[0] + 1, &set, NULL, NULL, NULL));
  EXPECT(FD_ISSET(p[0], &set));
  IS_CANCELLED(pselect(p[0] + 1, &set, NULL, NULL, NULL, &none));
  IS_CANCELLED(epoll_wait(e, &ev, 1, -1));
  do {
    cancel;
    EXPECT(poll(f, 1, 0) == 0); /* never waits, so it is not refused */
  } finish;
}

TEST(sleeping) {
  struct timespec hour = {3600, 0}, left = {0, 0};
  IS_CANCELLED(usleep(100000000));
  IS_CANCELLED(nanosleep(&hour, &left));
  EXPECT(left.tv_sec > 3000 && left.tv_sec <= 3600);
  IS_CANCELLED_WITH(clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL), ECANCELED);
  IS_CANCELLED_WITH(sleep(3600), 3600);
}

TEST(children_and_signals) {
  sigset_t usr;
  siginfo_t info;
  int status, sig;
  pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  sigemptyset(&usr);
  sigaddset(&usr, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr, NULL);
  signal(SIGUSR2, nothing);
  IS_CANCELLED(waitpid(child, &status, 0));
  IS_CANCELLED(waitpid(-1, &status, 0));
  IS_CANCELLED(waitid(P_ALL, 0, &info, WEXITED));
  IS_CANCELLED(sigwaitinfo(&usr, &info));
  IS_CANCELLED_WITH(sigwait(&usr, &sig), ECANCELED);
  IS_CANCELLED(pause());
  kill(child, SIGKILL);
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

TEST(locks_on_files_and_the_other_end_of_a_fifo) {
  int f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR);
  struct flock range = {.l_type = F_WRLCK, .l_len = 5};
  EXPECT(f >= 0 && g >= 0 && flock(f, LOCK_EX) == 0);
  IS_CANCELLED(flock(g, LOCK_EX));
  EXPECT(flock(f, LOCK_UN) == 0 && flock(g, LOCK_EX) == 0);
  EXPECT(fcntl(f, F_OFD_SETLKW, &range) == 0);
  IS_CANCELLED(fcntl(g, F_OFD_SETLKW, &range));
  EXPECT(mkfifo("fifo", 0600) == 0);
  IS_CANCELLED(open("fifo", O_RDONLY));
  IS_CANCELLED(open("fifo", O_WRONLY));
  EXPECT(open("fifo", O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO); /* no reader has stayed behind */
}

/* Not before its wait, but in the midst of it, in whatever thread that is. */
TEST(an_open_that_waits_for_the_other_end_is_given_up) {
  EXPECT(mkfifo("another fifo", 0600) == 0);
  for (int flags = O_RDONLY; flags <= O_WRONLY; flags++) {
    long r = 0;
    int error = 0;
    do {
      async {
        r = open("another fifo", flags);
        error = errno;
      }
      ch_sleep(50000000); /* the thread gets there, mostly */
      cancel;
    } finish;
    EXPECT(r == -1 && error == ECANCELED);
  }
}

static int release[2];
static void *stays(void *result) {
  char b;
  return read(release[0], &b, 1) == 1 ? result : NULL;
}
static int stays_c11(void *result) { return stays(result) ? 42 : 0; }

/* In the thread that waits in the call, not before it. */
#define IS_CANCELLED_WITHIN(call, expected)                                                                            \
  do {                                                                                                                 \
    long result_ = 12345;                                                                                              \
    do {                                                                                                               \
      async result_ = (long)(call);                                                                                    \
      ch_sleep(20000000);                                                                                              \
      EXPECT(result_ == 12345);                                                                                        \
      cancel;                                                                                                          \
    } finish;                                                                                                          \
    EXPECT(result_ == (expected));                                                                                     \
  } while (0)

TEST(who_is_cancelled_while_joining_has_not_joined) {
  pthread_t t;
  thrd_t u;
  void *end = NULL;
  static int result; /* the other may outlive this function */
  static ch_activity other;
  EXPECT(pipe(release) == 0 && pthread_create(&t, NULL, stays, &end) == 0 && thrd_create(&u, stays_c11, &end) == 0);
  activate [&other] { /* no program of one activity */
    while (!result) ch_sleep(1000000);
  }
  for (int i = 0; i < 3; i++) {
    IS_CANCELLED_WITH(pthread_join(t, &end), ECANCELED);
    IS_CANCELLED_WITHIN(pthread_join(t, &end), ECANCELED);
    IS_CANCELLED_WITH(thrd_join(u, &result), thrd_error);
    IS_CANCELLED_WITHIN(thrd_join(u, &result), thrd_error);
  }
  EXPECT(end == NULL && result == 0);
  struct timespec soon, late;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  late = (struct timespec){soon.tv_sec + 1000000, 0};
  soon.tv_nsec = (soon.tv_nsec + 20000000) % 1000000000;
  soon.tv_sec += soon.tv_nsec < 20000000;
  EXPECT(pthread_clockjoin_np(t, &end, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  IS_CANCELLED_WITHIN(pthread_clockjoin_np(t, &end, CLOCK_MONOTONIC, &late), ECANCELED);
  clock_gettime(CLOCK_REALTIME, &late);
  EXPECT(pthread_timedjoin_np(t, &end, &late) == ETIMEDOUT && end == NULL);
  do { /* one that ends is joined, and who else waits is not hurt */
    async EXPECT(thrd_join(u, &result) == thrd_success && result == 42);
    EXPECT(write(release[1], "xx", 2) == 2);
    EXPECT(pthread_join(t, &end) == 0 && end == &end);
  } finish;
}

static int urgent;
static void count(int s) { urgent += s == SIGURG; }
TEST(a_program_that_uses_the_signal_by_which_threads_are_interrupted) {
  int f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR);
  sem_t s;
  sem_init(&s, 0, 0);
  EXPECT(flock(f, LOCK_EX) == 0);
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1);
  signal(SIGURG, SIG_IGN);
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1);
  IS_CANCELLED_WITHIN(sem_wait(&s), -1);
  signal(SIGURG, count); /* restarts calls */
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1);
  EXPECT(urgent == 0 && raise(SIGURG) == 0 && urgent == 1);
  signal(SIGURG, SIG_DFL);
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1);
  unlink("file");
}

TEST(a_sigurg_that_the_program_blocks_is_left_to_it_by_the_threads_of_the_pool) {
  int f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  EXPECT(flock(f, LOCK_EX) == 0);
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1); /* now there is a thread without work */
  EXPECT(kill(getpid(), SIGURG) == 0 && usleep(5000) == 0);
  EXPECT(sigtimedwait(&set, NULL, &(struct timespec){0}) == SIGURG);
  do {
    async EXPECT(flock(g, LOCK_EX) == 0);
    usleep(5000);
    EXPECT(kill(getpid(), SIGURG) == 0 && usleep(5000) == 0);
    EXPECT(sigtimedwait(&set, NULL, &(struct timespec){0}) == SIGURG);
    EXPECT(flock(f, LOCK_UN) == 0);
  } finish;
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  unlink("file");
}

TEST(from_descriptor_to_descriptor_nothing_moves) {
  int from[2], to[2], s[2], file = open("file", O_CREAT | O_RDWR, 0600);
  static char much[1 << 20], b[100];
  EXPECT(pipe(from) == 0 && pipe(to) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  EXPECT(write(file, much, sizeof much) == sizeof much);
  IS_CANCELLED(splice(from[0], NULL, to[1], NULL, 10, 0));
  IS_CANCELLED_WITHIN(splice(from[0], NULL, to[1], NULL, 10, 0), -1);
  IS_CANCELLED(tee(from[0], to[1], 10, 0));
  IS_CANCELLED_WITHIN(tee(from[0], to[1], 10, 0), -1);
  struct iovec v = {b, sizeof b};
  IS_CANCELLED(vmsplice(from[0], &v, 1, 0));
  IS_CANCELLED_WITHIN(vmsplice(from[0], &v, 1, 0), -1);
  IS_CANCELLED_WITHIN(preadv2(from[0], &v, 1, -1, 0), -1);
  IS_CANCELLED_WITHIN(preadv2(from[0], &v, 1, -1, RWF_HIPRI), -1);
  while (send(s[1], much, 4096, MSG_DONTWAIT) > 0) continue;
  while (send(s[1], much, 1, MSG_DONTWAIT) > 0) continue;
  off_t at = 5;
  IS_CANCELLED(sendfile(s[1], file, &at, 1000));
  IS_CANCELLED_WITHIN(sendfile(s[1], file, &at, 1000), -1);
  EXPECT(at == 5);
  /* What has gone before the cancellation is told, and is what the other side gets. */
  long sent = -7, got = 0, n;
  while (recv(s[0], much, sizeof much, MSG_DONTWAIT) > 0) continue;
  at = 0;
  do {
    async sent = sendfile(s[1], file, &at, sizeof much);
    while ((n = recv(s[0], b, sizeof b, MSG_DONTWAIT)) < 0) ch_sleep(1000000);
    got += n;
    cancel;
  } finish;
  EXPECT(sent > 0 && sent == at);
  while ((n = recv(s[0], much, sizeof much, MSG_DONTWAIT)) > 0) got += n;
  EXPECT(got == sent);
  unlink("file");
}

TEST(waiting_for_a_lock_of_a_file_in_a_thread_takes_nothing) {
  int f = open("file", O_CREAT | O_RDWR, 0600), g = open("file", O_RDWR), told[2];
  struct flock range = {.l_type = F_WRLCK, .l_len = 5}, asked;
  char b;
  EXPECT(flock(f, LOCK_EX) == 0 && fcntl(f, F_OFD_SETLKW, &range) == 0 && pipe(told) == 0 && pipe(release) == 0);
  IS_CANCELLED_WITHIN(flock(g, LOCK_EX), -1);
  IS_CANCELLED_WITHIN(flock(g, LOCK_SH), -1);
  IS_CANCELLED_WITHIN(fcntl(g, F_OFD_SETLKW, &range), -1);
  range.l_type = F_UNLCK;
  EXPECT(flock(f, LOCK_UN) == 0 && flock(g, LOCK_EX | LOCK_NB) == 0 && fcntl(f, F_OFD_SETLK, &range) == 0);
  range.l_type = F_WRLCK;
  pid_t child = fork(); /* a POSIX lock, of another process */
  if (child == 0) {
    EXPECT(fcntl(f, F_SETLK, &range) == 0 && write(told[1], "x", 1) == 1 && read(release[0], &b, 1) == 1);
    _exit(0);
  }
  EXPECT(read(told[0], &b, 1) == 1);
  IS_CANCELLED(fcntl(f, F_SETLKW, &range));
  IS_CANCELLED_WITHIN(fcntl(f, F_SETLKW, &range), -1);
  lseek(f, 0, SEEK_SET);
  IS_CANCELLED_WITHIN(lockf(f, F_LOCK, 5), -1);
  asked = range;
  EXPECT(fcntl(f, F_GETLK, &asked) == 0 && asked.l_type == F_WRLCK && asked.l_pid == child);
  int status;
  EXPECT(write(release[1], "x", 1) == 1 && waitpid(child, &status, 0) == child && status == 0);
  EXPECT(fcntl(f, F_SETLKW, &range) == 0);
  unlink("file");
}

TEST(storage_is_refused_in_a_cancelled_scope) {
  char b[11] = "0123456789";
  struct stat s;
  int f = open("file", O_CREAT | O_RDWR, 0600);
  EXPECT(f >= 0 && write(f, b, 10) == 10);
  do {
    cancel;
#define REFUSED(call) EXPECT((call) == -1 && errno == ECANCELED)
    REFUSED(open("new", O_CREAT | O_RDWR, 0600));
    REFUSED(open("file", O_RDONLY));
    REFUSED(pread(f, b, 10, 0));
    REFUSED(pwrite(f, b, 10, 100));
    REFUSED(fsync(f));
    REFUSED(ftruncate(f, 0));
    REFUSED(stat("file", &s));
    REFUSED(rename("file", "moved"));
    REFUSED(unlink("file"));
    REFUSED(mkdir("folder", 0700));
    EXPECT(close(f) == 0); /* gives something back */
  } finish;
  EXPECT(stat("file", &s) == 0 && s.st_size == 10 && access("new", F_OK) && access("folder", F_OK));
}

TEST(eventfds_and_streams) {
  int v = eventfd(0, 0), p[2];
  eventfd_t n;
  char b[100], *line = NULL;
  size_t room = 0;
  EXPECT(pipe(p) == 0);
  FILE *f = fdopen(p[0], "r");
  IS_CANCELLED(eventfd_read(v, &n));
  IS_CANCELLED(getc(f)); /* EOF */
  clearerr(f);
  IS_CANCELLED(getline(&line, &room, f));
  clearerr(f);
  IS_CANCELLED_WITH(fread(b, 1, 10, f), 0);
  clearerr(f);
  EXPECT(write(p[1], "line\n", 5) == 5 && fgets(b, 100, f) == b && strcmp(b, "line\n") == 0);
}

TEST(semaphores_and_conditions) {
  sem_t s;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  sem_init(&s, 0, 0);
  IS_CANCELLED(sem_wait(&s));
  int value = 7;
  EXPECT(sem_getvalue(&s, &value) == 0 && value == 0);
  pthread_mutex_lock(&m);
  IS_CANCELLED_WITH(pthread_cond_wait(&c, &m), ECANCELED);
  EXPECT(pthread_mutex_trylock(&m) == EBUSY); /* taken again */
  pthread_mutex_unlock(&m);
  EXPECT(pthread_cond_destroy(&c) == 0 && pthread_mutex_destroy(&m) == 0); /* nobody waits inside any more */
}

TEST(taking_a_mutex_is_not_cancelled) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int taken = 0;
  pthread_mutex_lock(&m);
  do {
    async {
      EXPECT(pthread_mutex_lock(&m) == 0);
      taken = 1;
      pthread_mutex_unlock(&m);
    }
    cancel;
    EXPECT(!taken);
    pthread_mutex_unlock(&m);
  } finish;
  EXPECT(taken);
}

TEST(names) {
  int silent = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  char server[100];
  struct addrinfo *found, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  EXPECT(bind(silent, (void *)&a, sizeof a) == 0 && getsockname(silent, (void *)&a, &n) == 0);
  snprintf(server, sizeof server, "127.0.0.1:%d", ntohs(a.sin_port));
  EXPECT(ch_dns_servers(server) == 0);
  int64_t before = ch_now();
  IS_CANCELLED_WITH(getaddrinfo("example.org", "80", &hints, &found), EAI_SYSTEM);
  EXPECT(ch_now() - before < 10000000000); /* who asks on and on gives up after more than 20 s */
}

static int ran;
static sem_t go;
static void foreign(void *data) {
  (void)data;
  __atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
  sem_wait(&go);
}

static void offload_one(int *result) { *result = ch_offload(foreign, NULL); }

/* Before the pool exists: where the kernel has no pidfd, it does as soon as a child is waited for. */
__attribute__((constructor)) static void two_threads(void) { setenv("CHARCOAL_THREADS", "2", 1); }

TEST(an_offloaded_call_runs_or_does_not) {
  int results[8];
  sem_init(&go, 0, 0);
  do {
    for (int i = 0; i < 8; i++)
      async offload_one(&results[i]);
    while (__atomic_load_n(&ran, __ATOMIC_SEQ_CST) < 2) ch_sleep(100000);
    cancel;
    for (int i = 0; i < 2; i++) sem_post(&go);
  } finish;
  int done = 0;
  for (int i = 0; i < 8; i++) {
    EXPECT(results[i] == 0 || results[i] == ECANCELED);
    done += results[i] == 0;
  }
  EXPECT(done == 2 && ran == 2);
}

static void post_it(void *sem) { ch_sem_post(sem); }
static void *poster(void *inbox) {
  static ch_sem *sem;
  sem = ((void **)inbox)[1];
  for (int i = 0; i < 1000; i++)
    if (ch_post(((void **)inbox)[0], post_it, sem)) abort();
  return NULL;
}
TEST(threads_post_into_a_domain) {
  ch_sem sem = CH_SEM_INIT(0);
  void *data[2] = {ch_inbox(), &sem};
  pthread_t t[4];
  for (int i = 0; i < 4; i++) EXPECT(pthread_create(&t[i], NULL, poster, data) == 0);
  for (int i = 0; i < 4000; i++) EXPECT(ch_sem_wait(&sem) == 0);
  EXPECT(ch_sem_trywait(&sem) == EAGAIN);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

TEST(closing_ends_the_wait_and_tells_the_peer) {
  int s[2];
  char b;
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  ch_activity reader;
  activate [&reader] { EXPECT(read(s[0], &b, 1) == -1 && errno == EBADF); }
  let_others_run();
  EXPECT(close(s[0]) == 0);
  EXPECT(read(s[1], &b, 1) == 0); /* the end: nobody holds the other side any more */
  ch_activity_wait(&reader);
}

TEST(a_deadline_ends_a_wait_of_unmodified_code) {
  int p[2];
  char b;
  long r = 0;
  EXPECT(pipe(p) == 0);
  within(1000000) do { r = read(p[0], &b, 1); } finish;
  EXPECT(r == -1 && errno == ECANCELED);
}
