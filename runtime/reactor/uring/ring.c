/* The ring of a thread, by system calls and shared memory without liburing (docs/decisions/io-uring.md). */
#define _GNU_SOURCE
#include "reactor/uring/ring.h"
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/times.h"
#include "frames/runtime_calls.h"
#include "frames/settings.h"
#include "sched/host.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct ch_ring no_ring = {.slot = -1}; /* never written */
__thread struct ch_ring *ch_ring = &no_ring;
#define ring (*ch_ring)

uint16_t ch_uring_recv_flags;

static int setup(unsigned entries, struct io_uring_params *p) { return (int)syscall(SYS_io_uring_setup, entries, p); }

static int do_register(int fd, unsigned opcode, void *argument, unsigned n) {
  return (int)syscall(SYS_io_uring_register, fd, opcode, argument, n);
}

/* Registers the ring with its thread (Linux 5.18), so that the kernel need not look up a descriptor at each call. The
 * descriptor is then closed, and a ring without one cannot be closed by the program. */
static void register_ring(int fd) {
  struct io_uring_rsrc_update update = {.offset = -1U, .data = (uint64_t)fd};
  if (do_register(fd, IORING_REGISTER_RING_FDS, &update, 1) != 1)
    return;
  ring.index = (int)update.offset;
  ring.enter_flags = IORING_ENTER_REGISTERED_RING;
  ch_close_runtime_descriptor(ring.slot);
  ring.slot = -1;
}

enum { BY_INDEX = 1u << 31 }; /* IORING_REGISTER_USE_REGISTERED_RING, since Linux 6.3 */

/* Before Linux 6.3 this takes a descriptor, so there the ring stays until the thread ends. */
static void unregister_ring(void) {
  struct io_uring_rsrc_update update = {.offset = (unsigned)ring.index};
  if (ring.enter_flags)
    do_register(ring.index, IORING_UNREGISTER_RING_FDS | BY_INDEX, &update, 1);
}

static void forget(void) { *ch_ring = (struct ch_ring){.slot = -1}; }

void ch_ring_stop(void) {
  unregister_ring();
  if (ring.told)
    ch_close_runtime_descriptor(ring.told - 1);
  if (ring.map)
    munmap(ring.map, ring.map_size);
  if (ring.sqe_map)
    munmap(ring.sqe_map, ring.sqe_map_size);
  if (ring.slot >= 0)
    ch_close_runtime_descriptor(ring.slot);
  forget();
}

void ch_ring_forget(void) {
  if (ring.slot >= 0)
    ch_close_runtime_descriptor(ring.slot);
  if (ring.told)
    ch_close_runtime_descriptor(ring.told - 1);
  forget();
}

void ch_ring_end(void) {
  if (ch_ring == &no_ring)
    return;
  ch_ring_stop();
  free(ch_ring);
  ch_ring = &no_ring;
}

int ch_ring_start(void) {
  if (ch_ring == &no_ring) {
    struct ch_ring *own = calloc(1, sizeof *own);
    if (!own)
      return ENOMEM;
    ch_ring = own;
    forget();
  }
  const unsigned set = (unsigned)ch_setting_number("CHARCOAL_RING_ENTRIES", 1, 32768, 0);
  const unsigned entries = set ? set : 256, completions = set ? 2 * entries : 16 * entries;
  struct io_uring_params p;
  int fd;
  for (int attempt = 0;; attempt++) {
    memset(&p, 0, sizeof p);
    p.cq_entries = completions;
    p.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    /* Since Linux 6.1: only one thread submits, and the kernel's work for its requests is done when the thread asks,
     * and not whenever the kernel interrupts it. */
    if (attempt == 0)
      p.flags |= IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    fd = setup(entries, &p);
    if (fd >= 0 && attempt == 0)
      ch_uring_recv_flags = IORING_RECVSEND_POLL_FIRST; /* is older than these flags */
    if (fd >= 0 || errno != EINVAL || attempt == 1)
      break;
  }
  if ((ring.slot = ch_add_runtime_descriptor(fd)) < 0)
    return errno;
  ring.runs = true;
  fd = ch_runtime_descriptor(ring.slot);
  unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_SINGLE_MMAP | IORING_FEAT_EXT_ARG | IORING_FEAT_RW_CUR_POS |
                    IORING_FEAT_SUBMIT_STABLE;
  if ((p.features & needed) != needed) {
    ch_ring_stop();
    return ENOSYS;
  }
  size_t sq = p.sq_off.array + p.sq_entries * sizeof(unsigned),
         cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  ring.map_size = sq > cq ? sq : cq;
  ring.sqe_map_size = p.sq_entries * sizeof(struct io_uring_sqe);
  char *map = mmap(NULL, ring.map_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
  void *sqes = map == MAP_FAILED ? MAP_FAILED
                                 : mmap(NULL, ring.sqe_map_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
                                        IORING_OFF_SQES);
  ring.map = map == MAP_FAILED ? NULL : map;
  ring.sqe_map = sqes == MAP_FAILED ? NULL : sqes;
  if (sqes == MAP_FAILED) {
    int error = errno;
    ch_ring_stop();
    return error;
  }
  madvise(map, ring.map_size, MADV_DONTFORK);
  madvise(sqes, ring.sqe_map_size, MADV_DONTFORK);
  ring.sqes = sqes;
  ring.sq_head = (unsigned *)(map + p.sq_off.head);
  ring.sq_tail = (unsigned *)(map + p.sq_off.tail);
  ring.sq_flags = (unsigned *)(map + p.sq_off.flags);
  ring.sq_size = p.sq_entries;
  ring.sq_mask = p.sq_entries - 1;
  ring.cq_head = (unsigned *)(map + p.cq_off.head);
  ring.cq_tail = (unsigned *)(map + p.cq_off.tail);
  ring.cq_mask = *(unsigned *)(map + p.cq_off.ring_mask);
  ring.cqes = (struct io_uring_cqe *)(map + p.cq_off.cqes);
  unsigned *array = (unsigned *)(map + p.sq_off.array);
  for (unsigned i = 0; i < p.sq_entries; i++)
    array[i] = i;
  register_ring(fd);
  return 0;
}

static int enter(unsigned submit, unsigned want, unsigned flags, int64_t timeout) {
  flags |= ring.enter_flags;
  int entrance = CH_LIKELY(ring.slot < 0) ? ring.index : ch_runtime_descriptor(ring.slot);
  struct timespec t = ch_timespec_of(timeout);
  const sigset_t *mask = want ? ch_inbox_sleep_mask() : NULL;
  struct io_uring_getevents_arg arg = {
      .sigmask = (uint64_t)(uintptr_t)mask, .sigmask_sz = _NSIG / 8, .ts = (uint64_t)(uintptr_t)&t};
  if (timeout >= 0)
    flags |= IORING_ENTER_EXT_ARG;
  const void *more = timeout < 0 ? (const void *)mask : (const void *)&arg;
  size_t size = timeout < 0 ? (size_t)(_NSIG / 8) : sizeof arg;
  if (want == 0)
    return (int)syscall(SYS_io_uring_enter, entrance, submit, want, flags, more, size);
  /* A sleep is a cancellation point of threads, as epoll_wait is. */
  int type = ch_begin_cancellation_point();
  int taken = (int)syscall(SYS_io_uring_enter, entrance, submit, want, flags, more, size);
  ch_host_has_slept(type);
  return taken;
}

void ch_ring_left(void) {
  if (ring.sq_head)
    ring.submitted = __atomic_load_n(ring.sq_head, __ATOMIC_ACQUIRE);
}

/* What is under way in the ring will never be told. */
static _Noreturn CH_COLD void report_refusal(int error) {
  char text[256];
  const char *remedy =
      error == EBADR ? "give the process more memory, or" : "if a sandbox forbids that call, let it allow the call, or";
  const int length =
      snprintf(text, sizeof text,
               "charcoal: the kernel refuses io_uring_enter to a program that uses a ring already: %s; "
               "%s set CHARCOAL_REACTOR=epoll\n",
               error == EBADR ? "it had no memory for completions, which are lost" : strerror(error), remedy);
  const ssize_t n = ch_runtime_write(2, text, (size_t)length);
  (void)n;
  abort();
}

/* Once, if that has lasted for two seconds: then it may last for ever. */
static CH_COLD void tell_of_refusals(int error) {
  static bool told;
  const int64_t longest = INT64_C(2000000000), now = ch_monotonic_now();
  if (ring.refused_since == 0)
    ring.refused_since = now;
  if (now - ring.refused_since < longest || __atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    return;
  char text[256];
  const int length = snprintf(text, sizeof text,
                              "charcoal: the kernel has refused io_uring_enter for two seconds: %s; the thread waits "
                              "until that is over; set CHARCOAL_REACTOR=epoll if it does not end\n",
                              strerror(error));
  const ssize_t n = ch_runtime_write(2, text, (size_t)length);
  (void)n;
}

/* The kernel has no room or no memory now, but may have soon. Nothing else is to be done meanwhile, so the thread
 * sleeps for a moment, because it would ask again and again. */
static CH_COLD void pause_before_sleep(int error, int64_t timeout) {
  enum { MOMENT = 1000000 };
  tell_of_refusals(error);
  const struct timespec t = ch_timespec_of(timeout < 0 || timeout > MOMENT ? MOMENT : timeout);
  ch_runtime_sleep(&t);
}

static CH_COLD void has_failed(int error, unsigned want, int64_t timeout) {
  if (error == EINTR || error == ETIME)
    return;
  if (error != EAGAIN && error != EBUSY && error != ENOMEM)
    report_refusal(error);
  if (want > 0)
    pause_before_sleep(error, timeout);
}

void ch_ring_submit(unsigned want, unsigned flags, int64_t timeout) {
  __atomic_store_n(ring.sq_tail, ring.tail, __ATOMIC_RELEASE);
  int taken = enter(ch_ring_unsubmitted(), want, flags, timeout);
  if (CH_UNLIKELY(ring.refused_since != 0) && want > 0 && (taken >= 0 || errno == ETIME || errno == EINTR))
    ring.refused_since = 0;
  if (taken > 0)
    ring.submitted += (unsigned)taken;
  else if (CH_UNLIKELY(taken < 0))
    has_failed(errno, want, timeout);
}

static int register_for_ring(unsigned opcode, void *argument, unsigned n) {
  return ring.slot < 0 ? do_register(ring.index, opcode | BY_INDEX, argument, n)
                       : do_register(ch_runtime_descriptor(ring.slot), opcode, argument, n);
}

static int get_told(void) {
  int fd = ch_ring_teller();
  return register_for_ring(IORING_REGISTER_EVENTFD, &fd, 1);
}

int ch_ring_get_told(void) {
  int slot = ch_add_runtime_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (slot < 0)
    return -1;
  ring.told = slot + 1;
  if (get_told() == 0)
    return 0;
  ring.told = 0;
  ch_close_runtime_descriptor(slot);
  return errno = ENOTSUP, -1;
}

/* If a completion is due to a thread that writes another eventfd, Linux 6.18 writes this one at the first such
 * completion only. It does so again after it has been registered anew. What has come in between is told here. */
void ch_ring_get_told_again(void) {
  const uint64_t one = 1;
  if (!ring.was_told)
    return;
  ring.was_told = false;
  register_for_ring(IORING_UNREGISTER_EVENTFD, NULL, 0);
  if ((get_told() < 0 || ch_ring_has_news()) && ch_runtime_write(ch_ring_teller(), &one, sizeof one) < 0)
    return;
}

int ch_ring_teller(void) { return ch_runtime_descriptor(ring.told - 1); }

void ch_ring_was_told(void) {
  uint64_t count;
  ring.was_told |= ch_runtime_read(ch_ring_teller(), &count, sizeof count) > 0;
}
