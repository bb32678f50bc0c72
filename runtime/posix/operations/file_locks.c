/* Locks on files. */
#define _GNU_SOURCE
#include "posix/operations/define.h"
#include "posix/addresses.h"
#include "posix/plain.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* The kernel gives up a lock before it looks whether it may give another in its place. */
int ch_flock_held(int fd, int operation) {
  if (operation & (LOCK_UN | LOCK_NB))
    return 0;
  char name[40], text[4096];
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
  ch_proc_text(name, text, sizeof text);
  const char *line = strstr(text, ": FLOCK");
  const char *end = line ? strchrnul(line, '\n') : NULL, *write = line ? strstr(line, "WRITE") : NULL;
  return !line ? 0 : write && write < end ? LOCK_EX : LOCK_SH;
}

int ch_flock_take_back(int fd, int held) {
  if (held && flock(fd, held | LOCK_NB) < 0)
    errno = ENOLCK;
  else
    errno = ECANCELED;
  return -1;
}

static long perform_flock(const req_t *q) { return or_error(flock(q->fd, (int)q->flags)); }
static const struct ch_operation_kind flock_kind = {"flock", perform_flock, NULL, .queue = CH_POOL_WAITING,
                                                    .interrupt = true};

static long begin_flock(req_t *q, int fd, int operation) {
  if (ch_is_marked() && !(operation & LOCK_UN))
    return refused();
  int r = flock(fd, operation | LOCK_NB);
  if (r == 0 || errno != EWOULDBLOCK || operation & LOCK_NB)
    return r;
  *q = (req_t){.kind = &flock_kind, .fd = fd, .flags = (unsigned)operation};
  return CH_LATER;
}

static long perform_setlk(const req_t *q) { return or_error(fcntl(q->fd, (int)q->flags, q->a)); }
static const struct ch_operation_kind setlk_kind = {"fcntl", perform_setlk, NULL, .queue = CH_POOL_WAITING,
                                                    .interrupt = true};

/* POSIX locks belong to the process, locks of the open file description to that: to no thread. */
static long begin_setlk(req_t *q, int fd, int command, void *lock) {
  if (ch_is_marked() && !ch_is_nowhere(lock) && ((struct flock *)lock)->l_type != F_UNLCK)
    return refused();
  int r = fcntl(fd, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, lock);
  if (r == 0 || (errno != EAGAIN && errno != EACCES))
    return r;
  *q = (req_t){.kind = &setlk_kind, .fd = fd, .flags = (unsigned)command, .a = lock};
  return CH_LATER;
}

/* clang-format off */
CALL(flock, (int fd, int operation), begin_flock(&q, fd, operation))
CALL(setlk, (int fd, int command, void *lock), begin_setlk(&q, fd, command, lock))
/* clang-format on */
