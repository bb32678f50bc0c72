#define _GNU_SOURCE
#include "reactor/own.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* Written by all domains; 0: free, else a descriptor and 1. What finds no room is not protected. */
/* FIRST: in the table of descriptors that a process has anyway; select knows how large that is. */
enum { ROOM = 256, FIRST = 56 };
static int own[ROOM];
static int used; /* places that were ever taken */

int ch_own(int fd) {
  int saved = errno, to = fcntl(fd, F_DUPFD_CLOEXEC, FIRST);
  if (to >= 0) {
    close(fd);
    fd = to;
  }
  for (int i = 0; i < ROOM; i++) {
    int free = 0;
    if (__atomic_compare_exchange_n(&own[i], &free, fd + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      int seen = __atomic_load_n(&used, __ATOMIC_RELAXED);
      while (seen <= i && !__atomic_compare_exchange_n(&used, &seen, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
      break;
    }
  }
  errno = saved;
  return fd;
}

static int *place_of(int fd) {
  int n = __atomic_load_n(&used, __ATOMIC_RELAXED);
  for (int i = 0; i < n; i++)
    if (__atomic_load_n(&own[i], __ATOMIC_RELAXED) == fd + 1)
      return &own[i];
  return NULL;
}

bool ch_is_own(int fd) { return fd >= 0 && place_of(fd); }

void ch_own_close(int fd) {
  int *place = place_of(fd);
  if (place)
    __atomic_store_n(place, 0, __ATOMIC_RELAXED);
  close(fd);
}
