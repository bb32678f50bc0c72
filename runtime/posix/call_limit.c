/* How long calls wait. See call_limit.h. */
#define _GNU_SOURCE
#include "posix/call_limit.h"
#include "posix/sockets.h"
#include "reactor/readiness_cache.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

int64_t ch_call_timeout(int fd, int option) {
  if (CH_LIKELY(ch_fd_cache_distrust == 0)) {
    if (ch_fd_cache_all(fd, CH_BLOCKS | (option == SO_RCVTIMEO ? CH_NO_RCVTIMEO : CH_NO_SNDTIMEO))) {
      ch_fd_entry(fd)->is &= (uint8_t)~CH_JUST_ASKED;
      return CH_FOREVER;
    }
    if (ch_is_stream_kind(ch_fd_cache_kind(fd)) && ch_fd_cache_all(fd, CH_JUST_ASKED))
      return CH_FOREVER; /* the try has just asked */
  } else {
    ch_fd_cache_distrust--;
  }
  int saved = errno;
  int64_t timeout = ch_fd_cache_ask(fd, option);
  errno = saved;
  return timeout;
}

struct ch_call_limit ch_call_limit(int fd, int option, int64_t since) {
  int64_t timeout = ch_call_timeout(fd, option);
  if (CH_LIKELY(timeout < 0 || timeout == CH_FOREVER))
    return (struct ch_call_limit){timeout, since};
  int64_t now = ch_now();
  if (since == 0 || (option == SO_SNDTIMEO && !ch_is_of_network(fd)))
    since = now;
  return (struct ch_call_limit){timeout - (now - since), since};
}

int ch_is_timed_tcp(int fd) {
  int64_t timeout = ch_call_timeout(fd, SO_RCVTIMEO);
  int protocol;
  socklen_t size = sizeof protocol;
  return timeout >= 0 && timeout != CH_FOREVER && getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
         protocol == IPPROTO_TCP;
}
