#include "reactor/operation.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ch_operation *of(struct ch_job *job) {
  return (struct ch_operation *)((char *)job - offsetof(struct ch_operation, job));
}

/* ---- the clause ---- */

static bool enlist(struct ch_clause *c) {
  struct ch_operation *op = c->object;
  c->value = 0;
  if (op->done)
    return true;
  CH_INVARIANT(!op->waiter, "one wait at a time for an operation");
  op->waiter = c;
  return false;
}
static void withdraw(struct ch_clause *c) { ((struct ch_operation *)c->object)->waiter = NULL; }
/* It will fire soon: with its effect, or with -ECANCELED as its result. */
static bool cancel(struct ch_clause *c) { return ch_operation_cancel(c->object), false; }
const struct ch_clause_type ch_operation_clause_type = {"system call", true, enlist, withdraw, cancel};

void ch_operation_end(struct ch_operation *op, long result) {
  CH_INVARIANT(!op->done, "an operation ends once");
  if (op->repeating)
    ch_clause_unwatch(&op->again);
  op->repeating = false;
  op->by = CH_BY_NOBODY;
  op->result = result;
  op->done = true;
  struct ch_clause *waiter = op->waiter;
  op->waiter = NULL;
  if (waiter)
    ch_clause_fired(waiter, 0);
}

/* Each read takes one, so they are kept. */
enum { KEPT = 256 };
static __thread struct ch_operation *spare;
static __thread unsigned spares;

struct ch_operation *ch_operation_new(const struct ch_operation_kind *kind, int fd) {
  struct ch_operation *op = spare;
  if (CH_LIKELY(op != NULL)) {
    spare = op->next;
    spares--;
  } else {
    op = malloc(sizeof *op);
    if (!op)
      return NULL;
  }
  memset(op, 0, sizeof *op);
  op->kind = kind;
  op->fd = fd;
  return op;
}

void ch_operation_free(struct ch_operation *op) {
  if (CH_UNLIKELY(spares >= KEPT || ch_heap_malloc)) {
    free(op);
    return;
  }
  op->next = spare;
  spare = op;
  spares++;
}

/* ---- by the pool ---- */

static void work(struct ch_job *job) {
  struct ch_operation *op = of(job);
  op->result = op->kind->perform(op);
}

static void letter_opened(struct ch_letter *letter) {
  struct ch_operation *op = of((struct ch_job *)letter);
  ch_inbox_expected--;
  ch_operation_end(op, op->result);
}

/* An interruption may come just before the system call that it is to end, and the kernel may overlook an operation that
 * is between two of its queues: then it has to come again. */
static void ask(struct ch_clause *c) {
  struct ch_operation *op = (struct ch_operation *)((char *)c - offsetof(struct ch_operation, again));
  op->repeating = false;
  if (op->by == CH_BY_RING) {
    ch_reactor->cancel(op);
  } else {
    ch_pool_interrupt(&op->job);
    ch_operation_cancel_again(op);
  }
}

void ch_operation_cancel_again(struct ch_operation *op) {
  if (op->repeating)
    ch_clause_unwatch(&op->again);
  op->repeating = true;
  op->pause = op->pause ? 2 * op->pause : 20000;
  if (op->pause > 50000000)
    op->pause = 50000000;
  op->again = ch_timer_clause(op->pause);
  ch_clause_watch(&op->again, ask);
}

void ch_operation_start(struct ch_operation *op) {
  op->waiter = NULL;
  op->done = op->cancelling = op->closed = op->answered = op->repeating = op->timed_out = false;
  op->expected = 0;
  op->pause = 0;
  if (op->kind->prepare && ch_reactor->start(op)) {
    op->by = CH_BY_RING;
    return;
  }
  op->job = (struct ch_job){.letter.open = letter_opened, .work = work};
  int saved = errno;
  op->job.home = ch_inbox_here();
  if (op->job.home && ch_pool_submit(&op->job, op->kind->lane) == 0) {
    op->by = CH_BY_POOL;
    ch_inbox_expected++;
  } else {
    ch_operation_end(op, op->kind->perform(op));
  }
  errno = saved;
}

void ch_operation_cancel(struct ch_operation *op) {
  if (op->done || op->cancelling)
    return;
  op->cancelling = true;
  if (op->by == CH_BY_RING) {
    ch_reactor->cancel(op);
  } else if (ch_pool_withdraw(&op->job)) {
    ch_inbox_expected--;
    ch_operation_end(op, -ECANCELED);
  } else if (op->kind->interrupt) {
    ask(&op->again);
  }
}

_Static_assert(offsetof(struct ch_job, letter) == 0, "a letter is its job");
