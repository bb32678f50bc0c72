/* The list of sockets with a negative limit. See negative_limits.h. */
#define _GNU_SOURCE
#include "reactor/negative_limits.h"
#include "frames/forks.h"
#include "frames/runtime_calls.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { RECEIVING = 1, SENDING = 2, OPEN = 4 };
struct limited {
  uint64_t cookie;
  unsigned what; /* RECEIVING, SENDING; OPEN only while the closed ones are dropped */
};

unsigned ch_negative_limits;
/* Sorted by cookie. */
static struct limited *all;
static unsigned room;
CH_FORK_LOCK(lock, CH_INNER_LOCK)

static bool cookie_of(int fd, uint64_t *cookie) {
  socklen_t size = sizeof *cookie;
  return getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &size) == 0;
}

/* The place where the cookie stands, or belongs. */
static struct limited *find(uint64_t cookie) {
  unsigned from = 0, to = ch_negative_limits;
  while (from < to) {
    unsigned middle = from + (to - from) / 2;
    if (all[middle].cookie < cookie)
      from = middle + 1;
    else
      to = middle;
  }
  return all + from;
}
static bool is_there(const struct limited *at, uint64_t cookie) {
  return at < all + ch_negative_limits && at->cookie == cookie;
}

static void set_count(unsigned n) { __atomic_store_n(&ch_negative_limits, n, __ATOMIC_RELAXED); }

/* Nobody tells when the last number of a socket is closed, so the closed ones are dropped before the list grows. */
static void drop_closed(void) {
  CH_NO_CANCELLATION;
  DIR *numbers = opendir("/proc/self/fd");
  if (!numbers)
    return;
  uint64_t cookie;
  for (struct dirent *e; (e = readdir(numbers));)
    if (e->d_name[0] != '.' && cookie_of(atoi(e->d_name), &cookie)) {
      struct limited *at = find(cookie);
      if (is_there(at, cookie))
        at->what |= OPEN;
    }
  closedir(numbers);
  unsigned n = 0;
  for (unsigned i = 0; i < ch_negative_limits; i++)
    if (all[i].what & OPEN)
      all[n++] = (struct limited){all[i].cookie, all[i].what & ~(unsigned)OPEN};
  set_count(n);
}

static bool make_room(void) {
  if (ch_negative_limits < room)
    return true;
  drop_closed();
  if (room && ch_negative_limits <= room / 2)
    return true;
  unsigned more = room ? 2 * room : 8;
  struct limited *bigger = realloc(all, more * sizeof *bigger);
  if (!bigger)
    return ch_negative_limits < room;
  all = bigger;
  room = more;
  return true;
}

static void add(uint64_t cookie, unsigned what) {
  struct limited *at = find(cookie);
  if (!is_there(at, cookie)) {
    if (!make_room())
      return; /* without memory its calls wait */
    at = find(cookie);
    memmove(at + 1, at, (size_t)(all + ch_negative_limits - at) * sizeof *at);
    *at = (struct limited){cookie, 0};
    set_count(ch_negative_limits + 1);
  }
  at->what |= what;
}

static void drop(uint64_t cookie, unsigned what) {
  struct limited *at = find(cookie);
  if (!is_there(at, cookie) || (at->what &= ~what))
    return;
  memmove(at, at + 1, (size_t)(all + ch_negative_limits - at - 1) * sizeof *at);
  set_count(ch_negative_limits - 1);
}

static unsigned bit_of(int option) { return option == SO_RCVTIMEO ? RECEIVING : SENDING; }

static unsigned what_of(int fd) {
  uint64_t cookie;
  int saved = errno;
  unsigned what = 0;
  if (cookie_of(fd, &cookie)) {
    pthread_mutex_lock(&lock);
    const struct limited *at = find(cookie);
    what = is_there(at, cookie) ? at->what : 0;
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
  return what;
}

bool ch_negative_limit_known(int fd, int option) { return what_of(fd) & bit_of(option); }

void ch_negative_limit_set(int fd, int option, bool negative) {
  uint64_t cookie;
  int saved = errno;
  if ((negative || __atomic_load_n(&ch_negative_limits, __ATOMIC_RELAXED)) && cookie_of(fd, &cookie)) {
    pthread_mutex_lock(&lock);
    (negative ? add : drop)(cookie, bit_of(option));
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
}

/* The listeners whose family lets connections inherit it are those of which a connection is a copy. */
void ch_negative_limit_inherit(int listener, int fd) {
  unsigned what = __atomic_load_n(&ch_negative_limits, __ATOMIC_RELAXED) ? what_of(listener) : 0;
  int family = 0;
  socklen_t size = sizeof family;
  if (!what || getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) < 0 || family == AF_UNIX)
    return;
  if (what & RECEIVING)
    ch_negative_limit_set(fd, SO_RCVTIMEO, true);
  if (what & SENDING)
    ch_negative_limit_set(fd, SO_SNDTIMEO, true);
}
