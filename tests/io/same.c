/* Every replacement once and in its errors: what it returns, errno, and what it leaves behind. Compiled by clang this
 * program makes the plain calls; compiled by charcoal-cc it calls the replacements, while another activity waits for
 * the outside. The outputs have to be equal. Runs in an empty folder. */
#define _GNU_SOURCE
#ifdef __CHARCOAL__
#include <charcoal.h>
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Descriptors differ from run to run: they are told as "fd". */
#define SHOW(call)                                                                                                     \
  do {                                                                                                                 \
    errno = 0;                                                                                                         \
    long r_ = (long)(call);                                                                                            \
    printf("%s = %ld %s\n", #call, r_, r_ < 0 ? strerrorname_np(errno) : "");                                          \
  } while (0)
#define SHOW_ERROR(call)                                                                                               \
  do {                                                                                                                 \
    int r_ = (call);                                                                                                   \
    printf("%s = %s\n", #call, r_ ? strerrorname_np(r_) : "0");                                                        \
  } while (0)
#define SHOW_FD(to, call)                                                                                              \
  do {                                                                                                                 \
    errno = 0;                                                                                                         \
    to = (call);                                                                                                       \
    printf("%s = %s %s\n", #call, to < 0 ? "-1" : "fd", to < 0 ? strerrorname_np(errno) : "");                         \
  } while (0)

static char b[70000], c[70000];
static struct stat st;

static void show_file(const char *name) {
  struct stat s;
  int r = stat(name, &s);
  printf("  %s: %d %o %ld links %ld\n", name, r, r ? 0 : s.st_mode, r ? 0 : (long)s.st_size, r ? 0 : (long)s.st_nlink);
}

static void storage(void) {
  int f, d, none = -1;
  struct iovec v[3] = {{b, 5}, {b + 5, 0}, {b + 5, 7}};
  printf("== storage\n");
  SHOW_FD(f, open("file", O_RDWR | O_CREAT | O_EXCL, 0640));
  SHOW_FD(none, open("file", O_RDWR | O_CREAT | O_EXCL, 0640));
  SHOW_FD(none, open("none", O_RDONLY));
  SHOW_FD(none, open("file/none", O_RDONLY));
  SHOW_FD(none, open("", O_RDONLY));
  SHOW_FD(none, open(NULL, O_RDONLY));
  SHOW_FD(d, open(".", O_RDONLY | O_DIRECTORY));
  SHOW_FD(none, open("file", O_RDONLY | O_DIRECTORY));
  SHOW_FD(none, openat(d, "made", O_WRONLY | O_CREAT, 0600));
  close(none);
  SHOW_FD(none, openat(12345, "made", O_RDONLY));
  SHOW_FD(none, creat("created", 0611));
  close(none);
  show_file("created");
  SHOW_FD(none, open(".", O_TMPFILE | O_RDWR, 0600));
  close(none);
  for (int i = 0; i < 70000; i++)
    b[i] = (char)(i * 7 + i / 255);
  SHOW(write(f, b, 70000));
  SHOW(write(f, b, 0));
  SHOW(write(f, NULL, 5));
  SHOW(lseek(f, 0, SEEK_CUR));
  SHOW(lseek(f, 100, SEEK_SET));
  SHOW(read(f, c, 70000));
  printf("  %d\n", memcmp(c, b + 100, 69900));
  SHOW(read(f, c, 10));
  SHOW(read(f, NULL, 10));
  SHOW(pread(f, c, 70000, 1));
  printf("  %d\n", memcmp(c, b + 1, 69999));
  SHOW(pread(f, c, 10, -1));
  SHOW(pread(f, c, 10, 70000));
  SHOW(pread(f, c, 10, 1 << 30));
  SHOW(pread(d, c, 10, 0));
  SHOW(pread(-1, c, 10, 0));
  SHOW(pwrite(f, "hello", 5, 3));
  SHOW(pwrite(f, "hello", 5, -3));
  SHOW(pwrite(-1, "hello", 5, 3));
  SHOW(preadv(f, v, 3, 0));
  printf("  %.12s\n", b + 3);
  SHOW(preadv(f, v, -1, 0));
  SHOW(preadv(f, v, 5000, 0));
  SHOW(pwritev(f, v, 3, 80000));
  SHOW(pwritev(f, v, 3, -80000));
  SHOW(preadv2(f, v, 3, 2, 0));
  SHOW(preadv2(f, v, 3, 0, RWF_NOWAIT));
  SHOW(preadv2(f, v, 3, -1, 0));
  SHOW(preadv2(f, v, 3, -1, RWF_HIPRI << 20));
  SHOW(preadv2(f, v, 3, -2, 0));
  SHOW(pwritev2(f, v, 3, 80000, RWF_DSYNC));
  SHOW(pwritev2(f, v, 3, -1, RWF_DSYNC));
  SHOW(pwritev2(f, v, 3, -2, 0));
  SHOW(lseek(f, 0, SEEK_CUR));
  SHOW(readv(f, v, 3));
  SHOW(writev(f, v, 3));
  SHOW(lseek(f, 0, SEEK_CUR));
  show_file("file");
  SHOW(fsync(f));
  SHOW(fdatasync(f));
  SHOW(fsync(-1));
  SHOW(fsync(12345));
  SHOW(ftruncate(f, 10));
  SHOW(ftruncate(d, 10));
  SHOW(truncate("file", 9));
  SHOW(truncate(NULL, 9));
  SHOW(truncate("none", 9));
  show_file("file");
  SHOW(stat("file", &st));
  SHOW(stat("none", &st));
  SHOW(stat("", &st));
  SHOW(symlink("file", "link"));
  SHOW(symlink("nowhere", "dangling"));
  SHOW(stat("link", &st));
  printf("  %o %ld\n", st.st_mode, (long)st.st_size);
  SHOW(lstat("link", &st));
  printf("  %o %ld\n", st.st_mode, (long)st.st_size);
  SHOW(stat("dangling", &st));
  SHOW(fstat(f, &st));
  SHOW(fstat(-1, &st));
  SHOW(fstatat(d, "link", &st, AT_SYMLINK_NOFOLLOW));
  SHOW(fstatat(d, "link", &st, 12345));
  SHOW(fstatat(f, "", &st, AT_EMPTY_PATH));
  struct statx sx;
  SHOW(statx(d, "file", 0, STATX_SIZE, &sx));
  printf("  %ld\n", (long)sx.stx_size);
  SHOW(statx(d, "none", 0, STATX_SIZE, &sx));
  SHOW(mkdir("folder", 0755));
  SHOW(mkdir("folder", 0755));
  SHOW(mkdirat(d, "folder/inner", 0700));
  show_file("folder");
  SHOW(rename("created", "folder/moved"));
  SHOW(rename("created", "folder/moved"));
  SHOW(renameat(d, "made", d, "remade"));
  SHOW(renameat2(d, "remade", d, "file", RENAME_NOREPLACE));
  SHOW(rmdir("folder"));
  SHOW(unlink("folder"));
  SHOW(unlink("folder/moved"));
  SHOW(unlinkat(d, "folder/inner", 0));
  SHOW(unlinkat(d, "folder/inner", AT_REMOVEDIR));
  SHOW(rmdir("folder"));
  SHOW(unlink("none"));
  int g;
  SHOW_FD(g, open("copy", O_RDWR | O_CREAT, 0600));
  off_t at = 2;
  SHOW(sendfile(g, f, &at, 5));
  printf("  %ld\n", (long)at);
  SHOW(sendfile(g, d, NULL, 5));
  SHOW(lseek(f, 0, SEEK_SET));
  SHOW(copy_file_range(f, NULL, g, NULL, 100, 0));
  SHOW(copy_file_range(f, NULL, g, NULL, 100, 77));
  show_file("copy");
  int p[2];
  SHOW(pipe(p));
  at = 0;
  SHOW(splice(f, &at, p[1], NULL, 6, 0));
  SHOW(splice(p[0], NULL, g, NULL, 6, 0));
  SHOW(splice(f, NULL, g, NULL, 6, 0));
  SHOW(flock(f, LOCK_EX));
  SHOW(flock(f, LOCK_UN));
  SHOW(flock(f, 99));
  SHOW(flock(-1, LOCK_EX));
  struct flock range = {.l_type = F_WRLCK, .l_len = 5};
  SHOW(fcntl(f, F_SETLKW, &range));
  range.l_type = F_UNLCK;
  SHOW(fcntl(f, F_SETLK, &range));
  SHOW(fcntl(f, F_GETFL) & O_ACCMODE);
  SHOW(fcntl(f, F_SETFL, fcntl(f, F_GETFL) | O_APPEND));
  SHOW(fcntl(-1, F_GETFD));
  SHOW(fcntl(f, 9999, 0));
  SHOW(lockf(f, F_LOCK, 0));
  SHOW(lockf(f, F_ULOCK, 0));
  SHOW(write(f, "appended", 8));
  show_file("file");
  SHOW(close(p[0]) + close(p[1]) + close(g) + close(f) + close(d));
  SHOW(close(f));
}

static void *after_a_while(void *data) {
  struct timespec t = {0, 20000000};
  nanosleep(&t, NULL);
  int *fds = data;
  if (write(fds[1], fds + 2, 4) < 0)
    perror("write");
  return NULL;
}
/* Writes to the descriptor in 20 ms, from a thread. */
static pthread_t later(int fd) {
  static int data[64][3], n;
  pthread_t t;
  int *d = data[n++ % 64];
  d[1] = fd;
  d[2] = 0x21212121;
  pthread_create(&t, NULL, after_a_while, d);
  return t;
}

/* Waits until what was sent has arrived (the peer has acknowledged it): on loopback, too, that takes the time it likes.
 */
static void arrives(int sender) {
  int under_way = 0;
  while (ioctl(sender, TIOCOUTQ, &under_way) == 0 && under_way > 0)
    usleep(1000);
}

static void sockets(void) {
  int l, s, a, u[2], dg[2];
  struct sockaddr_in me = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
  socklen_t n = sizeof me;
  pthread_t t;
  printf("== sockets\n");
  l = socket(AF_INET, SOCK_STREAM, 0);
  SHOW(bind(l, (struct sockaddr *)&me, sizeof me));
  SHOW(listen(l, 5));
  getsockname(l, (struct sockaddr *)&me, &n);
  s = socket(AF_INET, SOCK_STREAM, 0);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  n = sizeof peer;
  SHOW_FD(a, accept(l, (struct sockaddr *)&peer, &n));
  printf("  %u %d\n", n, peer.sin_family);
  SHOW(accept(s, NULL, NULL));
  SHOW(accept4(l, NULL, NULL, 0x12345));
  SHOW(accept(-1, NULL, NULL));
  struct timeval tv = {0, 10000};
  SHOW(setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
  SHOW(recv(a, b, 0, 0));
  SHOW(recvfrom(a, b, 0, 0, NULL, NULL));
  SHOW(recvmsg(a, &(struct msghdr){.msg_iov = &(struct iovec){b, 0}, .msg_iovlen = 1}, 0));
  SHOW(recvmsg(a, &(struct msghdr){.msg_iovlen = 0}, MSG_DONTWAIT));
  SHOW(recv(a, b, 1, 0));
  SHOW(setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0}, sizeof(struct timeval)));
  SHOW(send(s, "one two three", 13, 0));
  SHOW(recv(a, b, 100, 0));
  SHOW(send(s, "x", 1, MSG_OOB));
  arrives(s);
  SHOW(recv(a, b, 100, MSG_DONTWAIT | MSG_PEEK));
  SHOW(recv(a, b, 1, MSG_OOB));
  struct mmsghdr many[2] = {{.msg_hdr = {.msg_iov = &(struct iovec){b, 4}, .msg_iovlen = 1}},
                            {.msg_hdr = {.msg_iov = &(struct iovec){b + 4, 4}, .msg_iovlen = 1}}};
  SHOW(sendmmsg(s, many, 2, 0));
  arrives(s);
  SHOW(recvmmsg(a, many, 2, MSG_WAITFORONE, NULL));
  SHOW(recv(a, b, 100, MSG_DONTWAIT) + recv(a, b, 100, MSG_DONTWAIT) > 0);
  SHOW(sendmmsg(s, many, 0, 0));
  SHOW(sendmmsg(-1, many, 1, 0));
  SHOW(shutdown(s, SHUT_WR));
  SHOW(send(s, "more", 4, MSG_NOSIGNAL));
  SHOW(recv(a, b, 10, 0));
  SHOW(shutdown(s, 99));
  close(a);
  close(s);
  s = socket(AF_INET, SOCK_STREAM, 0);
  me.sin_port = htons(1);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  SHOW(connect(s, (struct sockaddr *)&me, 2));
  SHOW(connect(99, (struct sockaddr *)&me, sizeof me));
  close(s);
  close(l);
  SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, u));
  SHOW(socketpair(AF_UNIX, SOCK_DGRAM, 0, dg));
  t = later(u[1]);
  SHOW(recv(u[0], b, 100, 0));
  pthread_join(t, NULL);
  t = later(u[1]);
  SHOW(read(u[0], b, 100));
  pthread_join(t, NULL);
  SHOW(setsockopt(u[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
  SHOW(recv(u[0], b, 100, 0));
  SHOW(read(u[0], b, 100));
  fcntl(u[0], F_SETFL, O_NONBLOCK);
  SHOW(read(u[0], b, 100));
  SHOW(recv(dg[0], b, 100, MSG_DONTWAIT));
  SHOW(sendto(dg[0], "datagram", 8, 0, NULL, 0));
  SHOW(recvfrom(dg[1], b, 4, MSG_TRUNC, NULL, NULL));
  close(u[1]);
  SHOW(read(u[0], b, 100));
  SHOW(send(u[0], b, 1, MSG_NOSIGNAL));
  struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "socket"};
  l = socket(AF_UNIX, SOCK_STREAM, 0);
  s = socket(AF_UNIX, SOCK_STREAM, 0);
  SHOW(connect(s, (struct sockaddr *)&un, sizeof un));
  SHOW(bind(l, (struct sockaddr *)&un, sizeof un));
  SHOW(connect(s, (struct sockaddr *)&un, sizeof un));
  SHOW(listen(l, 1));
  SHOW(connect(s, (struct sockaddr *)&un, sizeof un));
  SHOW_FD(a, accept4(l, NULL, NULL, SOCK_CLOEXEC));
  printf("  %d\n", fcntl(a, F_GETFD));
  close(a), close(s), close(l), close(u[0]), close(dg[0]), close(dg[1]);
}

static void zero_limits(void) {
  struct timeval negative[] = {{-1, 0}, {0, -1}, {-1, 500000}, {-1, 1000000}, {0, 1000000}, {INT64_MIN, 0}}, none = {0};
  printf("== with a negative limit a call of a socket does not wait\n");
  for (size_t i = 0; i < sizeof negative / sizeof *negative; i++) {
    int s[2], d;
    socketpair(AF_UNIX, SOCK_STREAM, 0, s);
    SHOW(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &negative[i], sizeof none));
    if (errno == 0) {
      SHOW(recv(s[0], b, 1, 0));
      SHOW(read(s[0], b, 1));
      SHOW_FD(d, dup(s[0]));
      SHOW(recv(d, b, 1, 0));
      send(s[1], "abc", 3, 0);
      SHOW(recv(s[0], b, 5, MSG_WAITALL));
      close(d);
    }
    SHOW(setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &negative[i], sizeof none));
    if (errno == 0) {
      size_t all = 0;
      while (all < 10000000 && send(s[0], b, sizeof b, 0) > 0)
        all += sizeof b;
      printf("  %s\n", all < 10000000 ? strerrorname_np(errno) : "sent");
    }
    SHOW(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none));
    pthread_t t = later(s[1]);
    SHOW(recv(s[0], b, 100, 0));
    pthread_join(t, NULL);
    close(s[0]);
    close(s[1]);
  }
  struct sockaddr_in me = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof me;
  int l = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0), a;
  bind(l, (struct sockaddr *)&me, sizeof me);
  listen(l, 5);
  getsockname(l, (struct sockaddr *)&me, &n);
  SHOW(setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, negative, sizeof none));
  SHOW(accept(l, NULL, NULL));
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  SHOW_FD(a, accept(l, NULL, NULL));
  SHOW(recv(a, b, 1, 0));
  close(a), close(s), close(l);
}

static void show_nothing(int s, int flags) {
  struct sockaddr_storage from;
  char control[100];
  struct iovec v = {b, 10};
  struct msghdr m = {.msg_name = &from,
                     .msg_namelen = sizeof from,
                     .msg_iov = &v,
                     .msg_iovlen = 1,
                     .msg_control = control,
                     .msg_controllen = sizeof control,
                     .msg_flags = -1};
  socklen_t n = sizeof from;
  SHOW(recv(s, b, 10, flags));
  SHOW(recvfrom(s, b, 10, flags, (struct sockaddr *)&from, &n));
  printf("  %u\n", n);
  SHOW(recvmsg(s, &m, flags));
  printf("  %x %u %zu\n", (unsigned)m.msg_flags, m.msg_namelen, m.msg_controllen);
  SHOW(read(s, b, 10));
  SHOW(readv(s, &v, 1));
}
static void udp_pair(int s[2]) {
  struct sockaddr_in a[2];
  for (int i = 0; i < 2; i++) {
    socklen_t n = sizeof *a;
    a[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s[i] = socket(AF_INET, SOCK_DGRAM, 0);
    bind(s[i], (struct sockaddr *)&a[i], sizeof *a);
    getsockname(s[i], (struct sockaddr *)&a[i], &n);
  }
  connect(s[0], (struct sockaddr *)&a[1], sizeof *a);
  connect(s[1], (struct sockaddr *)&a[0], sizeof *a);
}
static void tcp_pair(int s[2]) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  int l = socket(AF_INET, SOCK_STREAM, 0);
  bind(l, (struct sockaddr *)&a, sizeof a);
  listen(l, 5);
  getsockname(l, (struct sockaddr *)&a, &n);
  s[0] = socket(AF_INET, SOCK_STREAM, 0);
  connect(s[0], (struct sockaddr *)&a, sizeof a);
  s[1] = accept(l, NULL, NULL);
  close(l);
}
static void *resets(void *s) {
  struct linger at_once = {1, 0};
  usleep(20000);
  setsockopt(*(int *)s, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  return (void *)(intptr_t)close(*(int *)s);
}
/* When a part has come, however late that is on a busy machine. */
static void *resets_a_sender(void *s) {
  poll(&(struct pollfd){.fd = *(int *)s, .events = POLLIN}, 1, -1);
  return resets(s);
}
static void ends_of_sockets(void) {
  int s[2], v;
  struct timeval soon = {0, 3000};
  struct sockaddr_storage from;
  socklen_t n;
  pthread_t t;
  printf("== a socket of messages that is shut down has ended, for calls that would wait\n");
  for (int way = 0; way < 4; way++) {
    if (way % 2)
      udp_pair(s);
    else
      socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    if (way >= 2)
      setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    send(s[1], "last", 4, 0);
    SHOW(shutdown(s[0], SHUT_RD));
    show_nothing(s[0], 0);
    show_nothing(s[0], 0);
    show_nothing(s[0], MSG_DONTWAIT);
    close(s[0]), close(s[1]);
  }
  printf("== MSG_ERRQUEUE means nothing to a local socket\n");
  socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
  t = later(s[1]);
  SHOW(recv(s[0], b, 10, MSG_ERRQUEUE));
  pthread_join(t, NULL);
  SHOW(recvmmsg(s[0], NULL, 0, 0, NULL));
  struct mmsghdr none[1];
  SHOW(recvmmsg(s[0], none, 0, 0, NULL));
  close(s[0]), close(s[1]);
  pipe(s);
  SHOW(recvmmsg(s[0], none, 0, 0, NULL));
  close(s[0]), close(s[1]);
  printf("== an error after a part is told by the next call\n");
  for (int way = 0; way < 3; way++) {
    tcp_pair(s);
    int small = 4096;
    setsockopt(s[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    setsockopt(s[1], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    send(s[1], "part", 4, 0);
    pthread_create(&t, NULL, way == 0 ? resets : resets_a_sender, &s[1]);
    struct iovec all = {calloc(1, 8 << 20), 8 << 20};
    if (way == 0)
      SHOW(recv(s[0], b, 10, MSG_WAITALL));
    else
      SHOW((way == 1 ? send(s[0], all.iov_base, all.iov_len, 0) : writev(s[0], &all, 1)) > 0);
    pthread_join(t, NULL);
    SHOW(send(s[0], b, 1, 0));
    SHOW(send(s[0], b, 1, 0));
    free(all.iov_base);
    close(s[0]);
  }
  tcp_pair(s);
  struct msghdr m = {.msg_iovlen = 0, .msg_control = b, .msg_controllen = 100, .msg_flags = -1};
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  SHOW(recvmsg(s[0], &m, 0));
  printf("  %x %zu\n", (unsigned)m.msg_flags, m.msg_controllen);
  n = 77;
  SHOW(recvfrom(s[0], b, 0, 0, (struct sockaddr *)&from, &n));
  printf("  %u\n", n);
  printf("== MSG_WAITALL ends before an urgent byte\n");
  send(s[1], "some", 4, 0);
  send(s[1], "!", 1, MSG_OOB);
  send(s[1], "more", 4, 0);
  arrives(s[1]);
  SHOW(recv(s[0], b, 8, MSG_WAITALL));
  SHOW(recv(s[0], b, 4, MSG_WAITALL));
  SHOW(recv(s[0], b, 1, MSG_OOB));
  close(s[0]), close(s[1]);
  udp_pair(s);
  setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  SHOW(recv(s[0], b, 10, 0));
  SHOW(accept(s[0], NULL, NULL));
  close(s[0]), close(s[1]);
  SHOW_FD(v, eventfd(1, 0));
  SHOW(pread(v, b, 8, 0));
  SHOW(pread(v, b, 1, 0));
  SHOW(pwrite(v, b, 8, 0));
  SHOW(pread(v, b, 0, 0));
  close(v);
}

static int unused_port(void) {
  struct sockaddr_in me = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof me;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  bind(s, (struct sockaddr *)&me, sizeof me);
  getsockname(s, (struct sockaddr *)&me, &n);
  close(s);
  return me.sin_port;
}
static void *accepts_one(void *l) {
  usleep(20000);
  return (void *)(intptr_t)accept((int)(intptr_t)l, NULL, NULL);
}
static void connected_before(void) {
  struct sockaddr_in me = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = unused_port()};
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  socklen_t n = sizeof me;
  printf("== a connection that was begun before is waited for, and its outcome told once\n");
  for (int way = 0; way < 3; way++) {
    int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error;
    SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
    struct pollfd p = {.fd = s, .events = POLLOUT};
    SHOW(poll(&p, 1, -1));
    n = sizeof error;
    if (way == 1)
      getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &n);
    if (way == 2)
      SHOW(connect(s, &nobody, sizeof nobody));
    fcntl(s, F_SETFL, 0);
    SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
    SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
    close(s);
  }
  int s = socket(AF_INET, SOCK_STREAM, 0);
  for (int i = 0; i < 3; i++)
    SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  fcntl(s, F_SETFL, O_NONBLOCK);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me)); /* not the outcome of the one before */
  close(s);
  me.sin_port = 0;
  n = sizeof me;
  int l = socket(AF_INET, SOCK_STREAM, 0), first = socket(AF_INET, SOCK_STREAM, 0);
  bind(l, (struct sockaddr *)&me, sizeof me);
  listen(l, 0);
  getsockname(l, (struct sockaddr *)&me, &n);
  SHOW(connect(first, (struct sockaddr *)&me, sizeof me));
  s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me)); /* the listener has no room until `first` is accepted */
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  fcntl(s, F_SETFL, 0);
  struct timeval soon = {0, 3000}, never = {0};
  setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof never);
  pthread_t t;
  pthread_create(&t, NULL, accepts_one, (void *)(intptr_t)l);
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  SHOW(connect(s, (struct sockaddr *)&me, sizeof me));
  void *a;
  pthread_join(t, &a);
  close((int)(intptr_t)a), close(s), close(first), close(l);
}

static void on_signal(int s) { (void)s; }

static void waiting(void) {
  int p[2], e, v;
  pthread_t t;
  printf("== waiting\n");
  SHOW(pipe(p));
  struct pollfd f[3] = {{.fd = p[0], .events = POLLIN}, {.fd = -7, .events = POLLIN}, {.fd = p[1], .events = POLLIN}};
  SHOW(poll(f, 3, 0));
  int file = open("/etc/passwd", O_RDONLY), never[] = {0, POLLPRI, POLLRDHUP};
  for (int i = 0; i < 3; i++) {
    struct pollfd of_file = {.fd = file, .events = (short)never[i]};
    SHOW(poll(&of_file, 1, 10));
  }
  fd_set exceptional;
  FD_ZERO(&exceptional);
  FD_SET(file, &exceptional);
  SHOW(select(file + 1, NULL, NULL, &exceptional, &(struct timeval){0, 10000}));
  close(file);
  SHOW(poll(f, 3, 10));
  t = later(p[1]);
  SHOW(poll(f, 3, -1));
  printf("  %x %x %x\n", f[0].revents, f[1].revents, f[2].revents);
  pthread_join(t, NULL);
  f[1].fd = 12345;
  SHOW(poll(f, 3, 1000));
  printf("  %x %x %x\n", f[0].revents, f[1].revents, f[2].revents);
  SHOW(poll(NULL, 0, 5));
  SHOW(poll(NULL, 3, 5));
  SHOW(read(p[0], b, 100));
  struct timespec ten = {0, 10000000}, bad = {0, -1};
  SHOW(ppoll(f, 1, &ten, NULL));
  SHOW(ppoll(f, 1, &bad, NULL));
  sigset_t usr, none;
  sigemptyset(&none);
  sigemptyset(&usr);
  sigaddset(&usr, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr, NULL);
  signal(SIGUSR1, on_signal);
  kill(getpid(), SIGUSR1);
  SHOW(ppoll(f, 1, &ten, NULL));
  SHOW(ppoll(f, 1, NULL, &none));
  SHOW(ppoll(f, 1, &ten, &none));
  fd_set in, out;
  struct timeval tv = {0, 10000};
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(p[0], &in);
  SHOW(select(p[1] + 1, &in, NULL, NULL, &tv));
  printf("  %d %ld\n", FD_ISSET(p[0], &in), (long)tv.tv_sec);
  FD_SET(p[0], &in);
  FD_SET(p[1], &out);
  SHOW(select(p[1] + 1, &in, &out, NULL, NULL));
  printf("  %d %d\n", FD_ISSET(p[0], &in), FD_ISSET(p[1], &out));
  FD_SET(p[0], &in);
  t = later(p[1]);
  SHOW(select(p[1] + 1, &in, NULL, NULL, NULL));
  pthread_join(t, NULL);
  FD_SET(1000, &in);
  SHOW(select(1001, &in, NULL, NULL, NULL));
  SHOW(select(-1, NULL, NULL, NULL, NULL));
  tv = (struct timeval){-1, 0};
  SHOW(select(0, NULL, NULL, NULL, &tv));
  SHOW(pselect(0, NULL, NULL, NULL, &ten, NULL));
  kill(getpid(), SIGUSR1);
  SHOW(pselect(0, NULL, NULL, NULL, NULL, &none));
  SHOW(read(p[0], b, 100));
  SHOW_FD(e, epoll_create1(0));
  struct epoll_event ev = {.events = EPOLLIN, .data.u32 = 77};
  SHOW(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev));
  SHOW(epoll_wait(e, &ev, 1, 0));
  SHOW(epoll_wait(e, &ev, 1, 10));
  t = later(p[1]);
  SHOW(epoll_wait(e, &ev, 1, -1));
  printf("  %x %u\n", ev.events, ev.data.u32);
  pthread_join(t, NULL);
  SHOW(epoll_wait(e, &ev, 0, -1));
  SHOW(epoll_wait(p[0], &ev, 1, -1));
  SHOW(read(p[0], b, 100));
  kill(getpid(), SIGUSR1);
  SHOW(epoll_pwait(e, &ev, 1, -1, &none));
  SHOW_FD(v, eventfd(0, EFD_SEMAPHORE));
  eventfd_t value;
  SHOW(eventfd_write(v, 2));
  SHOW(eventfd_read(v, &value));
  printf("  %ld\n", (long)value);
  SHOW(read(v, b, 7));
  siginfo_t info;
  int sig = 0;
  SHOW(sigtimedwait(&usr, &info, &ten));
  kill(getpid(), SIGUSR1);
  SHOW(sigwaitinfo(&usr, &info));
  kill(getpid(), SIGUSR1);
  SHOW_ERROR(sigwait(&usr, &sig));
  printf("  %d\n", sig);
  SHOW(sigtimedwait(&usr, &info, &bad));
  kill(getpid(), SIGUSR1);
  SHOW(sigsuspend(&none));
  struct timespec left = {7, 7};
  SHOW(nanosleep(&ten, &left));
  SHOW(nanosleep(&bad, NULL));
  SHOW_ERROR(clock_nanosleep(CLOCK_MONOTONIC, 0, &ten, NULL));
  SHOW_ERROR(clock_nanosleep(12345, 0, &ten, NULL));
  SHOW_ERROR(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ten, NULL));
  SHOW(sched_yield());
  close(p[0]), close(p[1]), close(e), close(v);
}

static void children(void) {
  int status = 0, go[2];
  pid_t pid;
  siginfo_t info;
  printf("== children\n");
  SHOW(waitpid(-1, &status, 0));
  SHOW(wait(&status));
  SHOW(waitpid(1, &status, 0));
  SHOW(waitpid(-1, &status, 0x12345));
  fflush(stdout);
  SHOW(pipe(go));
  if ((pid = fork()) == 0) {
    close(go[1]);
    if (read(go[0], b, 1) != 0)
      _exit(1); /* until it has been asked after */
    usleep(20000);
    _exit(7);
  }
  SHOW(waitpid(pid, &status, WNOHANG));
  close(go[0]), close(go[1]);
  printf("  %d\n", waitpid(pid, &status, 0) == pid);
  printf("  %x\n", status);
  if ((pid = fork()) == 0) {
    usleep(20000);
    _exit(8);
  }
  printf("  %d\n", wait(&status) == pid);
  printf("  %x\n", status);
  if ((pid = fork()) == 0) {
    usleep(20000);
    raise(SIGSTOP);
    usleep(20000);
    _exit(9);
  }
  printf("  %d\n", waitpid(pid, &status, WUNTRACED) == pid);
  printf("  %x\n", status);
  kill(pid, SIGCONT);
  SHOW(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
  printf("  %d %d %d\n", info.si_pid == pid, info.si_status, info.si_code);
  SHOW(waitid(P_PID, (id_t)pid, &info, WEXITED));
  SHOW(waitid(P_PID, (id_t)pid, &info, WEXITED));
  SHOW(waitid(P_ALL, 0, &info, 0));
  SHOW(system("exit 3"));
  SHOW(system("sleep 0.02"));
  FILE *f = popen("sleep 0.02; echo from the child; exit 4", "r");
  printf("  %s", fgets(b, 100, f));
  SHOW(pclose(f));
}

static void *write_pieces(void *data) {
  int fd = *(int *)data;
  const char *pieces[] = {"first li", "ne\nsecond line\nth", "ird", "\n12 ", "34\nabcdef", "ghijklmnop", "tail"};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    usleep(5000);
    if (write(fd, pieces[i], strlen(pieces[i])) < 0)
      perror("write");
  }
  close(fd);
  return NULL;
}

static void streams(void) {
  int p[2], x = 0, y = 0;
  pthread_t t;
  char *line = NULL;
  size_t room = 0;
  printf("== streams\n");
  SHOW(pipe(p));
  FILE *f = fdopen(p[0], "r");
  pthread_create(&t, NULL, write_pieces, &p[1]);
  printf("  %s", fgets(b, 100, f));
  printf("  %c", getc(f));
  printf("%c", fgetc(f));
  ungetc('X', f);
  SHOW(getline(&line, &room, f));
  printf("  %s", line);
  printf("  %s|\n", fgets(b, 3, f));
  SHOW(getdelim(&line, &room, '\n', f));
  SHOW(fscanf(f, "%d %d", &x, &y));
  printf("  %d %d\n", x, y);
  SHOW(fread(b, 3, 5, f));
  printf("  %.15s\n", b + 1);
  SHOW(fread(b, 1, 100, f));
  SHOW(feof(f));
  SHOW(getc(f));
  SHOW(fgets(b, 100, f) == NULL);
  SHOW(getline(&line, &room, f));
  SHOW(getline(NULL, &room, f));
  free(line);
  fclose(f);
  pthread_join(t, NULL);
  f = fopen("file", "r");
  SHOW(fread(b, 1, 4, f));
  SHOW(getc(f));
  SHOW(fgets(b, 100, f) != NULL);
  fclose(f);
}

static void names(void) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char host[100], service[100];
  struct hostent *h, own, *result;
  int e = 0;
  printf("== names\n");
  SHOW(getnameinfo((struct sockaddr *)&a, sizeof a, host, sizeof host, service, sizeof service,
                   NI_NUMERICHOST | NI_NUMERICSERV));
  printf("  %s %s\n", host, service);
  SHOW(getnameinfo((struct sockaddr *)&a, sizeof a, host, sizeof host, service, sizeof service, 0));
  printf("  %s %s\n", host, service);
  SHOW(getnameinfo((struct sockaddr *)&a, sizeof a, host, 1, service, sizeof service, 0));
  SHOW(getnameinfo(NULL, sizeof a, host, sizeof host, NULL, 0, 0));
  SHOW(getnameinfo((struct sockaddr *)&a, 3, host, sizeof host, NULL, 0, 0));
  struct addrinfo *found, hints = {.ai_family = AF_INET};
  SHOW(getaddrinfo("::1%lo", NULL, &hints, &found));
  SHOW(getaddrinfo("fe80::1%nosuch", NULL, &hints, &found));
  h = gethostbyname("localhost");
  printf("  %s %d %d\n", h ? h->h_name : "none", h ? h->h_addrtype : 0, h ? h->h_length : 0);
  h = gethostbyname("127.0.0.9");
  printf("  %s %s\n", h ? h->h_name : "none", h ? inet_ntoa(*(struct in_addr *)h->h_addr) : "");
  h = gethostbyaddr(&a.sin_addr, 4, AF_INET);
  printf("  %s\n", h ? h->h_name : "none");
  SHOW(gethostbyaddr(&a.sin_addr, 1 << 30, AF_INET) != NULL);
  SHOW(gethostbyname_r("localhost", &own, b, 10, &result, &e));
  SHOW(gethostbyname_r("localhost", &own, b, 10000, &result, &e));
  printf("  %s\n", result ? result->h_name : "none");
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, recursive, checking;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int stage;
static void *other(void *unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  usleep(20000);
  stage = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&m);
  usleep(20000);
  sem_post((sem_t *)unused);
  return (void *)42;
}

static void threads(void) {
  pthread_mutexattr_t attr;
  pthread_t t;
  sem_t s;
  void *r;
  struct timespec soon, bad = {0, -1};
  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  printf("== threads\n");
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attr);
  SHOW_ERROR(pthread_mutex_lock(&m));
  SHOW_ERROR(pthread_mutex_trylock(&m));
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 10000000;
  if (soon.tv_nsec >= 1000000000)
    soon.tv_sec++, soon.tv_nsec -= 1000000000;
  SHOW_ERROR(pthread_mutex_timedlock(&m, &soon));
  SHOW_ERROR(pthread_mutex_timedlock(&m, &bad));
  SHOW_ERROR(pthread_cond_timedwait(&cond, &m, &soon));
  SHOW_ERROR(pthread_cond_timedwait(&cond, &m, &bad));
  SHOW_ERROR(pthread_cond_clockwait(&cond, &m, CLOCK_PROCESS_CPUTIME_ID, &soon));
  SHOW_ERROR(pthread_mutex_unlock(&m));
  SHOW_ERROR(pthread_mutex_timedlock(&recursive, &bad));
  SHOW_ERROR(pthread_mutex_unlock(&recursive));
  SHOW_ERROR(pthread_mutex_clocklock(&recursive, CLOCK_PROCESS_CPUTIME_ID, &soon));
  SHOW_ERROR(pthread_mutex_lock(&recursive));
  SHOW_ERROR(pthread_mutex_lock(&recursive));
  SHOW_ERROR(pthread_mutex_trylock(&recursive));
  SHOW_ERROR(pthread_mutex_unlock(&recursive));
  SHOW_ERROR(pthread_mutex_unlock(&recursive));
  SHOW_ERROR(pthread_mutex_unlock(&recursive));
  SHOW_ERROR(pthread_mutex_unlock(&recursive));
  SHOW_ERROR(pthread_mutex_lock(&checking));
  SHOW_ERROR(pthread_mutex_lock(&checking));
  SHOW_ERROR(pthread_mutex_trylock(&checking));
  SHOW_ERROR(pthread_mutex_unlock(&checking));
  SHOW_ERROR(pthread_mutex_unlock(&checking));
  SHOW(sem_init(&s, 0, 1));
  SHOW(sem_wait(&s));
  SHOW(sem_timedwait(&s, &soon));
  SHOW(sem_timedwait(&s, &bad));
  SHOW(sem_post(&s));
  SHOW(sem_timedwait(&s, &bad));
  SHOW(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &soon));
  SHOW(sem_wait(&s));
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, other, &s);
  while (!stage)
    pthread_cond_wait(&cond, &m);
  printf("  %d\n", stage);
  pthread_mutex_unlock(&m);
  SHOW(sem_wait(&s));
  SHOW_ERROR(pthread_clockjoin_np(t, &r, CLOCK_PROCESS_CPUTIME_ID, &soon));
  SHOW_ERROR(pthread_join(t, &r));
  printf("  %ld\n", (long)r);
  SHOW_ERROR(pthread_rwlock_timedrdlock(&rw, &bad));
  SHOW_ERROR(pthread_rwlock_clockwrlock(&rw, CLOCK_PROCESS_CPUTIME_ID, &soon));
  SHOW_ERROR(pthread_rwlock_rdlock(&rw));
  SHOW_ERROR(pthread_rwlock_rdlock(&rw));
  SHOW_ERROR(pthread_rwlock_unlock(&rw) + pthread_rwlock_unlock(&rw));
  SHOW_ERROR(pthread_rwlock_wrlock(&rw));
  SHOW_ERROR(pthread_rwlock_unlock(&rw));
  mtx_t mt;
  mtx_init(&mt, mtx_plain);
  SHOW(mtx_lock(&mt));
  SHOW(mtx_trylock(&mt));
  SHOW(mtx_unlock(&mt));
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 1);
  SHOW(pthread_barrier_wait(&barrier));
  pthread_mutex_destroy(&m);
  pthread_cond_destroy(&cond);
  sem_destroy(&s);
}

/* A call that succeeds leaves errno as it was. */
#define KEEPS(call)                                                                                                    \
  do {                                                                                                                 \
    errno = E2BIG;                                                                                                     \
    long r_ = (long)(call);                                                                                            \
    const char *is_ = strerrorname_np(errno);                                                                          \
    printf("%s = %ld, errno %s\n", #call, r_, is_);                                                                    \
  } while (0)

static void keep_errno_between(int from, int to) {
  struct iovec v = {b, 1};
  KEEPS(write(to, b, 9));
  KEEPS(read(from, b, 1));
  KEEPS(readv(from, &v, 1));
  KEEPS(writev(to, &v, 1));
}

static void keep_errno_in_stream(int from, int to, int buffering) {
  FILE *out = fdopen(to, "w"), *in = fdopen(from, "r");
  setvbuf(out, NULL, buffering, 0);
  KEEPS(fputs("one\ntwo\n", out) > 0);
  KEEPS(fflush(out));
  KEEPS(fgetc(in));
  fclose(in);
  fclose(out);
}

static void errors_kept(void) {
  int p[2];
  printf("== errno after a success\n");
  for (int buffering = _IOFBF; buffering <= _IONBF; buffering++) {
    pipe(p);
    keep_errno_in_stream(p[0], p[1], buffering);
  }
  pipe(p);
  keep_errno_between(p[0], p[1]);
  socketpair(AF_UNIX, SOCK_STREAM, 0, p);
  keep_errno_between(p[0], p[1]);
  keep_errno_between(open("/dev/zero", O_RDONLY), open("/dev/null", O_WRONLY));
  for (int i = 0; i < 2; i++)
    keep_errno_between(open("file", O_RDONLY), open("file", O_WRONLY | O_CREAT, 0600));
}

static void *sends_in_two_parts(void *socket) {
  write((int)(intptr_t)socket, "one", 3);
  usleep(20000);
  return write((int)(intptr_t)socket, "two", 3) == 3 ? socket : NULL;
}

/* Arguments that make no sense, and calls that have to wait with no descriptor left. */
static void misuse(void) {
  int p[2], s[2], a[2];
  char x[8];
  struct iovec v = {x, 3};
  struct msghdr m = {.msg_iov = NULL, .msg_iovlen = 1}, part = {.msg_iov = &v, .msg_iovlen = 1};
  printf("== misuse\n");
  pipe(p);
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  SHOW(readv(p[0], NULL, 1));
  SHOW(writev(p[1], NULL, 1));
  SHOW(readv(s[0], NULL, 1));
  SHOW(writev(s[1], NULL, 1));
  SHOW(preadv(open("file", O_RDONLY), NULL, 1, 0));
  SHOW(sendmsg(s[1], NULL, 0));
  SHOW(recvmsg(s[0], NULL, 0));
  SHOW(sendmsg(s[1], &m, 0));
  SHOW(recvmsg(s[0], &m, MSG_DONTWAIT));
  SHOW(sendmmsg(s[1], NULL, 1, 0));
  SHOW(recvmmsg(s[0], NULL, 1, 0, NULL));

  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof here;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (void *)&here, sizeof here);
  listen(listener, 3);
  getsockname(listener, (void *)&here, &length);
  a[0] = socket(AF_INET, SOCK_STREAM, 0);
  connect(a[0], (void *)&here, sizeof here);
  a[1] = accept(listener, NULL, NULL);
  pthread_t t;
  for (int i = 0; i < 3; i++) {
    pthread_create(&t, NULL, sends_in_two_parts, (void *)(intptr_t)a[1]);
    if (i == 0)
      SHOW(recv(a[0], x, 6, MSG_PEEK | MSG_WAITALL));
    if (i == 1)
      SHOW(recvfrom(a[0], x, 6, MSG_PEEK | MSG_WAITALL, NULL, NULL));
    v.iov_len = 6;
    if (i == 2)
      SHOW(recvmsg(a[0], &part, MSG_PEEK | MSG_WAITALL));
    SHOW(recv(a[0], x, 6, MSG_WAITALL));
    pthread_join(t, NULL);
  }
  SHOW(recv(a[0], x, 6, MSG_PEEK | MSG_WAITALL | MSG_DONTWAIT));

  int joined = 0;
  SHOW(thrd_join(thrd_current(), &joined) == thrd_error);

  sigset_t usr1, none;
  siginfo_t info;
  struct timespec soon = {0, 3000000};
  sigemptyset(&none);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  int f = signalfd(-1, &usr1, 0);
  SHOW(read(f, x, 3));
  struct rlimit before, now;
  getrlimit(RLIMIT_NOFILE, &before);
  now = before;
  now.rlim_cur = (rlim_t)dup(0);
  setrlimit(RLIMIT_NOFILE, &now);
  SHOW(sigtimedwait(&usr1, &info, &soon));
  pid_t child = fork();
  if (child == 0) {
    usleep(20000);
    kill(getppid(), SIGUSR1);
    read(p[0], x, 1);
    usleep(20000);
    kill(getppid(), SIGUSR1);
    _exit(0);
  }
  SHOW(sigwaitinfo(&usr1, &info));
  signal(SIGUSR1, on_signal);
  write(p[1], "x", 1);
  SHOW(sigsuspend(&none));
  SHOW(waitpid(child, NULL, 0) == child);
  signal(SIGUSR1, SIG_DFL);
  setrlimit(RLIMIT_NOFILE, &before);
}

/* Sends two bytes, two with two descriptors, and two more. */
static void send_in_parts(int to) {
  char control[CMSG_SPACE(2 * sizeof(int))] = {0};
  struct iovec v = {"cd", 2};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *h = CMSG_FIRSTHDR(&m);
  h->cmsg_level = SOL_SOCKET;
  h->cmsg_type = SCM_RIGHTS;
  h->cmsg_len = CMSG_LEN(2 * sizeof(int));
  memcpy(CMSG_DATA(h), (int[]){to, to}, 2 * sizeof(int));
  send(to, "ab", 2, 0);
  sendmsg(to, &m, 0);
  send(to, "ef", 2, 0);
}
static void show_part(int from, size_t room) {
  char control[100] = {0}, x[20] = {0};
  struct iovec v = {x, 6};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room};
  SHOW(recvmsg(from, &m, MSG_WAITALL));
  printf("  %s %x %zu\n", x, (unsigned)m.msg_flags, m.msg_controllen);
  for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h && m.msg_controllen; h = CMSG_NXTHDR(&m, h))
    printf("  %d %zu\n", h->cmsg_type, (size_t)h->cmsg_len);
}
static void descriptors_end_a_message(void) {
  char x[20] = {0};
  int s[2], on = 1;
  printf("== a call that waits for all of it ends where descriptors came\n");
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  send_in_parts(s[1]);
  SHOW(recv(s[0], x, 6, MSG_WAITALL));
  SHOW(recv(s[0], x, 2, MSG_WAITALL));
  send_in_parts(s[1]);
  SHOW(recvfrom(s[0], x, 6, MSG_WAITALL, NULL, NULL));
  SHOW(recvfrom(s[0], x, 2, MSG_WAITALL, (void *)x, NULL));
  SHOW(recv(s[0], x, 2, MSG_DONTWAIT));
  size_t rooms[] = {100, CMSG_LEN(sizeof(int)), 0};
  for (int i = 0; i < 3; i++) {
    send_in_parts(s[1]);
    show_part(s[0], rooms[i]);
    SHOW(recv(s[0], x, 2, MSG_WAITALL));
  }
  SHOW(setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
  send_in_parts(s[1]);
  show_part(s[0], 100);
  SHOW(recv(s[0], x, 2, MSG_WAITALL));
  send_in_parts(s[1]);
  SHOW(recv(s[0], x, 6, MSG_WAITALL));
  SHOW(recv(s[0], x, 2, MSG_WAITALL));
  send_in_parts(s[1]);
  show_part(s[0], 0);
  SHOW(recv(s[0], x, 2, MSG_WAITALL));
  pthread_t t;
  send(s[1], "ab", 2, 0);
  t = later(s[1]);
  show_part(s[0], 0);
  pthread_join(t, NULL);
  printf("== with SO_PASSCRED it ends where another one's part begins, too\n");
  for (int i = 0; i < 4; i++) {
    while (recv(s[0], x, sizeof x, MSG_DONTWAIT) > 0)
      ;
    send(s[1], "ab", 2, 0);
    pid_t child = fork();
    if (child == 0) {
      if (i >= 2)
        usleep(20000);
      _exit(send(s[1], "cd", 2, 0) != 2);
    }
    if (i < 2)
      waitpid(child, NULL, 0);
    if (i % 2)
      SHOW(recv(s[0], x, 4, MSG_WAITALL));
    else
      show_part(s[0], 100);
    waitpid(child, NULL, 0);
    SHOW(recv(s[0], x, 2, MSG_WAITALL));
  }
  close(s[0]);
  close(s[1]);
}

static void refused_at_once(void) {
  uint64_t number;
  struct iovec v = {b, 10};
  struct timespec wrong = {1, -1};
  printf("== what is refused at once, ready or not\n");
  int e = eventfd(0, 0), t = timerfd_create(CLOCK_MONOTONIC, 0), q = epoll_create1(0), f;
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  int s = signalfd(-1, &usr1, 0), child = (int)syscall(SYS_pidfd_open, getpid(), 0);
  SHOW(read(e, &number, 7));
  SHOW(write(e, &number, 7));
  number = UINT64_MAX - 1;
  SHOW(write(e, &number, 8)); /* now it is full */
  number = UINT64_MAX;
  SHOW(write(e, &number, 8));
  SHOW(write(e, &number, 100));
  SHOW(eventfd_write(e, UINT64_MAX));
  SHOW(write(e, NULL, 8));
  struct iovec halves[2] = {{&number, 4}, {(char *)&number + 4, 4}};
  SHOW(writev(e, halves, 2));
  halves[0].iov_len = 0;
  halves[1] = (struct iovec){&number, 8};
  SHOW(writev(e, halves, 2));
  SHOW(writev(e, halves + 1, 1));
  SHOW(read(e, &number, 8));
  SHOW(read(t, &number, 7));
  SHOW(write(t, &number, 8));
  SHOW(read(s, b, 127));
  SHOW(write(s, b, 128));
  SHOW(read(q, b, 100));
  SHOW(write(q, b, 100));
  SHOW(read(child, b, 100));
  SHOW(readv(child, &v, 1));
  SHOW(writev(child, &v, 1));
  SHOW_FD(f, open("wished", O_RDWR | O_CREAT, 0600));
  SHOW(pwritev2(f, &v, 1, 0, RWF_HIPRI));
  SHOW(preadv2(f, &v, 1, 0, RWF_HIPRI));
  SHOW(preadv2(f, &v, 1, 0, 1 << 30));
  char name[40];
  snprintf(name, sizeof name, "/charcoal-same-%d", (int)getpid());
  struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 8};
  mqd_t m = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
  mq_unlink(name);
  SHOW(mq_timedsend(m, "1", 1, 0, &wrong));
  SHOW(mq_send(m, "1", 1, 0));
  SHOW(mq_timedreceive(m, b, 8, NULL, &wrong));
  SHOW(mq_timedreceive(-1, b, 8, NULL, &wrong));
  int id = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf give = {0, 1, 0};
  SHOW(semtimedop(id, &give, 1, &wrong));
  SHOW(semctl(id, 0, GETVAL));
  SHOW(semtimedop(id, &give, 0, &wrong));
  semctl(id, 0, IPC_RMID);
  for (int i = 0; i < 5; i++)
    close((int[]){e, t, q, s, child}[i]);
}

/* The last call has just said that there is no room, or nothing to read. */
static void fill_without_waiting(int to, int is_socket) {
  while (is_socket && send(to, b, 5000, MSG_DONTWAIT) > 0)
    ;
  if (is_socket)
    return;
  int mode = fcntl(to, F_GETFL);
  fcntl(to, F_SETFL, mode | O_NONBLOCK);
  while (write(to, b, 1) > 0)
    ;
  fcntl(to, F_SETFL, mode);
}
static void refused_where_others_wait(void) {
  static char longest[1 << 20];
  struct iovec v[2] = {{b, 5}, {b, (size_t)-1}}, large = {longest, sizeof longest};
  struct msghdr many = {.msg_iovlen = 5000}, whole = {.msg_iov = &large, .msg_iovlen = 1};
  static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
  printf("== what is refused at once where a right call would wait, as the last one has found\n");
  for (int i = 0; i < 3; i++) {
    int s[2];
    socketpair(AF_UNIX, types[i], 0, s);
    fill_without_waiting(s[1], 1);
    if (types[i] != SOCK_STREAM) {
      SHOW(write(s[1], longest, sizeof longest));
      SHOW(send(s[1], longest, sizeof longest, 0));
      SHOW(sendmsg(s[1], &whole, 0));
      SHOW(writev(s[1], &large, 1));
    }
    SHOW(writev(s[1], v, 2));
    SHOW(sendmsg(s[1], &many, 0));
    union {
      struct cmsghdr header;
      char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    int none = 12345;
    memcpy(CMSG_DATA(&control.header), &none, sizeof none);
    struct msghdr with = {.msg_iov = v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    SHOW(sendmsg(s[1], &with, 0));
    SHOW(recv(s[1], b, 10, MSG_DONTWAIT));
    SHOW(readv(s[1], v, 2));
    SHOW(recvmsg(s[1], &many, 0));
    with.msg_name = b;
    with.msg_namelen = (socklen_t)-1;
    SHOW(recvmsg(s[1], &with, 0));
    close(s[0]);
    close(s[1]);
  }
  int p[2], e = eventfd(0, 0);
  pipe(p);
  SHOW(readv(p[0], v, 2));
  fill_without_waiting(p[1], 0);
  SHOW(writev(p[1], v, 2));
  close(p[0]);
  close(p[1]);
  uint64_t number = UINT64_MAX - 1;
  SHOW(write(e, &number, 8));
  fill_without_waiting(e, 0);
  fcntl(e, F_SETFL, O_NONBLOCK);
  SHOW(write(e, &number, 8));
  fcntl(e, F_SETFL, 0);
  number = UINT64_MAX;
  SHOW(write(e, &number, 8));
  SHOW(write(e, &number, 7));
  close(e);
}

/* Work of others makes the kernel look up from such a read. */
static void *computes(void *over) {
  while (!__atomic_load_n((int *)over, __ATOMIC_RELAXED))
    ;
  return NULL;
}
static void zeros_come_whole(void) {
  static char room[2 << 20];
  int f = open("/dev/zero", O_RDWR), g = open("/dev/full", O_RDWR), over = 0, whole = 0;
  pthread_t others[3];
  printf("== zeros come whole\n");
  for (int i = 0; i < 3; i++)
    pthread_create(&others[i], NULL, computes, &over);
  for (int i = 0; i < 5; i++)
    whole += (read(f, room, sizeof room) == sizeof room) + (read(g, room, sizeof room) == sizeof room) +
             (readv(f, &(struct iovec){room, sizeof room}, 1) == sizeof room);
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++)
    pthread_join(others[i], NULL);
  printf("%d\n", whole);
  close(f);
  close(g);
}

static void at_most_so_many_messages(void) {
  static struct mmsghdr all[1100];
  struct iovec v = {b, 1};
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  printf("== no more messages than the kernel takes at a time\n");
  bind(s, (void *)&here, size);
  getsockname(s, (void *)&here, &size);
  for (int i = 0; i < 1100; i++)
    all[i].msg_hdr = (struct msghdr){.msg_name = &here, .msg_namelen = size, .msg_iov = &v, .msg_iovlen = 1};
  SHOW(sendmmsg(s, all, 1100, 0));
  close(s);
}

/* What follows the last line stays in the buffer, unless the buffer is too small to be a block. */
static void lines_through_small_buffers(void) {
  static const int sizes[] = {1, 16, 127, 128, 500};
  printf("== lines through small buffers\n");
  for (int i = 0; i < 5; i++) {
    int p[2], there;
    char buffer[500];
    pipe(p);
    FILE *f = fdopen(p[1], "w");
    setvbuf(f, buffer, _IOLBF, (size_t)sizes[i]);
    static const char *const texts[] = {"ab\ncd", "e", "f\ng", "\n", "0123456789\n0123456789\n0123"};
    for (int k = 0; k < 5; k++) {
      fputs(texts[k], f);
      ioctl(p[0], FIONREAD, &there);
      printf("  %d: %d are there\n", sizes[i], there);
    }
    fclose(f);
    close(p[0]);
  }
}

/* A stream whose line is not ended: by a connection that is reset, by a time limit, or as it does not wait. */
static void broken_streams(void) {
  printf("== a line that is broken off is given as far as it came\n");
  for (int way = 0; way < 3; way++)
    for (int call = 0; call < 3; call++) {
      int a, d;
      char x[20] = "___________________", *line = NULL;
      size_t room = 0;
      struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
      socklen_t length = sizeof here;
      int listener = socket(AF_INET, SOCK_STREAM, 0);
      bind(listener, (void *)&here, sizeof here);
      listen(listener, 3);
      getsockname(listener, (void *)&here, &length);
      a = socket(AF_INET, SOCK_STREAM, 0);
      connect(a, (void *)&here, sizeof here);
      d = accept(listener, NULL, NULL);
      FILE *f = fdopen(a, "r");
      write(d, "part", 4);
      SHOW(getc(f));
      struct linger none = {1, 0};
      struct timeval soon = {0, 3000};
      if (way == 0) {
        setsockopt(d, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        close(d);
      }
      if (way == 1)
        setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
      if (way == 2)
        fcntl(a, F_SETFL, O_NONBLOCK);
      if (call == 0)
        SHOW(fgets(x, 20, f) != NULL);
      if (call == 1)
        SHOW(getline(&line, &room, f));
      if (call == 2)
        SHOW(fread(x, 2, 5, f));
      int error = errno;
      printf("  %.12s %s %s %d %d\n", x, line ? line : "", strerrorname_np(error), !!ferror(f), !!feof(f));
      if (way != 0)
        write(d, "more\n", 5);
      clearerr(f);
      SHOW(getc(f));
      fclose(f);
      free(line);
      close(listener);
      if (way != 0)
        close(d);
    }
}

static void no_descriptor_left(void) {
  printf("== a call that makes a descriptor does not wait where there can be none\n");
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct timeval second = {1, 0};
  struct rlimit before, limit;
  int listener = socket(AF_INET, SOCK_STREAM, 0), none;
  bind(listener, (struct sockaddr *)&a, sizeof a);
  listen(listener, 1);
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  getrlimit(RLIMIT_NOFILE, &before);
  limit = before;
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &limit);
  SHOW_FD(none, accept(listener, NULL, NULL));
  SHOW_FD(none, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
  setrlimit(RLIMIT_NOFILE, &before);
  SHOW_FD(none, accept(listener, NULL, NULL));
  close(listener);
}

static void *looks_at_its_alternate_stack(void *unused) {
  static _Thread_local char own[65536];
  stack_t is;
  for (int turn = 0; turn < 2; turn++) {
    SHOW(sigaltstack(NULL, &is));
    printf("%d %d %zu\n", is.ss_flags, is.ss_sp == NULL, is.ss_size);
    SHOW(sigaltstack(&(stack_t){.ss_sp = own, .ss_size = sizeof own}, &is));
    printf("%d %d %zu\n", is.ss_flags, is.ss_sp == NULL, is.ss_size);
    SHOW(sigaltstack(&(stack_t){.ss_sp = own, .ss_size = sizeof own, .ss_flags = SS_DISABLE | SS_ONSTACK}, &is));
    SHOW(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE | 8}, &is));
    SHOW(sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, &is));
    printf("%d %d %zu\n", is.ss_flags, is.ss_sp == own, is.ss_size);
  }
  return unused;
}
static void alternate_stacks(void) {
  pthread_t t;
  printf("== no thread has an alternate stack but its own\n");
  looks_at_its_alternate_stack(NULL);
  pthread_create(&t, NULL, looks_at_its_alternate_stack, NULL);
  pthread_join(t, NULL);
}

static void *takes_and_ends(void *m) { return pthread_mutex_lock(m), m; }
static void lost_mutexes(void) {
  static pthread_mutex_t m;
  pthread_mutexattr_t robust;
  pthread_t t;
  printf("== a mutex that cannot be recovered says so to everybody\n");
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &robust);
  pthread_create(&t, NULL, takes_and_ends, &m);
  pthread_join(t, NULL);
  SHOW_ERROR(pthread_mutex_lock(&m));
  SHOW_ERROR(pthread_mutex_unlock(&m));
  for (int i = 0; i < 3; i++)
    SHOW_ERROR(pthread_mutex_lock(&m));
  SHOW_ERROR(pthread_mutex_trylock(&m));
  pthread_mutex_t mine;
  static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT};
  for (int i = 0; i < 4; i++) {
    pthread_mutexattr_settype(&robust, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&robust, i == 3 ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setprotocol(&robust, protocols[i % 3]);
    pthread_mutexattr_setprioceiling(&robust, 1);
    pthread_mutex_init(&mine, &robust);
    SHOW_ERROR(pthread_mutex_lock(&mine));
    SHOW_ERROR(pthread_mutex_trylock(&mine));
    SHOW_ERROR(pthread_mutex_unlock(&mine));
  }
}

/* ---- what happens in the middle of a call ---- */

static volatile int raised;
static void count_raised(int signal) { (void)signal, raised++; }
static void show_raised(const char *what, long r) {
  int error = errno;
  printf("%s = %ld %s, raised %d\n", what, r, r < 0 ? strerrorname_np(error) : "", raised);
  raised = 0;
}

/* Whether the process's first thread sleeps. */
static int sleeps(pid_t process) {
  char path[40], line[200] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  int fd = open(path, O_RDONLY);
  read(fd, line, sizeof line - 1);
  close(fd);
  char *name_end = strrchr(line, ')');
  return !name_end || name_end[2] == 'S';
}
/* A child process that waits until the parent waits in its call, and then does `what` to the other end. */
static pid_t peer(int mine, int its, void (*what)(int fd)) {
  fflush(stdout);
  pid_t parent = getpid(), child = fork();
  if (child != 0)
    return close(its), child;
  close(mine);
  do
    nanosleep(&(struct timespec){0, 30000000}, NULL);
  while (!sleeps(parent));
  what(its);
  _exit(0);
}
static void leaves(int fd) { close(fd); }
static void takes_some_and_leaves(int fd) {
  char some[5000];
  for (int i = 0; i < 3; i++)
    read(fd, some, sizeof some);
}
static void sends_slowly(int fd) {
  for (int i = 0; i < 40 && write(fd, "x", 1) == 1; i++)
    nanosleep(&(struct timespec){0, 40000000}, NULL);
}

enum { LOCAL, NETWORK, PIPE, OTHER_ENDS };
static void make_ends(int kind, int ends[2]) {
  if (kind == PIPE) {
    int p[2];
    pipe(p);
    ends[0] = p[1];
    ends[1] = p[0];
    return;
  }
  if (kind == LOCAL) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    return;
  }
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  bind(listener, (struct sockaddr *)&a, sizeof a);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&a, &size);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  connect(ends[0], (struct sockaddr *)&a, sizeof a);
  ends[1] = accept(listener, NULL, NULL);
  close(listener);
}

static char much[16 << 20];
static long send_much(int fd, int way) {
  struct iovec halves[2] = {{much, sizeof much / 2}, {much, sizeof much / 2}};
  struct msghdr m = {.msg_iov = halves, .msg_iovlen = 2};
  switch (way) {
  case 0:
    return write(fd, much, sizeof much);
  case 1:
    return writev(fd, halves, 2);
  case 2:
    return send(fd, much, sizeof much, 0);
  case 3:
    return sendto(fd, much, sizeof much, 0, NULL, 0);
  default:
    return sendmsg(fd, &m, 0);
  }
}
/* How much has gone by then differs from run to run. */
static long whether(long r) { return r > 0 ? 1 : r; }

static void cut_short_by_the_end(void) {
  printf("== a call that has sent a part raises no signal when its peer goes\n");
  signal(SIGPIPE, count_raised);
  for (int kind = LOCAL; kind < OTHER_ENDS; kind++)
    for (int way = 0; way < (kind == PIPE ? 2 : 5); way++) {
      int ends[2];
      make_ends(kind, ends);
      pid_t child = peer(ends[0], ends[1], takes_some_and_leaves);
      show_raised("a part", whether(send_much(ends[0], way)));
      show_raised("the next", send(ends[0], much, 10, 0));
      close(ends[0]);
      waitpid(child, NULL, 0);
      if (kind == NETWORK)
        continue;
      make_ends(kind, ends);
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
      while (write(ends[0], much, 65536) > 0 || write(ends[0], much, 1) > 0) {
      }
      fcntl(ends[0], F_SETFL, 0);
      child = peer(ends[0], ends[1], leaves);
      show_raised("none", send_much(ends[0], way));
      close(ends[0]);
      waitpid(child, NULL, 0);
    }
  signal(SIGPIPE, SIG_IGN);
}

static void shut_while_it_waits(void) {
  printf("== the sending half is shut while somebody waits to send\n");
  for (int way = 0; way < 5; way++) {
    int ends[2], full;
    make_ends(LOCAL, ends);
    for (full = 0; full < 2; full++) {
      long r;
#ifdef __CHARCOAL__
      if (!full) /* an activity for the second call would sleep on, and shut the next pair */
        activate(ends) {
          int come = 0;
          do
            ch_sleep(20000000);
          while (ioctl(ends[1], FIONREAD, &come) == 0 && come == 0);
          shutdown(ends[0], SHUT_WR);
        }
      r = send_much(ends[0], way);
#else /* the calls in between would be a thread's */
      send(ends[0], much, full ? 1 : sizeof much, MSG_DONTWAIT);
      shutdown(ends[0], SHUT_WR);
      r = full ? send_much(ends[0], way) : 1;
#endif
      show_raised(full ? "again" : "a part", whether(r));
    }
    close(ends[0]);
    close(ends[1]);
  }
}

static void one_limit_for_all_waits(void) {
  printf("== a socket's limit is one for all waits of a call\n");
  for (int kind = LOCAL; kind <= NETWORK; kind++)
    for (int way = 0; way < 3; way++) {
      int ends[2];
      char to[30];
      struct iovec v = {to, sizeof to};
      struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
      make_ends(kind, ends);
      struct timeval limit = {0, 200000};
      setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      send(ends[1], "x", 1, 0); /* so a part comes in time also where the child comes late */
      pid_t child = peer(ends[0], ends[1], sends_slowly);
      long r = way == 0   ? recv(ends[0], to, sizeof to, MSG_WAITALL)
               : way == 1 ? recvfrom(ends[0], to, sizeof to, MSG_WAITALL, NULL, NULL)
                          : recvmsg(ends[0], &m, MSG_WAITALL);
      printf("%s\n", r > 0 && r < 20 ? "a part" : r < 0 ? strerrorname_np(errno) : "all");
      close(ends[0]);
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    }
}

static void sets_of_the_usual_size(void) {
  printf("== select takes the limit of descriptors with sets of the usual size\n");
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fd_set *set = (fd_set *)(page + 4096 - sizeof *set);
  int p[2], all[] = {FD_SETSIZE, FD_SETSIZE + 1, 100000, INT_MAX};
  mprotect(page + 4096, 4096, PROT_NONE);
  pipe(p);
  for (int i = 0; i < 4; i++) {
    struct timeval limit = {0, 1000};
    FD_ZERO(set);
    FD_SET(p[0], set);
    SHOW(select(all[i], set, NULL, NULL, &limit));
    printf("  %d\n", FD_ISSET(p[0], set) != 0);
    FD_SET(p[1], set);
    SHOW(select(all[i], NULL, set, NULL, NULL));
    printf("  %d\n", FD_ISSET(p[1], set) != 0);
  }
  munmap(page, 8192);
  close(p[0]);
  close(p[1]);
}

static void position(int f) { printf("  position %ld\n", (long)lseek(f, 0, SEEK_CUR)); }
static void parts_of_files(void) {
  printf("== a part of a transfer moves the position\n");
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page + 4096, 4096, PROT_NONE);
  struct iovec v[2] = {{page, 4096}, {page + 4096, 4096}};
  for (int appends = 0; appends < 2; appends++) {
    int f = open("parts", O_RDWR | O_CREAT | O_TRUNC | (appends ? O_APPEND : 0), 0600);
    SHOW(write(f, b, 20000));
    lseek(f, 100, SEEK_SET);
    SHOW(read(f, page, 8192));
    position(f);
    SHOW(write(f, page, 8192));
    position(f);
    SHOW(readv(f, v, 2));
    position(f);
    SHOW(writev(f, v, 2));
    position(f);
    SHOW(pread(f, page, 8192, 7));
    SHOW(pwrite(f, page, 8192, 7));
    position(f);
    SHOW(read(f, page, 100000));
    position(f);
    close(f);
  }
  munmap(page, 8192);
  unlink("parts");
}

static void signals_of_calls(void) {
  printf("== the signal that a call raises comes to its caller\n");
  signal(SIGPIPE, count_raised);
  signal(SIGXFSZ, count_raised);
  int p[2], q[2], s[2], f = open("signals", O_RDWR | O_CREAT | O_TRUNC, 0600);
  off_t from = 0;
  struct iovec v = {b, 10};
  raised = 0;
  write(f, b, 500);
  pipe(p);
  close(p[0]);
  pipe(q);
  write(q[1], "abc", 3);
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  close(s[1]);
  show_raised("sendfile to a pipe", sendfile(p[1], f, &from, 10));
  show_raised("sendfile to a socket", sendfile(s[0], f, &from, 10));
  show_raised("vmsplice", vmsplice(p[1], &v, 1, 0));
  show_raised("splice", splice(f, &from, p[1], NULL, 10, 0));
  show_raised("splice from a pipe", splice(q[0], NULL, p[1], NULL, 3, 0));
  show_raised("tee", tee(q[0], p[1], 3, 0));
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 1000;
  int other = open("others", O_RDWR | O_CREAT | O_TRUNC, 0600);
  long results[10];
  int signals[10], n = 0;
  fflush(stdout);
  setrlimit(RLIMIT_FSIZE, &limit); /* also for the standard output, if it is a file */
#define NOTE(call) results[n] = (call), signals[n++] = raised, raised = 0
  NOTE(write(other, b, 1600));
  NOTE(write(other, b, 1600));
  NOTE(writev(other, &v, 1));
  NOTE(pwrite(other, b, 10, 2000));
  NOTE(pwritev(other, &v, 1, 2000));
  NOTE(ftruncate(other, 2000));
  NOTE(truncate("others", 2000));
  from = 0;
  NOTE(sendfile(other, f, &from, 10));
  NOTE(pwrite(other, b, 100, 950));
  setrlimit(RLIMIT_FSIZE, &before);
  for (int i = 0; i < n; i++)
    printf("%d: %ld, raised %d\n", i, results[i], signals[i]);
  int fds[] = {p[1], q[0], q[1], s[0], f, other};
  for (int i = 0; i < 6; i++)
    close(fds[i]);
  unlink("signals");
  unlink("others");
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_DFL);
}

static void not_made_consistent(void) {
  printf("== a mutex whose owner has died, and that is not made consistent\n");
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
  for (int inherits = 0; inherits < 2; inherits++)
    for (int type = 0; type < 3; type++) {
      pthread_mutex_t m;
      pthread_mutexattr_t robust;
      pthread_t t;
      pthread_mutexattr_init(&robust);
      pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
      pthread_mutexattr_settype(&robust, types[type]);
      pthread_mutexattr_setprotocol(&robust, inherits ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
      pthread_mutex_init(&m, &robust);
      pthread_create(&t, NULL, takes_and_ends, &m);
      pthread_join(t, NULL);
      SHOW_ERROR(pthread_mutex_lock(&m));
      if (type != 0)
        SHOW_ERROR(pthread_mutex_lock(&m));
      if (type == 2)
        SHOW_ERROR(pthread_mutex_unlock(&m));
      SHOW_ERROR(pthread_mutex_unlock(&m));
      SHOW_ERROR(pthread_mutex_lock(&m));
    }
}

static void low_water_marks(void) {
  printf("== a call waits for as many bytes as SO_RCVLOWAT says\n");
  for (int kind = LOCAL; kind <= NETWORK; kind++)
    for (int way = 0; way < 6; way++) {
      int ends[2], mark = 4;
      struct iovec v[2] = {{b, 2}, {b + 2, 20}};
      struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
      struct sockaddr_storage from;
      socklen_t length = sizeof from;
      make_ends(kind, ends);
      setsockopt(ends[0], SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark);
      send(ends[1], "abc", 3, 0);
      if (kind == NETWORK)
        arrives(ends[1]);
      memset(b, 0, 30);
      pthread_t t = later(ends[1]);
      long r = way == 0   ? read(ends[0], b, 22)
               : way == 1 ? readv(ends[0], v, 2)
               : way == 2 ? recv(ends[0], b, 22, 0)
               : way == 3 ? recvfrom(ends[0], b, 22, 0, (struct sockaddr *)&from, &length)
               : way == 4 ? recvmsg(ends[0], &m, 0)
                          : recv(ends[0], b, 2, 0); /* no more than are asked for */
      printf("%d: %ld %s %d\n", way, r, b, way == 3 ? (int)length : 0);
      pthread_join(t, NULL);
      SHOW(recv(ends[0], b, 22, MSG_DONTWAIT));
      close(ends[0]);
      close(ends[1]);
    }
}

static void fast_open(void) {
  printf("== a send that connects\n");
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  int l = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  bind(l, (struct sockaddr *)&a, sizeof a);
  getsockname(l, (struct sockaddr *)&a, &n);
  for (int listens = 1; listens >= 0; listens--) {
    if (listens)
      listen(l, 5);
    for (int way = 0; way < 6; way++) {
      int s = socket(AF_INET, SOCK_STREAM, 0), other;
      struct iovec v = {"hello", 5};
      struct msghdr m = {.msg_name = &a, .msg_namelen = n, .msg_iov = &v, .msg_iovlen = 1};
      if (way >= 2) {
        setsockopt(s, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof one);
        SHOW(connect(s, (struct sockaddr *)&a, n));
      }
      errno = 0;
      long r = way == 0   ? sendto(s, "hello", 5, MSG_FASTOPEN, (struct sockaddr *)&a, n)
               : way == 1 ? sendmsg(s, &m, MSG_FASTOPEN)
               : way == 2 ? send(s, "hello", 5, 0)
               : way == 3 ? write(s, "hello", 5)
               : way == 4 ? writev(s, &v, 1)
                          : sendto(s, "hello", 5, 0, NULL, 0);
      printf("%d: %ld %s\n", way, r, strerrorname_np(errno));
      if (listens) {
        other = accept(l, NULL, NULL);
        SHOW(read(other, b, 5));
        close(other);
      }
      close(s);
    }
    if (listens)
      close(l);
  }
}

/* Once the first message has been taken, and the call waits for the next one, the socket gets an error. */
static void *refuses_after_a_message(void *sockets) {
  int *s = sockets, left = 1;
  send(s[1], "one", 3, 0);
  while (ioctl(s[0], FIONREAD, &left) == 0 && left > 0)
    usleep(1000);
  usleep(300000);
  close(s[1]);
  return (void *)(intptr_t)send(s[0], "x", 1, 0);
}
static void an_error_between_messages(void) {
  printf("== an error after a message is told by the next call\n");
  int s[2];
  struct iovec v[2] = {{b, 10}, {b + 10, 10}};
  struct mmsghdr all[2] = {{.msg_hdr = {.msg_iov = v, .msg_iovlen = 1}},
                           {.msg_hdr = {.msg_iov = v + 1, .msg_iovlen = 1}}};
  pthread_t t;
  udp_pair(s);
  pthread_create(&t, NULL, refuses_after_a_message, s);
  SHOW(poll(&(struct pollfd){.fd = s[0], .events = POLLIN}, 1, -1));
  SHOW(recvmmsg(s[0], all, 2, 0, NULL));
  pthread_join(t, NULL);
  SHOW(recv(s[0], b, 10, MSG_DONTWAIT));
  SHOW(recv(s[0], b, 10, MSG_DONTWAIT));
  close(s[0]);
}

static void children_by_descriptor(void) {
  printf("== a child that is waited for by its descriptor\n");
  int go[2];
  siginfo_t info = {0};
  if (pipe(go) != 0)
    return;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    close(go[1]);
    _exit(read(go[0], b, 1) == 0 ? 6 : 1);
  }
  int fd = (int)syscall(SYS_pidfd_open, pid, O_NONBLOCK);
  SHOW(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
  printf("  %d\n", info.si_pid);
  fcntl(fd, F_SETFL, 0);
  close(go[0]), close(go[1]);
  SHOW(waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOWAIT));
  fcntl(fd, F_SETFL, O_NONBLOCK);
  SHOW(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
  printf("  %d\n", info.si_status);
  SHOW(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
  SHOW(waitid(P_PIDFD, (id_t)-1, &info, WEXITED));
  close(fd);
}

static void show_addresses(const char *node, const char *service, const struct addrinfo *hints) {
  struct addrinfo *all = NULL;
  int error = getaddrinfo(node, service, hints, &all);
  printf("%s %s: %d", node, service ? service : "-", error);
  for (const struct addrinfo *a = error ? NULL : all; a; a = a->ai_next)
    printf(", %d %d %d %x", a->ai_family, a->ai_socktype, a->ai_protocol, (unsigned)a->ai_flags);
  printf("\n");
  if (!error)
    freeaddrinfo(all);
}
static void hints_of_names(void) {
  printf("== hints of getaddrinfo\n");
  static const int flags[] = {0, AI_CANONNAME, AI_PASSIVE, AI_V4MAPPED | AI_ALL, AI_NUMERICSERV};
  static const int types[] = {0, SOCK_STREAM, SOCK_DGRAM, SOCK_RAW};
  show_addresses("localhost", "80", &(struct addrinfo){.ai_family = AF_INET});
  for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
      const struct addrinfo hints = {.ai_flags = flags[f], .ai_family = AF_INET, .ai_socktype = types[t]};
      show_addresses("localhost", "80", &hints);
      show_addresses("localhost", NULL, &hints);
      show_addresses("*", "80", &hints);
    }
  show_addresses("localhost", "80", &(struct addrinfo){.ai_family = 99});
  show_addresses("localhost", "80", &(struct addrinfo){.ai_family = 99, .ai_flags = 0x10000});
  show_addresses("localhost", "80", &(struct addrinfo){.ai_family = AF_INET, .ai_flags = 0x10000});
}

static void limits_of_locks(void) {
  printf("== limits of locks\n");
  const struct timespec past = {1, 0};
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_mutex_lock(&m);
  for (clockid_t clock = -3; clock < 9; clock++)
    SHOW_ERROR(pthread_cond_clockwait(&c, &m, clock, &past));
  pthread_mutex_unlock(&m);
  for (int writes = 0; writes < 2; writes++) {
    SHOW_ERROR(writes ? pthread_rwlock_wrlock(&l) : pthread_rwlock_rdlock(&l));
    SHOW_ERROR(pthread_rwlock_timedwrlock(&l, &past));
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec++;
    SHOW_ERROR(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &soon));
    SHOW_ERROR(pthread_rwlock_timedrdlock(&l, &past));
    if (!writes)
      SHOW_ERROR(pthread_rwlock_unlock(&l));
    SHOW_ERROR(pthread_rwlock_unlock(&l));
  }
  SHOW_ERROR(pthread_rwlock_timedwrlock(&l, &past));
  SHOW_ERROR(pthread_rwlock_unlock(&l));
}

static void members_that_poll_reports(void) {
  printf("== select looks neither at a hang-up of what is not read nor beyond the table\n");
  int p[2], q[2];
  fd_set set;
  pipe(p);
  pipe(q);
  close(p[1]);
  for (int i = 0; i < 3; i++) {
    struct timeval limit = {0, 30000};
    int fd = i < 2 ? p[0] : FD_SETSIZE - 1;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    SHOW(select(fd + 1, i == 2 ? &set : NULL, i == 1 ? &set : NULL, i == 0 ? &set : NULL, &limit));
    printf("  %d\n", FD_ISSET(fd, &set) != 0);
  }
  if (fork() == 0) {
    usleep(30000);
    write(q[1], "x", 1);
    _exit(0);
  }
  fd_set in;
  FD_ZERO(&set);
  FD_ZERO(&in);
  FD_SET(p[0], &set);
  FD_SET(q[0], &in);
  SHOW(select(q[1], &in, NULL, &set, NULL));
  printf("  %d %d\n", FD_ISSET(p[0], &set) != 0, FD_ISSET(q[0], &in) != 0);
  wait(NULL);
  close(p[0]);
  close(q[0]);
  close(q[1]);
}

static void urgent_data_alone(void) {
  printf("== a wait for urgent data alone ends when it comes, and for no other data\n");
  struct sockaddr_in a = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof a;
  int l = socket(AF_INET, SOCK_STREAM, 0), k = socket(AF_INET, SOCK_STREAM, 0);
  bind(l, (struct sockaddr *)&a, sizeof a);
  listen(l, 1);
  getsockname(l, (struct sockaddr *)&a, &length);
  connect(k, (struct sockaddr *)&a, sizeof a);
  int s = accept(l, NULL, NULL);
  for (int i = 0; i < 2; i++) {
    if (fork() == 0) {
      usleep(30000);
      send(k, "ab", 2, 0);
      usleep(30000);
      send(k, "c", 1, MSG_OOB);
      _exit(0);
    }
    fd_set set;
    FD_ZERO(&set);
    FD_SET(s, &set);
    struct pollfd p = {s, POLLPRI};
    if (i == 0)
      SHOW(select(s + 1, NULL, NULL, &set, NULL));
    else
      SHOW(poll(&p, 1, -1));
    printf("  %d %x\n", FD_ISSET(s, &set) != 0, p.revents);
    SHOW(recv(s, b, 1, MSG_OOB));
    SHOW(recv(s, b, 9, 0));
    wait(NULL);
    send(k, "d", 1, 0);
    SHOW(recv(s, b, 9, 0));
  }
  close(l);
  close(k);
  close(s);
}

static void transfers_of_nothing(void) {
  printf("== a transfer of no bytes waits only where the plain call does\n");
  int f = inotify_init1(IN_NONBLOCK), p[2], k[2];
  SHOW(read(f, b, 0));
  SHOW(read(f, b, 100));
  SHOW(read(f, b, 0));
  inotify_add_watch(f, ".", IN_CREATE);
  fcntl(f, F_SETFL, 0);
  if (fork() == 0) {
    usleep(30000);
    close(open("noticed", O_CREAT, 0600));
    _exit(0);
  }
  SHOW(read(f, b, 0));
  SHOW(read(f, b, 100) > 0);
  wait(NULL);
  unlink("noticed");
  close(f);
  pipe(p);
  socketpair(AF_UNIX, SOCK_STREAM, 0, k);
  fill_without_waiting(p[1], 0);
  fill_without_waiting(k[0], 1);
  SHOW(write(p[1], b, 0));
  SHOW(write(k[0], b, 0));
  SHOW(read(p[0], b, 0));
  SHOW(read(k[0], b, 0));
  for (int i = 0; i < 2; i++)
    close(p[i]), close(k[i]);
  socketpair(AF_UNIX, SOCK_DGRAM, 0, k);
  SHOW(write(k[0], b, 0));
  SHOW(read(k[1], b, 0));
  SHOW(recv(k[1], b, 9, MSG_DONTWAIT));
  SHOW(recv(k[1], b, 9, MSG_DONTWAIT));
  for (int i = 0; i < 2; i++)
    close(k[i]);
}

static void files_without_positions(void) {
  printf("== files of the kernel that have no position to write at\n");
  const char *names[] = {"/proc/self/comm", "/proc/version", "/proc/self/status"};
  struct iovec v = {"x", 1};
  for (int i = 0; i < 3; i++) {
    int f = open(names[i], i == 0 ? O_RDWR : O_RDONLY);
    SHOW(pwrite(f, "wrong", 5, 0));
    SHOW(pwritev(f, &v, 1, 0));
    SHOW(pwritev2(f, &v, 1, 0, 0));
    SHOW(pwrite(f, "wrong", 5, 0));
    SHOW(pread(f, b, 2, 0));
    close(f);
  }
}

static void texts_cut_short(void) {
  printf("== dprintf says that not all of it was written\n");
  int p[2];
  pipe2(p, O_NONBLOCK);
  SHOW(dprintf(p[1], "%70000d", 1));
  SHOW(dprintf(p[1], "x"));
  close(p[0]);
  SHOW(dprintf(p[1], "x"));
  close(p[1]);
  pipe(p);
  FILE *f = fdopen(p[0], "r");
  SHOW(fprintf(f, "%s", ""));
  SHOW(ferror(f));
  fclose(f);
  close(p[1]);
}

static void operations_out_of_reach(void) {
  printf("== operations of semaphores, copies of messages and names that are out of reach\n");
  struct timespec soon = {0, 1000};
  struct sembuf nothing[2] = {{0, -1, IPC_NOWAIT}, {0, 0, 0}};
  struct {
    long type;
    char text[8];
  } m = {1, "text"};
  int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
  SHOW(semop(set, (struct sembuf *)8, 1));
  SHOW(semtimedop(set, (struct sembuf *)8, 2, &soon));
  SHOW(semop(set, nothing, 2));
  SHOW(semtimedop(set, nothing, 1, &soon));
  SHOW(msgsnd(queue, &m, 4, 0));
  SHOW(msgrcv(queue, &m, 8, 0, MSG_COPY));
  SHOW(msgrcv(queue, &m, 8, 0, IPC_NOWAIT));
  semctl(set, 0, IPC_RMID);
  msgctl(queue, IPC_RMID, NULL);
  SHOW(stat((char *)8, &st));
  SHOW(fstatat(AT_FDCWD, (char *)8, &st, AT_EMPTY_PATH));
  SHOW(fstatat(AT_FDCWD, "", &st, 0));
  SHOW(fstatat(0, "", &st, AT_EMPTY_PATH));
  SHOW(fstatat(AT_FDCWD, "none", &st, AT_EMPTY_PATH));
  SHOW(fstatat(AT_FDCWD, ".", &st, AT_EMPTY_PATH));
}

static pid_t child_that_ends(unsigned after) {
  pid_t child = fork();
  if (child == 0) {
    usleep(after);
    _exit(3);
  }
  return child;
}
static void ids_for_files(void) {
  printf("== files are used with the ids that the thread has for them\n");
  int f = -1;
  SHOW_FD(f, open("secret", O_RDWR | O_CREAT, 0600));
  close(f);
  setfsgid(65534);
  setfsuid(65534);
  SHOW_FD(f, open("secret", O_RDWR));
  SHOW(stat("secret/none", &st));
  SHOW(mkdir("not-mine", 0700));
  setfsuid(geteuid());
  setfsgid(getegid());
  SHOW_FD(f, open("secret", O_RDWR));
  close(f);
  uid_t is = geteuid();
  syscall(SYS_setresuid, -1, 65534, -1);
  SHOW_FD(f, open("secret", O_RDWR));
  syscall(SYS_setresuid, -1, is, -1);
  SHOW_FD(f, open("secret", O_RDWR));
  close(f);
  SHOW(unlink("secret"));
}

static void buffers_that_are_kept(void) {
  printf("== setvbuf writes nothing out of a buffer that the stream keeps\n");
  static char own[64];
  for (int i = 0; i < 6; i++) {
    int p[2], mode = i < 3 ? _IOFBF : i < 5 ? _IOLBF : _IONBF, there = -1;
    pipe(p);
    FILE *f = fdopen(p[1], "w");
    fputs("abc", f);
    SHOW(setvbuf(f, i == 2 || i == 4 ? own : NULL, mode, i == 0 ? 0 : sizeof own));
    ioctl(p[0], FIONREAD, &there);
    printf("  %d bytes are written\n", there);
    fclose(f);
    close(p[0]);
  }
}

static void wrong_addresses_of_children(void) {
  printf("== what a wait for a child cannot store\n");
  for (int any = 0; any < 2; any++) {
    pid_t child = child_that_ends(0);
    SHOW(waitpid(any ? -1 : child, (int *)8, 0));
    SHOW(waitpid(any ? -1 : child, NULL, 0));
    child = child_that_ends(0);
    SHOW(wait4(any ? -1 : child, NULL, 0, (struct rusage *)8));
    SHOW(waitpid(any ? -1 : child, NULL, 0));
  }
  SHOW(waitid(P_ALL, 0, (siginfo_t *)8, WEXITED));
  pid_t child = child_that_ends(20000);
  SHOW(waitid(P_PID, (id_t)child, (siginfo_t *)8, WEXITED));
  SHOW(waitpid(child, NULL, WNOHANG));
}

static void wrong_addresses(void) {
  printf("== structures that are out of reach\n");
  struct timespec soon = {0, 1000}, *no_time = (struct timespec *)8;
  struct iovec text = {b, 1}, *no_vectors = (struct iovec *)8;
  struct msghdr without = {.msg_iov = no_vectors, .msg_iovlen = 1}, *no_message = (struct msghdr *)8;
  struct mmsghdr *no_messages = (struct mmsghdr *)8, many = {.msg_hdr = {.msg_iov = &text, .msg_iovlen = 1}};
  struct epoll_event event;
  struct sembuf take = {0, -1, 0};
  sigset_t usr2, *no_set = (sigset_t *)8;
  int s[2], e = epoll_create1(0), set = semget(IPC_PRIVATE, 1, 0600);
  struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 1};
  mqd_t q = mq_open("/same-wrong", O_RDWR | O_CREAT, 0600, &one);
  mq_unlink("/same-wrong");
  socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  SHOW(fcntl(s[0], F_SETLKW, NULL));
  SHOW(sigaltstack((stack_t *)8, NULL));
  SHOW(close_range(~0u, ~0u, 0x70));
  SHOW(close_range(s[0], s[0], 0x70));
  SHOW(fcntl(s[0], F_GETFD));
  SHOW(nanosleep(no_time, NULL));
  SHOW_ERROR(clock_nanosleep(CLOCK_MONOTONIC, 0, no_time, NULL));
  SHOW_ERROR(clock_nanosleep(77, 0, no_time, NULL));
  SHOW(syscall(SYS_nanosleep, no_time, NULL));
  SHOW(ppoll(&(struct pollfd){s[0], POLLIN, 0}, 1, &soon, no_set));
  SHOW(select(8, (fd_set *)8, NULL, NULL, &(struct timeval){0, 1000}));
  SHOW(pselect(8, NULL, NULL, (fd_set *)8, &soon, NULL));
  SHOW(epoll_pwait2(e, &event, 1, no_time, NULL));
  SHOW(sigtimedwait(&usr2, NULL, no_time));
  SHOW(sigsuspend(no_set));
  SHOW(readv(s[0], no_vectors, 1));
  SHOW(writev(s[0], no_vectors, 1));
  for (int fd = -1; fd <= s[0]; fd += s[0] + 1) {
    SHOW(recvmsg(fd, no_message, 0));
    SHOW(recvmsg(fd, &without, 0));
    SHOW(recvmmsg(fd, no_messages, 1, 0, NULL));
    SHOW(recvmmsg(fd, &many, 1, 0, no_time));
    SHOW(sendmsg(fd, no_message, 0));
    SHOW(sendmsg(fd, &without, 0));
    SHOW(sendmmsg(fd, no_messages, 1, 0));
  }
  SHOW(semtimedop(set, &take, 1, no_time));
  SHOW(mq_timedreceive(q, b, 1, NULL, no_time));
  SHOW(mq_timedsend(q, b, 1, 0, no_time));
  semctl(set, 0, IPC_RMID);
  mq_close(q);
  close(s[0]), close(s[1]), close(e);
}

/* The kernel refuses such a time, but only for a mutex that the kernel itself gives. */
static void times_before_the_beginning(pthread_mutex_t *m) {
  const struct timespec before = {-1, 0};
  SHOW_ERROR(pthread_mutex_timedlock(m, &before));
  SHOW_ERROR(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &before));
}
static void limits_before_the_beginning(void) {
  printf("== limits of mutexes before the beginning of time\n");
  for (int inherits = 0; inherits < 2; inherits++) {
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setprotocol(&a, inherits ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    times_before_the_beginning(&m);
    pthread_mutex_unlock(&m);
  }
}

int main(void) {
#ifdef __CHARCOAL__
  activate { /* company: so no replacement takes itself for alone */
    for (;;)
      ch_sleep(3000000);
  }
#endif
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
  storage();
  sockets();
  zero_limits();
  ends_of_sockets();
  connected_before();
  waiting();
  children();
  streams();
  names();
  threads();
  errors_kept();
  misuse();
  descriptors_end_a_message();
  refused_at_once();
  refused_where_others_wait();
  zeros_come_whole();
  at_most_so_many_messages();
  lines_through_small_buffers();
  broken_streams();
  no_descriptor_left();
  alternate_stacks();
  lost_mutexes();
  not_made_consistent();
  cut_short_by_the_end();
  shut_while_it_waits();
  one_limit_for_all_waits();
  sets_of_the_usual_size();
  parts_of_files();
  signals_of_calls();
  low_water_marks();
  fast_open();
  an_error_between_messages();
  children_by_descriptor();
  hints_of_names();
  limits_of_locks();
  members_that_poll_reports();
  urgent_data_alone();
  transfers_of_nothing();
  files_without_positions();
  texts_cut_short();
  operations_out_of_reach();
  ids_for_files();
  buffers_that_are_kept();
  wrong_addresses_of_children();
  wrong_addresses();
  limits_before_the_beginning();
  return 0;
}
