/* Waits that last. The ring does not know SO_RCVTIMEO, and a poll does not know O_NONBLOCK, so what the readiness cache
 * said of a descriptor is verified while somebody waits for it: see readiness_cache.h. */
#include "reactor/operation.h"
#include "reactor/readiness_cache.h"
#include "reactor/uring/uring.h"
#include <sys/socket.h>

static enum ch_verdict worse(enum ch_verdict a, enum ch_verdict b) { return a > b ? a : b; }
static bool is_call(const struct ch_poll *p) { return p->clause && p->clause->type == &ch_call_clause_type; }

static enum ch_verdict verify_polls(int fd) {
  int events = 0;
  for (struct ch_poll *p = ch_uring.table[fd].polls; p; p = p->next)
    if (is_call(p))
      events |= p->events;
  if (!events)
    return CH_NOBODY_WAITS;
  return ch_fd_cache_holds(fd, events) ? CH_WAS_RIGHT : CH_WAS_WRONG;
}

/* An operation that receives from what is no socket is ended, to be begun in another way. The limit of one that
 * receives from a socket is asked for, unless it was `changed` meanwhile, which does not concern calls that wait. */
static enum ch_verdict verify_operation(struct ch_operation *op, bool changed) {
  int fd = op->request.fd;
  int64_t timeout = ch_fd_cache_ask(fd, SO_RCVTIMEO);
  if (op->request.kind->receives && !ch_fd_cache_is_socket(fd)) {
    ch_operation_cancel(op);
    op->clause.slot |= CH_OPERATION_NO_SOCKET;
    return CH_WAS_RIGHT;
  }
  if (timeout == CH_FOREVER || changed)
    return CH_WAS_RIGHT;
  int64_t left = timeout - ch_fd_cache_waited((uint32_t)op->clause.value) * INT64_C(1000000);
  if (!ch_operation_time_out(op, left > 0 ? left : 0))
    ch_fd_cache_watch(fd); /* without memory for a timer it is verified again later */
  return CH_WAS_WRONG;
}

static enum ch_verdict verify_operations(int fd, bool changed) {
  enum ch_verdict verdict = CH_NOBODY_WAITS;
  for (struct ch_operation *op = ch_uring.table[fd].operations, *next; op; op = next) {
    next = ch_operation_next(op);
    if (op->request.kind->relies_on_cache && !op->clause.object &&
        !(op->clause.slot & (CH_OPERATION_CANCELLING | CH_OPERATION_ANSWERED))) {
      enum ch_verdict of_this = verify_operation(op, changed);
      verdict = worse(verdict, of_this);
    }
  }
  return verdict;
}

void ch_uring_look_again(int fd) {
  if (fd < 0 || fd >= ch_uring.table_size)
    return;
  for (struct ch_poll *p = ch_uring.table[fd].polls; p;) {
    if (!is_call(p)) {
      p = p->next;
      continue;
    }
    int64_t waited = ch_fd_cache_waited(p->clause->slot);
    ch_poll_cancel(p);
    ch_poll_fire(p, CH_LOOK_AGAIN + waited);
    p = ch_uring.table[fd].polls; /* a callback may change the list */
  }
}

enum ch_verdict ch_uring_verify(int fd) {
  if (fd >= ch_uring.table_size)
    return CH_NOBODY_WAITS;
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  bool changed = k && k->is & CH_CHANGED; /* verification clears it */
  enum ch_verdict verdict = verify_polls(fd);
  verdict = worse(verdict, verify_operations(fd, changed));
  if (verdict == CH_WAS_WRONG)
    ch_uring_look_again(fd);
  return verdict;
}
