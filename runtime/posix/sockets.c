/* What the kernel tells of a socket. See sockets.h. */
#define _GNU_SOURCE
#include "posix/sockets.h"
#include "posix/call_limit.h"
#include "reactor/readiness_cache.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int ch_is_stream(int fd) {
  int type;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type == SOCK_STREAM;
}

bool ch_some_have_low_marks;
bool ch_has_low_mark(int fd, int flags) {
  int mark, type, saved = errno;
  socklen_t size = sizeof mark, size_of_type = sizeof type;
  bool has = !(flags & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE)) &&
             getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, &size) == 0 && mark > 1 &&
             getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size_of_type) == 0 && type == SOCK_STREAM &&
             ch_call_timeout(fd, SO_RCVTIMEO) >= 0;
  errno = saved;
  return has;
}

enum { PASSES_PIDFD = 76 }; /* SO_PASSPIDFD, in every architecture that the runtime knows */

static bool has_option(int fd, int option, int value) {
  int is;
  socklen_t size = sizeof is;
  return getsockopt(fd, SOL_SOCKET, option, &is, &size) == 0 && is == value;
}

bool ch_is_of_network(int fd) {
  int domain, saved = errno;
  socklen_t size = sizeof domain;
  bool keeps = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
  errno = saved;
  return keeps;
}

int ch_take_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? 0 : error;
}

bool ch_may_be_shut(int fd) {
  return ch_fd_cache_is_socket(fd) && ch_fd_cache_kind(fd) != CH_TCP_SOCKET && !ch_is_of_network(fd);
}

void ch_ask_for_limit(int fd) {
  int saved = errno;
  (void)ch_fd_cache_ask(fd, SO_SNDTIMEO);
  errno = saved;
}

bool ch_is_at_mark(int fd) {
  int at = 0, saved = errno;
  ioctl(fd, SIOCATMARK, &at);
  errno = saved;
  return at;
}

bool ch_tells_senders(int fd) {
  int saved = errno;
  bool tells = ch_fd_cache_kind(fd) != CH_TCP_SOCKET && has_option(fd, SO_PASSCRED, 1) &&
               has_option(fd, SO_DOMAIN, AF_UNIX) && !has_option(fd, PASSES_PIDFD, 1) && ch_is_stream(fd);
  errno = saved;
  return tells;
}

static const struct ucred *sender_in(const struct msghdr *m) {
  struct msghdr copy = *m;
  for (struct cmsghdr *c = m->msg_control ? CMSG_FIRSTHDR(&copy) : NULL; c; c = CMSG_NXTHDR(&copy, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len >= CMSG_LEN(sizeof(struct ucred)))
      return (const struct ucred *)CMSG_DATA(c);
  return NULL;
}

int ch_is_of_another(int fd, const struct msghdr *first) {
  const struct ucred *was = sender_in(first), *is;
  if (!was)
    return 0;
  char byte;
  union {
    struct cmsghdr align;
    char bytes[CH_SENDER_ROOM];
  } control;
  struct msghdr m = {
      .msg_iov = &(struct iovec){&byte, 1}, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t r = recvmsg(fd, &m, MSG_PEEK | MSG_DONTWAIT);
  if (r < 0)
    return -1;
  is = sender_in(&m);
  return r > 0 && is && memcmp(is, was, sizeof *is) != 0;
}

/* Without any room the kernel also says MSG_CTRUNC where it would have told who has sent it, so that must have had
 * room (ch_tells_senders). */
int ch_has_descriptors(int fd, const struct msghdr *m, size_t room) {
  int saved = errno;
  bool has = m->msg_flags & MSG_CTRUNC && has_option(fd, SO_DOMAIN, AF_UNIX) &&
             ((m->msg_control && room > 0) || has_option(fd, SO_PASSCRED, 0));
  errno = saved;
  struct msghdr copy = *m;
  for (struct cmsghdr *c = m->msg_control ? CMSG_FIRSTHDR(&copy) : NULL; c && !has; c = CMSG_NXTHDR(&copy, c))
    has = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
  return has;
}
