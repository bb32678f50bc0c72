/* Carries out operations by the ring or by the pool. operation.h has the invariants. */
#define _GNU_SOURCE
#include "reactor/operation.h"
#include "offload/pool.h"
#include "frames/interposed.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "reactor/turns.h"
#include "sched/child.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The pool's job and a timer, which few operations need. It has memory of its own, because the domain and its frames
 * may end while a thread is still in the call. */
struct aside {
  struct ch_job job;        /* valid while the pool has it */
  struct ch_operation *op;  /* NULL: abandoned, and nobody waits for the letter */
  struct aside *next, **at; /* in `in_pool`; or at is NULL */
  bool lost;                /* in a child of fork: only the parent has the thread that makes the call */
  struct ch_request request;
  long result;
  int raised;             /* the signal that the call has raised in the pool's thread; or 0 */
  struct ch_clause timer; /* registered while `ticking`: asks for the end, for the first time or again */
  bool ticking;
  int64_t pause; /* ns until it is asked for again */
};
_Static_assert(offsetof(struct aside, job) == 0 && offsetof(struct ch_job, letter) == 0, "a letter is its aside");

/* The operations that the pool carries out for this domain. */
static __thread struct aside *in_pool;
static __thread bool any_lost;

static void list_aside(struct aside *a) {
  a->next = in_pool;
  a->at = &in_pool;
  if (a->next)
    a->next->at = &a->next;
  in_pool = a;
}

static void unlist_aside(struct aside *a) {
  if (!a->at)
    return;
  *a->at = a->next;
  if (a->next)
    a->next->at = a->at;
  a->at = NULL;
}

static struct aside *aside_of(struct ch_operation *op) {
  struct aside *a = op->clause.object;
  if (!a && (a = calloc(1, sizeof *a))) {
    a->op = op;
    op->clause.object = a;
  }
  return a;
}

/* ---- the clause ---- */

static int enlist(struct ch_clause *c) { return (void)c, CH_CLAUSE_LISTED; }
/* The clause will fire soon, either with its effect or with the result -ECANCELED. */
static bool cancel(struct ch_clause *c) { return ch_operation_cancel((struct ch_operation *)c), false; }
static void about(const struct ch_clause *c, struct ch_about *about) {
  const struct ch_request *q = &((const struct ch_operation *)c)->request;
  about->call = q->kind->name;
  about->fd = q->fd;
  if (q->fd >= 0)
    about->what = "descriptor";
}
static const struct ch_clause_type type = {
    .what = "system call", .by = CH_BY_WORLD, .enlist = enlist, .withdraw = cancel, .cancel = cancel, .about = about};

static CH_COLD void drop_aside(struct ch_operation *op) {
  struct aside *a = op->clause.object;
  if (a->ticking)
    ch_clause_unwatch(&a->timer);
  unlist_aside(a);
  op->clause.object = NULL;
  free(a);
}

void ch_operation_end(struct ch_operation *op, long result) {
  if (CH_UNLIKELY(op->clause.object != NULL))
    drop_aside(op);
  if (CH_UNLIKELY(result == -ECANCELED || result == -EINTR)) {
    if (op->clause.slot & CH_OPERATION_CLOSED)
      result = -EBADF;
    else if (op->clause.slot & CH_OPERATION_TIMED_OUT)
      result = -EAGAIN;
  }
  ch_clause_fired(&op->clause, result);
}

void ch_operation_begin_again(struct ch_operation *op) {
  if (op->clause.object)
    drop_aside(op);
}

/* ---- by the pool ---- */

/* The signal that the kernel sends to the thread whose call fails in this way, which has it blocked; or 0. */
static int take_signal(long result) {
  if (CH_LIKELY(result != -EPIPE && result != -EFBIG))
    return 0;
  int expected = result == -EPIPE ? SIGPIPE : SIGXFSZ;
  const uint64_t set = UINT64_C(1) << (expected - 1);
  return syscall(SYS_rt_sigtimedwait, &set, NULL, &(struct timespec){0}, sizeof set) == expected ? expected : 0;
}

static void work(struct ch_job *job) {
  struct aside *a = (struct aside *)job;
  a->result = -EINTR; /* remains if the thread ends in the call: it is cancelled, or calls pthread_exit */
  a->result = a->request.kind->perform(&a->request);
  a->raised = take_signal(a->result);
}

static void letter_opened(struct ch_letter *letter) {
  struct aside *a = (struct aside *)letter;
  if (CH_UNLIKELY(!a->op)) {
    a->request.kind->abandoned(&a->request);
    free(a);
    return;
  }
  ch_inbox_expected--;
  if (CH_UNLIKELY(a->raised))
    raise(a->raised);
  ch_operation_end(a->op, a->result);
}

/* In a child of fork the pool has no threads. The result of a call that has ended is in a letter, of which the child
 * has a copy. A call that only waits, or had not begun, is begun anew when the child waits. All others count as
 * interrupted. */
static void in_child(void) {
  ch_inbox_expected = 0;
  for (struct aside *a = in_pool; a; a = a->next) {
    a->lost = a->job.state != CH_JOB_DONE;
    any_lost |= a->lost;
    ch_inbox_expected++;
  }
}
static void hook(void) { ch_child_hook(in_child); }

static bool begin_in_pool(struct aside *a) {
  const struct ch_operation_kind *kind = a->request.kind;
  bool again = a->job.state == CH_JOB_QUEUED || kind->interrupt || kind->cancellable;
  return again && !(a->op->clause.slot & CH_OPERATION_CANCELLING) && ch_pool_submit(&a->job, kind->queue) == 0;
}

CH_COLD static void revive_all(void) {
  any_lost = false;
  for (struct aside *a = in_pool, *next; a; a = next) {
    next = a->next;
    if (!a->lost)
      continue;
    a->lost = false;
    if (!begin_in_pool(a)) {
      ch_inbox_expected--;
      ch_operation_end(a->op, a->op->clause.slot & CH_OPERATION_CANCELLING ? -ECANCELED : -EINTR);
    }
  }
}

bool ch_operations_revive(void) { return CH_UNLIKELY(any_lost) && (revive_all(), true); }

static CH_COLD bool hand_to_pool(struct ch_operation *op) {
  struct aside *a = aside_of(op);
  if (!a)
    return false;
  a->request = op->request;
  a->raised = 0;
  a->job.letter.open = letter_opened;
  a->job.work = work;
  a->job.cancellable = op->request.kind->cancellable;
  a->job.inbox = ch_inbox_here();
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook); /* after the hook of the reactor, which the inbox needs */
  if (a->job.inbox && ch_pool_submit(&a->job, op->request.kind->queue) == 0) {
    ch_inbox_expected++;
    list_aside(a);
    return true;
  }
  free(a);
  op->clause.object = NULL;
  return false;
}

/* Neither ring nor pool has room. A call that may wait for somebody must not stop the domain, because it may wait for
 * one of the domain's own activities. */
static CH_COLD long without_room(const struct ch_request *q) {
  bool waits = q->kind->queue == CH_POOL_WAITING && !q->kind->in_place && !ch_is_alone();
  return waits ? -ENOMEM : q->kind->perform(q);
}

static CH_COLD bool start_in_pool(struct ch_operation *op) {
  int saved = errno;
  bool has = hand_to_pool(op);
  if (!has)
    op->clause.value = without_room(&op->request);
  errno = saved;
  return has;
}

CH_COLD void ch_operation_by_thread(struct ch_operation *op) {
  int saved = errno;
  ch_operation_begin_again(op);
  op->clause.slot = 0;
  if (!hand_to_pool(op))
    ch_operation_end(op, -EINTR);
  errno = saved;
}

bool ch_operation_start(struct ch_operation *op) {
  ch_look_whether_child();
  ch_turn_end(); /* from now on the call waits for the operation and not for the descriptor */
  op->clause.type = &type;
  op->clause.object = NULL;
  op->clause.slot = 0;
  if (CH_LIKELY(op->request.kind->prepare && ch_reactor->start(op)))
    return true;
  op->clause.slot = 0;
  return start_in_pool(op);
}

/* ---- its end ---- */

static void ask(struct ch_operation *op) {
  if (op->clause.slot & CH_OPERATION_RING) {
    ch_reactor->cancel(op);
  } else {
    ch_pool_interrupt(&((struct aside *)op->clause.object)->job);
    ch_operation_cancel_again(op);
  }
}

void ch_operation_cancel(struct ch_operation *op) {
  if (op->clause.slot & CH_OPERATION_CANCELLING) {
    op->clause.slot &= ~(uint32_t)CH_OPERATION_NO_SOCKET; /* now it is cancelled for another reason */
    return;
  }
  op->clause.slot |= CH_OPERATION_CANCELLING;
  if (op->clause.slot & CH_OPERATION_RING) {
    ch_reactor->cancel(op);
  } else if (((struct aside *)op->clause.object)->lost) { /* ch_operations_revive will end it */
    return;
  } else if (ch_pool_withdraw(&((struct aside *)op->clause.object)->job)) {
    ch_inbox_expected--;
    if (op->request.kind->abandoned)
      op->request.kind->abandoned(&op->request);
    ch_operation_end(op, -ECANCELED);
  } else if (op->request.kind->interrupt || op->request.kind->cancellable) {
    ask(op);
  } else if (op->request.kind->abandoned) {
    struct aside *a = op->clause.object; /* from now on it belongs to the letter */
    unlist_aside(a);
    op->clause.object = a->op = NULL;
    ch_inbox_expected--;
    ch_operation_end(op, -ECANCELED);
  }
}

void ch_operations_closing(int fd) {
  for (struct aside *a = in_pool, *next; a; a = next) {
    next = a->next;
    if (a->op->request.fd != fd || !a->op->request.kind->closes)
      continue;
    a->op->clause.slot |= CH_OPERATION_CLOSED;
    ch_operation_cancel(a->op);
  }
}

static struct aside *timer_rings(struct ch_clause *c) {
  struct aside *a = (struct aside *)((char *)c - offsetof(struct aside, timer));
  a->ticking = false;
  return a;
}
static void ask_again(struct ch_clause *c) { ask(timer_rings(c)->op); }
static void time_is_over(struct ch_clause *c) {
  struct ch_operation *op = timer_rings(c)->op;
  op->clause.slot |= CH_OPERATION_TIMED_OUT;
  ch_operation_cancel(op);
}

static void set_timer(struct aside *a, int64_t after, void (*then)(struct ch_clause *)) {
  if (a->ticking)
    ch_clause_unwatch(&a->timer);
  a->ticking = true;
  a->timer = ch_timer_clause(after);
  ch_clause_watch(&a->timer, then);
}

/* An interruption may come just before the system call that it is to end, and the kernel may overlook an operation that
 * is between two of its queues. So the request to end it is made again. */
void ch_operation_cancel_again(struct ch_operation *op) {
  enum { FIRST = 20000, LONGEST = 50000000 };
  struct aside *a = aside_of(op);
  if (!a) { /* there is no memory for a timer, so the ring is asked again at once */
    ch_reactor->cancel(op);
    return;
  }
  a->pause = !a->pause ? FIRST : 2 * a->pause > LONGEST ? LONGEST : 2 * a->pause;
  set_timer(a, a->pause, ask_again);
}

bool ch_operation_time_out(struct ch_operation *op, int64_t after) {
  struct aside *a = aside_of(op);
  if (a && !a->ticking && !(op->clause.slot & CH_OPERATION_CANCELLING))
    set_timer(a, after, time_is_over);
  return a != NULL;
}
