/* Tests that no replacement makes a blocking call just because the descriptor was reported to be ready: another process
 * may take the bytes in between, and the domain would stand still. Here a thief takes them before the system call. The
 * replacement then has to wait, while other activities run, and has to return the plain call's result when bytes come
 * again.
 *
 * If the domain stands still the bytes never come, and the alarm ends the test. */
#include "stolen.h"
#include "terminal.h"
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static int never[2], has_ring;
static void begins(void) {
  const char *reactor = getenv("CHARCOAL_REACTOR");
  has_ring = reactor && strcmp(reactor, "io_uring") == 0;
  alarm(60);
  EXPECT(pipe(never) == 0);
  activate { /* who is alone makes the plain call */
    char c;
    read(never[0], &c, 1);
  }
}

/* The descriptor that is read or written, and its other end. */
static int mine, other;
static long raw_read(int fd, void *to, size_t n) { return raw_syscall(SYS_read, fd, to, n); }
static long raw_write(int fd, const void *from, size_t n) { return raw_syscall(SYS_write, fd, from, n); }

/* Runs `call` when the thief has been; others run meanwhile; then `give`, and the call's result. */
#define STOLEN_AT(when, thief, call, give)                                                                             \
  ({                                                                                                                   \
    long result = -77;                                                                                                 \
    int ticks = 0, error = 0;                                                                                          \
    ch_activity calls;                                                                                                 \
    activate [&calls] {                                                                                                \
      (when)(thief);                                                                                                   \
      result = (long)(call);                                                                                           \
      error = errno;                                                                                                   \
    }                                                                                                                  \
    while (!has_stolen() || ticks < 20) {                                                                              \
      ch_sleep(500000);                                                                                                \
      ticks += has_stolen();                                                                                           \
    }                                                                                                                  \
    EXPECT(result == -77 && has_stolen() == 1);                                                                        \
    give;                                                                                                              \
    ch_activity_wait(&calls);                                                                                          \
    errno = error;                                                                                                     \
    result;                                                                                                            \
  })
#define STOLEN(thief, call, give) STOLEN_AT(steal_before_the_next_call, thief, call, give)

/* How often another ran while a call waited that ends by its own time and has to give true. On a busy machine that may
 * be less often than it should be: then the test tries a longer time. */
#define ticks_during(call)                                                                                             \
  ({                                                                                                                   \
    int ticks = 0, done = 0;                                                                                           \
    activate {                                                                                                         \
      EXPECT(call);                                                                                                    \
      done = 1;                                                                                                        \
    }                                                                                                                  \
    while (!done) {                                                                                                    \
      ch_sleep(500000);                                                                                                \
      ticks += !done;                                                                                                  \
    }                                                                                                                  \
    ticks;                                                                                                             \
  })

static char room[200000];
static void take_all(void) { EXPECT(raw_read(mine, room, sizeof room) > 0); }

/* Fills it, as far as it goes. */
static void fill(void) {
  int mode = (int)syscall(SYS_fcntl, mine, F_GETFL);
  EXPECT(syscall(SYS_fcntl, mine, F_SETFL, mode | O_NONBLOCK) == 0);
  for (size_t n = sizeof room; n > 0;)
    if (raw_write(mine, room, n) < 0)
      n /= 2;
  EXPECT(syscall(SYS_fcntl, mine, F_SETFL, mode) == 0);
}
/* Empties it again from the other end. */
static void drain(void) {
  int mode = (int)syscall(SYS_fcntl, other, F_GETFL);
  EXPECT(syscall(SYS_fcntl, other, F_SETFL, mode | O_NONBLOCK) == 0);
  while (raw_read(other, room, sizeof room) > 0) continue;
  EXPECT(syscall(SYS_fcntl, other, F_SETFL, mode) == 0);
}

/* ---- connections ---- */

static struct sockaddr_in at;
static void listens(void) {
  mine = socket(AF_INET, SOCK_STREAM, 0);
  at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof at;
  EXPECT(bind(mine, (void *)&at, n) == 0 && listen(mine, 10) == 0 && getsockname(mine, (void *)&at, &n) == 0);
}
static void comes(void) {
  int s = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
  EXPECT(raw_syscall(SYS_connect, s, &at, sizeof at) == 0);
}
static void take_connection(void) {
  int fd = (int)raw_syscall(SYS_accept4, mine, NULL, NULL, 0);
  EXPECT(fd >= 0);
  syscall(SYS_close, fd);
}

/* With a ring the kernel accepts. */
static void steal_before_accept(void (*thief)(void)) {
  (has_ring ? steal_before_the_ring_is_entered : steal_before_the_next_call)(thief);
}

TEST(a_connection_that_another_has_taken_is_waited_for) {
  begins();
  listens();
  comes();
  EXPECT(STOLEN_AT(steal_before_accept, take_connection,
                   accept(mine, NULL, NULL), comes()) >= 0);
}

TEST(a_listeners_time_out_ends_the_wait_for_another_connection) {
  int ticks = 0;
  begins();
  listens();
  for (int seconds = 0; ticks < 10 && seconds < 20; seconds = 4 * seconds + 1) {
    struct timeval t = {seconds, 100000};
    EXPECT(setsockopt(mine, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
    comes();
    steal_before_the_next_call(take_connection);
    ticks = ticks_during(accept4(mine, NULL, NULL, SOCK_CLOEXEC) == -1 && errno == EAGAIN);
    EXPECT(has_stolen() == 1);
    forget_the_theft();
  }
  EXPECT(ticks >= 10);
}

TEST(a_listener_closed_while_a_thread_accepts_ends_the_wait) {
  begins();
  listens();
  comes();
  EXPECT(STOLEN_AT(steal_before_accept, take_connection,
                   accept(mine, NULL, NULL), close(mine)) == -1);
  EXPECT(errno == EBADF);
}

TEST(who_accepts_by_a_thread_is_cancelled_exactly) {
  int r = 0, error = 0;
  begins();
  listens();
  comes();
  do {
    async {
      steal_before_accept(take_connection);
      r = accept(mine, NULL, NULL);
      error = errno;
    }
    while (!has_stolen()) ch_sleep(500000);
    cancel;
  }
  finish;
  EXPECT(r == -1 && error == ECANCELED);
  comes();
  int fd = accept(mine, NULL, NULL); /* nobody has taken it */
  EXPECT(fd >= 0);
}

/* ---- sockets ---- */

static void pair(int type) {
  int s[2];
  EXPECT(socketpair(AF_UNIX, type, 0, s) == 0);
  mine = s[0];
  other = s[1];
}
static struct msghdr message_for(struct iovec *v) { return (struct msghdr){.msg_iov = v, .msg_iovlen = 1}; }

TEST(bytes_of_a_socket_that_another_has_taken_are_waited_for) {
  char b[10];
  struct iovec v = {b, sizeof b};
  struct msghdr m = message_for(&v);
  begins();
  for (int how = 0; how < 5; how++) {
    pair(SOCK_STREAM);
    raw_write(other, "lost", 4);
#define RECEIVES(call) STOLEN(take_all, call, raw_write(other, "new", 3))
    long r = how == 0   ? RECEIVES(read(mine, b, sizeof b))
             : how == 1 ? RECEIVES(readv(mine, &v, 1))
             : how == 2 ? RECEIVES(recv(mine, b, sizeof b, MSG_NOSIGNAL))
             : how == 3 ? RECEIVES(recvfrom(mine, b, sizeof b, 0, NULL, NULL))
                        : RECEIVES(recvmsg(mine, &m, 0));
    EXPECT(r == 3 && memcmp(b, "new", 3) == 0);
    forget_the_theft();
  }
}

TEST(room_in_a_socket_that_another_has_taken_is_waited_for) {
  struct iovec v = {"new", 3};
  struct msghdr m = message_for(&v);
  begins();
  for (int how = 0; how < 5; how++) {
    pair(SOCK_STREAM);
    long r = how == 0   ? STOLEN(fill, write(mine, "new", 3), drain())
             : how == 1 ? STOLEN(fill, writev(mine, &v, 1), drain())
             : how == 2 ? STOLEN(fill, send(mine, "new", 3, MSG_NOSIGNAL), drain())
             : how == 3 ? STOLEN(fill, sendto(mine, "new", 3, 0, NULL, 0), drain())
                        : STOLEN(fill, sendmsg(mine, &m, 0), drain());
    EXPECT(r == 3);
    forget_the_theft();
  }
}

/* ---- pipes, as newer and older kernels have them ---- */

static void make_pipe(void) {
  int p[2];
  EXPECT(pipe(p) == 0);
  mine = p[0];
  other = p[1];
}
static void turn(void) {
  int was = mine;
  mine = other;
  other = was;
}

static void reads_of_a_pipe(int vectors) {
  char b[10];
  struct iovec v = {b, sizeof b};
  begins();
  make_pipe();
  raw_write(other, "lost", 4);
  long r = vectors ? STOLEN(take_all, readv(mine, &v, 1), raw_write(other, "new", 3))
                   : STOLEN(take_all, read(mine, b, sizeof b), raw_write(other, "new", 3));
  EXPECT(r == 3 && memcmp(b, "new", 3) == 0);
}
static void writes_to_a_pipe(size_t n) {
  struct iovec v = {room, n};
  begins();
  make_pipe();
  turn();
  long r = STOLEN(fill, writev(mine, &v, 1), ({
                    while (!ch_activity_finished(&calls)) {
                      drain();
                      ch_sleep(500000);
                    }
                  }));
  EXPECT(r == (long)n);
}
TEST(bytes_of_a_pipe_that_another_has_taken_are_waited_for) { reads_of_a_pipe(0); }
TEST(bytes_of_a_pipe_are_waited_for_without_nowait) {
  without_nowait(1);
  reads_of_a_pipe(0);
}
TEST(vectors_of_a_pipe_are_waited_for_without_nowait) {
  without_nowait(1);
  reads_of_a_pipe(1);
}
TEST(room_in_a_pipe_that_another_has_taken_is_waited_for) { writes_to_a_pipe(100); }
TEST(room_in_a_pipe_is_waited_for_without_nowait) {
  without_nowait(1);
  writes_to_a_pipe(100);
}
TEST(room_for_much_in_a_pipe_is_waited_for_without_nowait) {
  without_nowait(1);
  writes_to_a_pipe(100000);
}
TEST(packets_stay_packets_without_nowait) {
  char b[10];
  int p[2];
  begins();
  without_nowait(1);
  EXPECT(pipe2(p, O_DIRECT) == 0);
  EXPECT(write(p[1], "one", 3) == 3 && write(p[1], "three", 5) == 5);
  EXPECT(read(p[0], b, sizeof b) == 3 && read(p[0], b, sizeof b) == 5);
}

/* ---- terminals ---- */

static void make_terminal(void) {
  struct terminal t = open_terminal();
  mine = t.slave;
  other = t.master;
}
/* What the other end writes has come through the terminal. */
static void come_through(int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  EXPECT(raw_syscall(SYS_poll, &p, 1, 10000) == 1);
}

TEST(bytes_of_a_terminal_that_another_has_taken_are_waited_for) {
  char b[10];
  begins();
  make_terminal();
  raw_write(other, "lost", 4);
  come_through(mine);
  EXPECT(STOLEN(take_all, read(mine, b, sizeof b), raw_write(other, "n", 1)) == 1 && b[0] == 'n');
}

TEST(bytes_of_a_terminals_master_that_another_has_taken_are_waited_for) {
  char b[10];
  begins();
  make_terminal();
  turn();
  raw_write(other, "lost", 4);
  come_through(mine);
  EXPECT(STOLEN(take_all, read(mine, b, sizeof b), raw_write(other, "n", 1)) == 1 && b[0] == 'n');
}

static long in_terminal;
static void fill_this_terminal(void) { in_terminal = fill_terminal((struct terminal){other, mine}); }
static void drain_terminal(void) {
  while (in_terminal > 0) {
    long n = raw_read(other, room, in_terminal < (long)sizeof room ? (size_t)in_terminal : sizeof room);
    EXPECT(n > 0);
    in_terminal -= n;
  }
}
TEST(room_in_a_terminal_that_another_has_taken_is_waited_for) {
  begins();
  make_terminal();
  EXPECT(STOLEN(fill_this_terminal, write(mine, "new", 3), drain_terminal()) == 3);
}

/* Without lines, the terminal's own time: poll knows nothing of it. */
TEST(a_terminals_own_time_ends_a_read_and_others_go_on) {
  char b[10];
  struct termios mode;
  int ticks = 0;
  begins();
  make_terminal();
  EXPECT(tcgetattr(mine, &mode) == 0);
  mode.c_cc[VMIN] = 0;
  for (int tenths = 3; ticks < 10 && tenths < 200; tenths *= 4) {
    mode.c_cc[VTIME] = (cc_t)tenths;
    EXPECT(tcsetattr(mine, TCSANOW, &mode) == 0);
    ticks = ticks_during(read(mine, b, sizeof b) == 0);
  }
  EXPECT(ticks >= 10);
  mode.c_cc[VTIME] = 0;
  EXPECT(tcsetattr(mine, TCSANOW, &mode) == 0);
  EXPECT(read(mine, b, sizeof b) == 0); /* never waits */
}

/* ---- devices that cannot be opened again ---- */

TEST(an_event_that_another_has_taken_is_waited_for) {
  uint64_t n = 0;
  begins();
  for (int older = 0; older < 2; older++) {
    without_nowait(older);
    mine = other = eventfd(5, 0);
    EXPECT(STOLEN(take_all, read(mine, &n, sizeof n), ({
                    uint64_t seven = 7;
                    raw_write(mine, &seven, 8);
                  })) == 8);
    EXPECT(n == 7);
    forget_the_theft();
  }
}

static void fill_event(void) {
  uint64_t most = UINT64_MAX - 1;
  EXPECT(raw_write(mine, &most, 8) == 8);
}
TEST(room_in_an_event_that_another_has_taken_is_waited_for) {
  uint64_t n = 7;
  begins();
  mine = eventfd(0, 0);
  EXPECT(STOLEN(fill_event, write(mine, &n, sizeof n), take_all()) == 8);
  EXPECT(read(mine, &n, sizeof n) == 8 && n == 7);
}
/* It is announced when there is room for one. */
TEST(room_for_much_in_an_event_is_waited_for) {
  uint64_t much = UINT64_MAX / 2 + 1, got = 0;
  begins();
  mine = eventfd(0, 0);
  EXPECT(write(mine, &much, sizeof much) == 8);
  do {
    async EXPECT(write(mine, &much, sizeof much) == 8);
    ch_sleep(1000000);
    EXPECT(raw_read(mine, &got, sizeof got) == 8 && got == much);
  }
  finish;
}

TEST(a_timer_that_another_has_taken_is_waited_for) {
  uint64_t n = 0;
  struct itimerspec soon = {.it_value = {0, 1}};
  begins();
  for (int older = 0; older < 2; older++) {
    without_nowait(older);
    mine = timerfd_create(CLOCK_MONOTONIC, 0);
    EXPECT(timerfd_settime(mine, 0, &soon, NULL) == 0);
    come_through(mine);
    EXPECT(STOLEN(take_all, read(mine, &n, sizeof n), timerfd_settime(mine, 0, &soon, NULL)) == 8 && n == 1);
    forget_the_theft();
  }
}

TEST(a_notice_of_files_that_another_has_taken_is_waited_for) {
  begins();
  mine = inotify_init1(0);
  EXPECT(inotify_add_watch(mine, ".", IN_CREATE) >= 0);
  close(open("one", O_CREAT | O_RDWR, 0600));
  long r = STOLEN(take_all, read(mine, room, 4096), close(open("two", O_CREAT | O_RDWR, 0600)));
  EXPECT(r > 0 && strcmp(((struct inotify_event *)room)->name, "two") == 0);
  unlink("one");
  unlink("two");
}

TEST(a_device_closed_while_a_thread_reads_ends_the_wait) {
  uint64_t n;
  begins();
  without_nowait(1);
  mine = eventfd(5, 0);
  EXPECT(STOLEN(take_all, read(mine, &n, sizeof n), close(mine)) == -1 && errno == EBADF);
}

/* ---- from descriptor to descriptor ---- */

TEST(a_splice_is_only_about_pipes_when_it_does_not_wait) {
  char b[10];
  int p[2];
  begins();
  listens();
  other = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
  EXPECT(raw_syscall(SYS_connect, other, &at, sizeof at) == 0);
  mine = (int)raw_syscall(SYS_accept4, mine, NULL, NULL, 0);
  EXPECT(mine >= 0 && pipe(p) == 0);
  raw_write(other, "lost", 4);
  come_through(mine);
  EXPECT(STOLEN(take_all, splice(mine, NULL, p[1], NULL, 100, SPLICE_F_NONBLOCK), raw_write(other, "new", 3)) == 3);
  EXPECT(read(p[0], b, sizeof b) == 3);
}

/* ---- names ---- */

static void becomes_a_fifo(void) {
  EXPECT(syscall(SYS_unlink, "name") == 0);
  EXPECT(syscall(SYS_mknod, "name", S_IFIFO | 0600, 0) == 0);
}
TEST(a_name_that_comes_to_mean_a_fifo_is_waited_for) {
  int writer = -1;
  begins();
  close(open("name", O_CREAT | O_RDWR, 0600));
  EXPECT(STOLEN(becomes_a_fifo, open("name", O_RDONLY), writer = open("name", O_WRONLY)) >= 0);
  EXPECT(writer >= 0);
  unlink("name");
}

static int mode_of(int fd) { return fcntl(fd, F_GETFL) & ~0100000 /* the kernel's O_LARGEFILE */; }
TEST(a_file_that_was_opened_at_once_has_the_mode_asked_for) {
  begins();
  close(open("name", O_CREAT | O_RDWR, 0600));
  int fd = open("name", O_RDWR | O_APPEND);
  EXPECT(fd >= 0 && mode_of(fd) == (O_RDWR | O_APPEND));
  fd = open("name", O_RDONLY | O_NONBLOCK);
  EXPECT(fd >= 0 && mode_of(fd) == (O_RDONLY | O_NONBLOCK));
  unlink("name");
}

/* ---- queues, locks, signals ---- */

static int queue;
static struct message {
  long type;
  char text[8];
} message = {1, "text"};
static void take_message(void) { EXPECT(syscall(SYS_msgrcv, queue, &message, 8, 0, 0) == 8); }
TEST(a_message_that_another_has_taken_is_waited_for) {
  begins();
  queue = msgget(IPC_PRIVATE, 0600);
  EXPECT(queue >= 0 && msgsnd(queue, &message, 8, 0) == 0);
  struct message got;
  EXPECT(STOLEN(take_message, msgrcv(queue, &got, 8, 0, 0), syscall(SYS_msgsnd, queue, &message, 8, 0)) == 8);
  msgctl(queue, IPC_RMID, NULL);
}

static void take_semaphore(void) {
  struct sembuf down = {0, -1, 0};
  EXPECT(syscall(SYS_semtimedop, queue, &down, 1, NULL) == 0);
}
TEST(a_semaphore_that_another_has_taken_is_waited_for) {
  struct sembuf up = {0, 1, 0}, down = {0, -1, 0};
  begins();
  queue = semget(IPC_PRIVATE, 1, 0600);
  EXPECT(queue >= 0 && semop(queue, &up, 1) == 0);
  EXPECT(STOLEN(take_semaphore, semop(queue, &down, 1), syscall(SYS_semtimedop, queue, &up, 1, NULL)) == 0);
  semctl(queue, 0, IPC_RMID);
}

static void lock_the_other(void) { EXPECT(raw_syscall(SYS_flock, other, LOCK_EX) == 0); }
TEST(a_files_lock_that_another_has_taken_is_waited_for) {
  begins();
  mine = open("name", O_CREAT | O_RDWR, 0600);
  other = open("name", O_RDWR);
  EXPECT(STOLEN(lock_the_other, flock(mine, LOCK_EX), raw_syscall(SYS_flock, other, LOCK_UN)) == 0);
  unlink("name");
}

/* The kernel gives up a shared lock before it looks whether an exclusive one may be had. */
TEST(a_cancelled_change_of_a_files_lock_leaves_the_lock_that_was) {
  begins();
  int a = open("name", O_CREAT | O_RDWR, 0600), b = open("name", O_RDWR), r = 0, error = 0;
  EXPECT(flock(a, LOCK_SH) == 0 && flock(b, LOCK_SH) == 0);
  for (int late = 0; late < 2; late++) {
    do {
      async {
        r = flock(a, LOCK_EX);
        error = errno;
      }
      if (late)
        ch_sleep(2000000);
      cancel;
    }
    finish;
    EXPECT(r == -1 && error == ECANCELED);
    EXPECT(raw_syscall(SYS_flock, b, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    EXPECT(raw_syscall(SYS_flock, b, LOCK_SH) == 0);
  }
  unlink("name");
}

static sigset_t set;
static void take_signal(void) { EXPECT(syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, _NSIG / 8) == SIGUSR1); }
TEST(a_signal_that_another_has_taken_is_waited_for) {
  begins();
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  EXPECT(STOLEN(take_signal, sigwaitinfo(&set, NULL), kill(getpid(), SIGUSR1)) == SIGUSR1);
}
