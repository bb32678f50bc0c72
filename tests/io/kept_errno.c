/* A call that succeeds leaves errno as it was, also if it had to wait: as the plain calls do. */
#include "harness.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>
#include <threads.h>
#include <time.h>

enum { MINE = 4242 };

/* The call waits in an activity, until what comes behind `then` lets it end. */
#define KEEPS(call, result, then)                                                                                      \
  do {                                                                                                                 \
    ch_activity waits;                                                                                                 \
    long had = -12345;                                                                                                 \
    int after = 0;                                                                                                     \
    activate[&waits] {                                                                                                 \
      errno = MINE;                                                                                                    \
      had = (long)(call);                                                                                              \
      after = errno;                                                                                                   \
    }                                                                                                                  \
    for (int turn = 0; turn < 30; turn++)                                                                              \
      ch_reschedule();                                                                                                 \
    EXPECT(had == -12345);                                                                                             \
    then;                                                                                                              \
    ch_activity_wait(&waits);                                                                                          \
    if (had != (long)(result) || after != MINE) {                                                                      \
      fprintf(stderr, "%s = %ld, errno %d\n", #call, had, after);                                                      \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/* The call need not wait, but others could run meanwhile. */
#define KEEPS_NOW(call)                                                                                                \
  do {                                                                                                                 \
    errno = MINE;                                                                                                      \
    long had = (long)(call);                                                                                           \
    if (had < 0 || errno != MINE) {                                                                                    \
      fprintf(stderr, "%s = %ld, errno %d\n", #call, had, errno);                                                      \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

static int failures;
static char bytes[1 << 20], some[1 << 20];

/* As much as goes in, so that the next byte has to wait. */
static void fill(int fd) {
  int mode = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, mode | O_NONBLOCK);
  while (write(fd, bytes, 4096) > 0 || write(fd, bytes, 1) > 0)
    ;
  fcntl(fd, F_SETFL, mode);
}
static long drain(int fd, long n) {
  long got = 0;
  while (got < n) {
    ssize_t r = read(fd, some, sizeof some);
    if (r <= 0)
      break;
    got += r;
  }
  return got;
}
static int in(int fd) {
  int n = 0;
  ioctl(fd, FIONREAD, &n);
  return n;
}

TEST(input_of_descriptors) {
  int p[2], s[2], d[2];
  struct iovec v = {some, 10};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  struct mmsghdr mm = {.msg_hdr = m};
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, d) == 0);
  for (int round = 0; round < 2; round++) {
    KEEPS(read(p[0], some, 10), 3, write(p[1], "abc", 3));
    KEEPS(read(s[0], some, 10), 3, write(s[1], "abc", 3));
    KEEPS(read(d[0], some, 10), 3, write(d[1], "abc", 3));
    KEEPS(readv(p[0], &v, 1), 3, write(p[1], "abc", 3));
    KEEPS(readv(s[0], &v, 1), 3, write(s[1], "abc", 3));
    KEEPS(recv(s[0], some, 10, 0), 3, write(s[1], "abc", 3));
    KEEPS(recv(s[0], some, 6, MSG_WAITALL), 6, write(s[1], "abc", 3); ch_sleep(1000000); write(s[1], "def", 3));
    KEEPS(recvfrom(s[0], some, 10, 0, (void *)&from, &length), 3, write(s[1], "abc", 3));
    KEEPS(recvmsg(s[0], &m, 0), 3, write(s[1], "abc", 3));
    KEEPS(recvmsg(s[0], &m, MSG_WAITALL), 10, write(s[1], "abc", 3); ch_sleep(1000000); write(s[1], "defghij", 7));
    KEEPS(recvmmsg(d[0], &mm, 1, 0, NULL), 1, write(d[1], "abc", 3));
  }
  struct timeval limit = {20, 0};
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  KEEPS(read(s[0], some, 10), 3, write(s[1], "abc", 3));
  KEEPS(recv(s[0], some, 10, 0), 3, write(s[1], "abc", 3));
  /* a part of what was asked for is no error */
  limit = (struct timeval){0, 50000};
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  KEEPS(recv(s[0], some, 6, MSG_WAITALL), 3, write(s[1], "abc", 3));
  KEEPS(recvmsg(s[0], &m, MSG_WAITALL), 3, write(s[1], "abc", 3));
  limit = (struct timeval){0, 0};
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  struct mmsghdr several[3] = {{.msg_hdr = m}, {.msg_hdr = m}, {.msg_hdr = m}};
  KEEPS(recvmmsg(d[0], several, 3, MSG_WAITFORONE, NULL), 1, write(d[1], "abc", 3));
  EXPECT(write(d[1], "abc", 3) == 3);
  KEEPS_NOW(recvmmsg(d[0], several, 3, MSG_DONTWAIT, NULL));
  KEEPS(read(d[0], some, 10), 0, shutdown(d[0], SHUT_RD));
  KEEPS_NOW(recv(d[0], some, 10, 0));
  KEEPS_NOW(recvfrom(d[0], some, 10, 0, NULL, NULL));
  KEEPS_NOW(recvmsg(d[0], &m, 0));
  int e = eventfd(0, 0);
  eventfd_t value;
  KEEPS(read(e, some, 8), 8, eventfd_write(e, 5));
  KEEPS(eventfd_read(e, &value), 0, eventfd_write(e, 5));
  KEEPS(read(p[0], some, 10), 0, close(p[1]));
  KEEPS(read(s[0], some, 10), 0, close(s[1]));
  EXPECT(failures == 0);
}

TEST(output_of_descriptors) {
  int p[2], s[2], d[2];
  struct iovec v = {bytes, 100000};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  struct mmsghdr mm = {.msg_hdr = m};
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
#define OUT(call, to, from, n)                                                                                         \
  fill(to);                                                                                                            \
  KEEPS(call, n, drain(from, in(from) + (n)))
  OUT(write(p[1], bytes, 100000), p[1], p[0], 100000);
  OUT(writev(p[1], &v, 1), p[1], p[0], 100000);
  OUT(write(s[1], bytes, 100000), s[1], s[0], 100000);
  OUT(writev(s[1], &v, 1), s[1], s[0], 100000);
  OUT(send(s[1], bytes, 100000, 0), s[1], s[0], 100000);
  OUT(sendto(s[1], bytes, 100000, 0, NULL, 0), s[1], s[0], 100000);
  OUT(sendmsg(s[1], &m, 0), s[1], s[0], 100000);
  fill(s[1]);
  KEEPS(sendmmsg(s[1], &mm, 1, 0), 1, drain(s[0], in(s[0]) + 100000));
  struct mmsghdr several[3] = {mm, mm, mm};
  v.iov_len = 1;
  while (send(s[1], bytes, 1000, MSG_DONTWAIT) == 1000)
    ;
  drain(s[0], 5000);
  v.iov_len = 90000; /* a part of the first one goes */
  KEEPS_NOW(sendmmsg(s[1], several, 3, MSG_DONTWAIT));
  v.iov_len = 100000;
  fill(p[1]);
  KEEPS(dprintf(p[1], "%s", "hello"), 5, drain(p[0], in(p[0]) + 5));
  /* a local receiver who is full */
  struct sockaddr_un name = {AF_UNIX, "receiver"};
  d[0] = socket(AF_UNIX, SOCK_DGRAM, 0), d[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
  EXPECT(bind(d[0], (void *)&name, sizeof name) == 0);
  while (sendto(d[1], "x", 1, MSG_DONTWAIT, (void *)&name, sizeof name) == 1)
    ;
  KEEPS(sendto(d[1], "x", 1, 0, (void *)&name, sizeof name), 1, read(d[0], some, 1));
  EXPECT(failures == 0);
}

TEST(readiness) {
  int p[2];
  EXPECT(pipe(p) == 0);
  struct pollfd one = {.fd = p[0], .events = POLLIN};
  fd_set set;
  sigset_t none;
  sigemptyset(&none);
  struct timespec limit = {20, 0};
  struct timeval limit2 = {20, 0};
  int e = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  EXPECT(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event) == 0);
#define READY(call)                                                                                                    \
  FD_ZERO(&set);                                                                                                       \
  FD_SET(p[0], &set);                                                                                                  \
  KEEPS(call, 1, write(p[1], "x", 1));                                                                                 \
  EXPECT(read(p[0], some, 10) == 1)
  READY(poll(&one, 1, -1));
  READY(poll(&one, 1, 20000));
  READY(ppoll(&one, 1, NULL, NULL));
  READY(ppoll(&one, 1, &limit, &none));
  READY(select(p[0] + 1, &set, NULL, NULL, NULL));
  READY(select(p[0] + 1, &set, NULL, NULL, &limit2));
  READY(pselect(p[0] + 1, &set, NULL, NULL, &limit, &none));
  READY(epoll_wait(e, &event, 1, -1));
  READY(epoll_wait(e, &event, 1, 20000));
  READY(epoll_pwait(e, &event, 1, -1, &none));
  READY(ch_fd_wait(p[0], POLLIN, CH_FOREVER));
  one.fd = -1;
  KEEPS(poll(&one, 1, 20), 0, (void)0);
  KEEPS(usleep(20000), 0, (void)0);
  limit = (struct timespec){0, 20000000};
  KEEPS(nanosleep(&limit, NULL), 0, (void)0);
  KEEPS(clock_nanosleep(CLOCK_REALTIME, 0, &limit, NULL), 0, (void)0);
  KEEPS(thrd_sleep(&limit, NULL), 0, (void)0);
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 1;
  limit.tv_nsec = 0;
  KEEPS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &limit, NULL), 0, (void)0);
  EXPECT(failures == 0);
}

TEST(connections) {
  struct sockaddr_un name = {AF_UNIX, "listener"};
  int l = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0), t = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(bind(l, (void *)&name, sizeof name) == 0 && listen(l, 1) == 0);
  int accepted = -1;
  KEEPS((accepted = accept(l, NULL, NULL)) >= 0, 1, connect(c, (void *)&name, sizeof name));
  c = socket(AF_UNIX, SOCK_STREAM, 0);
  KEEPS((accepted = accept4(l, NULL, NULL, SOCK_CLOEXEC)) >= 0, 1, connect(c, (void *)&name, sizeof name));
  struct timeval limit = {20, 0};
  setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  c = socket(AF_UNIX, SOCK_STREAM, 0);
  KEEPS((accepted = accept(l, NULL, NULL)) >= 0, 1, connect(c, (void *)&name, sizeof name));
  for (;;) { /* until the queue is full */
    c = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (connect(c, (void *)&name, sizeof name) < 0)
      break;
  }
  c = socket(AF_UNIX, SOCK_STREAM, 0);
  KEEPS(connect(c, (void *)&name, sizeof name), 0, accept(l, NULL, NULL));
  struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof internet;
  EXPECT(bind(t, (void *)&internet, sizeof internet) == 0 && listen(t, 5) == 0);
  EXPECT(getsockname(t, (void *)&internet, &length) == 0);
  for (int limited = 0; limited < 2; limited++) {
    c = socket(AF_INET, SOCK_STREAM, 0);
    if (limited)
      setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    KEEPS_NOW(connect(c, (void *)&internet, sizeof internet));
    KEEPS_NOW(accept(t, NULL, NULL));
  }
  EXPECT(failures == 0);
}

/* Each with a child of its own, which ends when its standard input does. */
static pid_t child(int *input) {
  int p[2];
  char c;
  EXPECT(pipe(p) == 0);
  pid_t made = fork();
  if (made == 0) {
    close(p[1]);
    _exit(read(p[0], &c, 1) == 0 ? 7 : 8);
  }
  close(p[0]);
  *input = p[1];
  return made;
}

TEST(children_and_signals) {
  sigset_t set;
  int input, status, s;
  siginfo_t info;
  struct timespec limit = {20, 0};
  pid_t made = child(&input);
  KEEPS(waitpid(made, &status, 0), made, close(input));
  made = child(&input);
  KEEPS(wait(&status), made, close(input));
  made = child(&input);
  KEEPS(waitid(P_PID, made, &info, WEXITED), 0, close(input));
  KEEPS_NOW(system("exit 0"));
  FILE *f = popen("cat > /dev/null", "w");
  KEEPS_NOW(pclose(f));
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  KEEPS(sigwaitinfo(&set, &info), SIGUSR1, kill(getpid(), SIGUSR1));
  KEEPS(sigtimedwait(&set, &info, &limit), SIGUSR1, kill(getpid(), SIGUSR1));
  KEEPS(sigwait(&set, &s), 0, kill(getpid(), SIGUSR1));
  EXPECT(failures == 0);
}

TEST(streams) {
  int p[2], s[2];
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  FILE *f = fdopen(p[0], "r"), *to = fdopen(s[1], "w");
  char *line = NULL;
  size_t room = 0;
  int number;
  KEEPS(getc(f), 'a', write(p[1], "a", 1));
  KEEPS(fgets(some, 100, f) != NULL, 1, write(p[1], "abc\n", 4));
  KEEPS(fread(some, 1, 5, f), 5, write(p[1], "abc", 3); ch_sleep(1000000); write(p[1], "de", 2));
  KEEPS(fread(some, 1, 20000, f), 20000, write(p[1], bytes, 20000));
  KEEPS(getline(&line, &room, f), 4, write(p[1], "abc\n", 4));
  KEEPS(fscanf(f, "%d,", &number), 1, write(p[1], "123,", 4));
  KEEPS(fgetc(f), EOF, close(p[1]));
#define PUT(call, result)                                                                                              \
  fill(s[1]);                                                                                                          \
  KEEPS(call, result, drain(s[0], in(s[0])))
  PUT(fwrite(bytes, 1, 100000, to), 100000);
  PUT(fflush(to), 0);
  memset(bytes, 'x', 50000);
  PUT(fputs(bytes, to) >= 0, 1);
  PUT(fprintf(to, "%10000d", 1), 10000);
  setvbuf(to, NULL, _IONBF, 0);
  PUT(putc('x', to), 'x');
  EXPECT(failures == 0);
}

TEST(new_and_changed_descriptors) {
  int p[2], s[2], one = 1, number = dup(0) + 10; /* not open */
  KEEPS_NOW(pipe(p));
  KEEPS_NOW(pipe2(p, O_NONBLOCK));
  KEEPS_NOW(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
  KEEPS_NOW(setsockopt(s[0], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one));
  KEEPS_NOW(fcntl(s[0], F_SETFL, O_NONBLOCK));
  KEEPS_NOW(fcntl(s[0], F_DUPFD, number));
  KEEPS_NOW(close(number));
  KEEPS_NOW(dup(s[0]));
  KEEPS_NOW(dup2(s[0], number));
  KEEPS_NOW(dup2(s[1], number));
  KEEPS_NOW(close(number));
  KEEPS_NOW(dup3(s[0], number, O_CLOEXEC));
  KEEPS_NOW(shutdown(s[0], SHUT_WR));
  EXPECT(failures == 0);
}

TEST(files) {
  int a, b, p[2], q[2];
  struct stat st;
  EXPECT(mkfifo("fifo", 0600) == 0 && pipe(p) == 0 && pipe(q) == 0);
  activate { ch_sleep(INT64_C(20000000000)); } /* somebody is there all the time */
  KEEPS((a = open("fifo", O_RDONLY)) >= 0, 1, b = open("fifo", O_WRONLY));
  close(a), close(b);
  FILE *f;
  KEEPS((f = fopen("fifo", "w")) != NULL, 1, a = open("fifo", O_RDONLY));
  KEEPS_NOW(a = open("file", O_RDWR | O_CREAT, 0600));
  KEEPS_NOW(b = open("file", O_RDWR));
  KEEPS_NOW(write(a, bytes, 100000));
  KEEPS_NOW(pread(a, some, 100000, 0));
  KEEPS_NOW(pwrite(a, some, 100, 0));
  KEEPS_NOW(fsync(a));
  KEEPS_NOW(stat("file", &st));
  KEEPS_NOW(mkdir("directory", 0700));
  KEEPS_NOW(rename("directory", "renamed"));
  KEEPS_NOW(rmdir("renamed"));
  KEEPS_NOW(ftruncate(a, 5000));
  lseek(a, 0, SEEK_SET);
  KEEPS_NOW(read(a, some, 100));
  KEEPS_NOW(fopen("file", "r") != NULL);
  lseek(a, 0, SEEK_SET);
  KEEPS_NOW(sendfile(p[1], a, NULL, 100));
  KEEPS_NOW(splice(p[0], NULL, q[1], NULL, 100, 0));
  KEEPS(splice(p[0], NULL, q[1], NULL, 3, 0), 3, write(p[1], "abc", 3));
  KEEPS(tee(p[0], q[1], 3, 0), 3, write(p[1], "abc", 3));
  EXPECT(flock(a, LOCK_EX) == 0);
  KEEPS(flock(b, LOCK_EX), 0, flock(a, LOCK_UN));
  flock(b, LOCK_UN);
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  EXPECT(fcntl(a, F_OFD_SETLK, &range) == 0);
  struct flock other = range;
  KEEPS(fcntl(b, F_OFD_SETLKW, &other), 0, range.l_type = F_UNLCK; fcntl(a, F_OFD_SETLK, &range));
  KEEPS_NOW(unlink("file"));
  _exit(failures);
}

static void *ends_when_written_to(void *p) {
  char c;
  read(*(int *)p, &c, 1);
  return p;
}

TEST(locks_threads_and_queues) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  static sem_t s;
  static pthread_barrier_t barrier;
  pthread_t t;
  int p[2];
  sem_init(&s, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  EXPECT(pipe(p) == 0);
  pthread_mutex_lock(&m);
  KEEPS((pthread_mutex_lock(&m), pthread_mutex_unlock(&m)), 0, pthread_mutex_unlock(&m));
  KEEPS((pthread_mutex_lock(&m), pthread_cond_wait(&c, &m), pthread_mutex_unlock(&m)), 0, pthread_cond_signal(&c));
  pthread_rwlock_wrlock(&rw);
  KEEPS((pthread_rwlock_rdlock(&rw), pthread_rwlock_unlock(&rw)), 0, pthread_rwlock_unlock(&rw));
  KEEPS(sem_wait(&s), 0, sem_post(&s));
  KEEPS(pthread_barrier_wait(&barrier) != 0 || 1, 1, pthread_barrier_wait(&barrier));
  EXPECT(pthread_create(&t, NULL, ends_when_written_to, &p[0]) == 0);
  KEEPS(pthread_join(t, NULL), 0, write(p[1], "x", 1));
  char name[50];
  snprintf(name, sizeof name, "/charcoal-errno-%d", (int)getpid());
  struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = 64};
  mqd_t q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a);
  if (q >= 0) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 20;
    mq_unlink(name);
    KEEPS(mq_receive(q, some, 64, NULL), 1, mq_send(q, "x", 1, 0));
    KEEPS(mq_timedreceive(q, some, 64, NULL, &limit), 1, mq_send(q, "x", 1, 0));
    mq_send(q, "x", 1, 0), mq_send(q, "x", 1, 0);
    KEEPS(mq_send(q, "x", 1, 0), 0, mq_receive(q, some, 64, NULL));
    KEEPS(mq_timedsend(q, "x", 1, 0, &limit), 0, mq_receive(q, some, 64, NULL));
  }
  int id = msgget(IPC_PRIVATE, 0600);
  if (id >= 0) {
    struct {
      long type;
      char text[8];
    } message = {1, "hello"};
    KEEPS(msgrcv(id, &message, 8, 0, 0), 5, msgsnd(id, &message, 5, 0));
    msgctl(id, IPC_RMID, NULL);
  }
  id = semget(IPC_PRIVATE, 1, 0600);
  if (id >= 0) {
    struct sembuf down = {0, -1, 0}, up = {0, 1, 0};
    struct timespec limit = {20, 0};
    KEEPS(semop(id, &down, 1), 0, semop(id, &up, 1));
    KEEPS(semtimedop(id, &down, 1, &limit), 0, semop(id, &up, 1));
    semctl(id, 0, IPC_RMID);
  }
  EXPECT(failures == 0);
}
