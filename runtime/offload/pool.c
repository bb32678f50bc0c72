/* The threads of the pool, their queues and their bounds. pool.h has the states of a job. */
#define _GNU_SOURCE
#include "offload/pool.h"
#include "frames/forks.h"
#include "frames/settings.h"
#include "frames/interposed.h"
#include "sched/check.h"
#include "sched/child.h"
#include "sched/external_wakers.h"
#include "sched/interrupts.h"
#include "sched/runtime_thread.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds that a worker without work stays. */
#define IDLE_SECONDS 10

struct queue {
  struct ch_job *first, **last;
  unsigned threads, idle, limit;
  pthread_cond_t more;
};

CH_FORK_LOCK(lock, CH_OUTER_LOCK)
static struct queue queues[CH_POOL_QUEUES];
static unsigned foreign_limit; /* what the user has set */

static void reset(void) {
  static const unsigned limits[CH_POOL_QUEUES] = {[CH_POOL_STORAGE] = 8, [CH_POOL_WAITING] = 4096};
  for (int i = 0; i < CH_POOL_QUEUES; i++) /* not pthread_cond_init: see install */
    queues[i] = (struct queue){.last = &queues[i].first, .limit = limits[i], .more = PTHREAD_COND_INITIALIZER};
  queues[CH_POOL_FOREIGN].limit = foreign_limit;
}

/* fork: the child has the thread that forked and no other; what was under way is the parent's. */
static void in_child(void) { reset(); }

/* Whoever comes later is told by the C library, behind ThreadSanitizer, that this has run. So it calls nothing that the
 * sanitizer watches. */
static void install(void) {
  foreign_limit = (unsigned)ch_setting_number("CHARCOAL_THREADS", 1, 99999, 64);
  reset();
  ch_child_hook(in_child);
}

/* The lock is taken. */
static void interrupt(struct ch_job *job, int signal) {
  if (job->interrupted ? !ch_interrupts_still(signal) : !ch_interrupts_begin(signal))
    return; /* the program has begun to use the signal meanwhile */
  job->interrupted = true;
  pthread_kill(job->worker, signal);
}

/* The signal is let through only while it is needed: others may wait for it with sigwait. */
static void let_through(int how, int signal) {
  sigset_t one;
  if (signal == 0)
    return;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(how, &one, NULL);
}

/* ---- ids ---- */

static bool follows_ids;

void ch_pool_follow_ids(void) { __atomic_store_n(&follows_ids, true, __ATOMIC_RELAXED); }

/* This thread's ids: the calls change nothing if the new id is none. */
static uint32_t user_here(void) { return (uint32_t)syscall(SYS_setfsuid, -1); }
static uint32_t group_here(void) { return (uint32_t)syscall(SYS_setfsgid, -1); }

static void note_ids(struct ch_job *job) {
  job->has_ids = __atomic_load_n(&follows_ids, __ATOMIC_RELAXED);
  if (CH_UNLIKELY(job->has_ids)) {
    job->user = user_here();
    job->group = group_here();
  }
}
static void take_ids(const struct ch_job *job) {
  if (group_here() != job->group)
    syscall(SYS_setfsgid, job->group);
  if (user_here() != job->user)
    syscall(SYS_setfsuid, job->user);
}

/* ---- threads ---- */

static int add_thread(struct queue *);

/* The lock is taken. From here on the job may be gone. */
static void done(struct ch_job *job) {
  struct ch_inbox *inbox = job->inbox;
  if (job->interrupted)
    ch_interrupts_end();
  job->state = CH_JOB_DONE;
  if (!ch_inbox_post(inbox, &job->letter)) /* nobody waited for it any more when its domain ended */
    (job->letter.open)(&job->letter);
}

/* The lock is taken. This worker ends, and leaves nobody in the queue whom only it would have served. */
static void leave(struct queue *queue) {
  queue->threads--;
  ch_count_runtime_thread(-1);
  if (queue->first && queue->idle == 0)
    add_thread(queue);
  pthread_mutex_unlock(&lock);
}

/* The work has ended its thread: it was cancelled, or the user's code has called pthread_exit. */
static void thread_ended_in(void *data) {
  struct ch_job *job = data;
  struct queue *queue = &queues[job->queue];
  ch_pool_cancellable(false);
  pthread_mutex_lock(&lock);
  done(job);
  leave(queue);
}

static void perform(struct ch_job *job) {
  if (CH_UNLIKELY(job->has_ids))
    take_ids(job);
  if (job->queue == CH_POOL_WAITING && !job->cancellable) {
    let_through(SIG_UNBLOCK, job->signal);
    __atomic_store_n(&job->lets_through, true, __ATOMIC_RELAXED);
    job->work(job);
    let_through(SIG_BLOCK, job->signal);
    return;
  }
  if (job->queue == CH_POOL_STORAGE) {
    job->work(job);
    return;
  }
  pthread_cleanup_push(thread_ended_in, job);
  job->work(job);
  pthread_cleanup_pop(0);
}

static void *work(void *data) {
  struct queue *queue = data;
  ch_pool_cancellable(false);
  pthread_mutex_lock(&lock);
  for (;;) {
    struct ch_job *job = queue->first;
    if (job) {
      queue->first = job->next;
      if (!queue->first)
        queue->last = &queue->first;
      job->state = CH_JOB_BEGUN;
      job->worker = pthread_self();
      pthread_mutex_unlock(&lock);
      perform(job);
      pthread_mutex_lock(&lock);
      bool late = job->cancelled; /* the cancellation has come too late for this job, and must not hit the next one */
      done(job);
      if (late) {
        leave(queue);
        return NULL;
      }
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_SECONDS;
    queue->idle++;
    int r = pthread_cond_timedwait(&queue->more, &lock, &until);
    queue->idle--;
    if (r == ETIMEDOUT && !queue->first) {
      leave(queue);
      return NULL;
    }
  }
}

static int add_thread(struct queue *queue) {
  pthread_t thread;
  int error = ch_runtime_thread(&thread, true, queue == &queues[CH_POOL_FOREIGN] ? 0 : 131072, work, queue);
  if (!error)
    queue->threads++;
  return error;
}

int ch_pool_submit(struct ch_job *job, enum ch_pool_queue which) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, install);
  struct queue *queue = &queues[which];
  unsigned queued = 0;
  job->next = NULL;
  job->queue = (uint8_t)which;
  job->cancelled = job->interrupted = job->lets_through = false;
  job->signal = which == CH_POOL_WAITING && !job->cancellable ? ch_interrupt_signal() : 0;
  note_ids(job);
  pthread_mutex_lock(&lock);
  for (struct ch_job *j = queue->first; j && queued < queue->idle; j = j->next)
    queued++;
  if (queue->idle <= queued && queue->threads < queue->limit) {
    int error = add_thread(queue);
    if (error && queue->threads == 0) {
      pthread_mutex_unlock(&lock);
      return error;
    }
  }
  job->state = CH_JOB_QUEUED;
  *queue->last = job;
  queue->last = &job->next;
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&queue->more); /* without the lock, because it takes that of all conditions (posix/locks) */
  return 0;
}

bool ch_pool_withdraw(struct ch_job *job) {
  bool waits;
  pthread_mutex_lock(&lock);
  waits = job->state == CH_JOB_QUEUED;
  if (waits) {
    struct queue *queue = &queues[job->queue];
    struct ch_job **at = &queue->first;
    while (*at != job)
      at = &(*at)->next;
    *at = job->next;
    if (queue->last == &job->next)
      queue->last = at;
    job->state = CH_JOB_IDLE;
  }
  pthread_mutex_unlock(&lock);
  return waits;
}

void ch_pool_interrupt(struct ch_job *job) {
  pthread_mutex_lock(&lock);
  if (job->state == CH_JOB_BEGUN && !job->cancellable) {
    if (job->signal && __atomic_load_n(&job->lets_through, __ATOMIC_RELAXED))
      interrupt(job, job->signal);
  } else if (job->state == CH_JOB_BEGUN && !job->cancelled) {
    job->cancelled = true;
    pthread_cancel(job->worker);
  }
  pthread_mutex_unlock(&lock);
}
