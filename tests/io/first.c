/* Tests each way of waiting as the first one of a program, because the first wait chooses the reactor. With
 * refused-beneath.c the kernel refuses a ring, and the program must not notice. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <charcoal.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int pair[2], listener;
static struct sockaddr_in here = {.sin_family = AF_INET};

static int connected(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  return connect(s, (struct sockaddr *)&here, sizeof here) == 0 ? s : -1;
}

/* What the call returns; the other activity makes it end. */
static long first(const char *name) {
  char byte = 0;
  struct iovec v = {&byte, 1};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  struct pollfd p = {.fd = pair[0], .events = POLLIN};
  fd_set set;
  int other;
  if (!strcmp(name, "read"))
    return read(pair[0], &byte, 1);
  if (!strcmp(name, "readv"))
    return readv(pair[0], &v, 1);
  if (!strcmp(name, "recv"))
    return recv(pair[0], &byte, 1, 0);
  if (!strcmp(name, "recvmsg"))
    return recvmsg(pair[0], &m, 0);
  if (!strcmp(name, "recv all"))
    return recv(pair[0], &byte, 1, MSG_WAITALL);
  if (!strcmp(name, "poll"))
    return poll(&p, 1, -1);
  if (!strcmp(name, "select")) {
    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    return select(pair[0] + 1, &set, NULL, NULL, NULL);
  }
  if (!strcmp(name, "accept"))
    return accept(listener, NULL, NULL) >= 0;
  if (!strcmp(name, "accept4"))
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC) >= 0;
  if (!strcmp(name, "connect"))
    return connected() >= 0;
  if (!strcmp(name, "sleep"))
    return usleep(1000) + 1;
  if (!strcmp(name, "open"))
    return open("file", O_CREAT | O_RDWR, 0600) >= 0;
  if (!strcmp(name, "fsync"))
    return fsync(fileno(tmpfile())) + 1;
  if (!strcmp(name, "mkdir"))
    return mkdir("folder", 0700) + rmdir("folder") + 1;
  if (!strcmp(name, "flock")) {
    int f = open("locked", O_CREAT | O_RDWR, 0600), g = open("locked", O_RDWR);
    ch_activity holder;
    if (flock(f, LOCK_EX))
      return -1;
    activate[&holder] {
      ch_sleep(1000000);
      flock(f, LOCK_UN);
    }
    return flock(g, LOCK_EX) + 1;
  }
  if (!strcmp(name, "waitpid")) {
    if ((other = fork()) == 0)
      _exit(0);
    return waitpid(other, NULL, 0) == other;
  }
  return -2;
}

int main(int argc, char **argv) {
  socklen_t size = sizeof here;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || bind(listener, (struct sockaddr *)&here, size) ||
      listen(listener, 5) || getsockname(listener, (struct sockaddr *)&here, &size))
    return 2;
  activate {
    for (int i = 0; i < 20; i++)
      ch_reschedule();
    if (!strncmp(argv[1], "accept", 6))
      connected();
    send(pair[1], "x", 1, 0);
  }
  errno = 0;
  long r = first(argv[1]);
  if (r != 1)
    printf("%s as the first call: %ld, %s\n", argv[1], r, strerror(errno));
  return r != 1;
}
