/* Starts threads whose start routine is the first activity of a domain. See thread_start.h. */
#include "posix/thread_start.h"
#include "posix/single_activity.h"
#include "reactor/reactor.h"
#include "sched/domain.h"
#include "sched/host.h"
#include "sched/tsan.h"
#include <errno.h>
#include <stdlib.h>

struct thread_start {
  struct ch_int_result (*start)(void *); /* the interruptible version of the thread's start routine */
  void *plain;                           /* the routine itself */
  void *argument;
};

/* By hand after the ABI: the routine is called last, so nothing has to be saved here. Its result stands where the end
 * of the activity looks for it (domain.h). */
static int body(void *record) {
  struct thread_start *b = record;
  struct ch_int_result r = b->start(b->argument);
  if ((int)r.status == CH_DONE)
    *(intptr_t *)ch_tls.result = r.value;
  return (int)r.status;
}

/* False: there is no memory for a domain. The thread has been made, and no call could tell its maker so: it runs its
 * routine as plain code. */
static bool live(struct thread_start *b, void *memory, intptr_t *result) {
  *b = *(struct thread_start *)memory;
  free(memory);
  ch_in_programs_thread = true;
  if (!ch_domain_run((void *)body, b, sizeof *b, "pthread_create", false))
    return false;
  ch_host_unwatch_thread();
  *result = ch_domain.is_cancelled ? (intptr_t)PTHREAD_CANCELED : ch_domain.result;
  ch_domain_end();
  return true;
}
static void *live_posix(void *memory) {
  struct thread_start b;
  intptr_t result;
  return live(&b, memory, &result) ? (void *)result : ((void *(*)(void *))b.plain)(b.argument);
}
static int live_c11(void *memory) {
  struct thread_start b;
  intptr_t result;
  return live(&b, memory, &result) ? (int)result : ((int (*)(void *))b.plain)(b.argument);
}

/* NULL: it has to run as it is. The simulated world has one domain. */
static struct thread_start *prepare(void *start, void *argument) {
  if (ch_reactor == &ch_reactor_simulated)
    return NULL;
  void *interruptible = ch_version_of(start, NULL);
  struct thread_start *b = interruptible ? malloc(sizeof *b) : NULL;
  if (b)
    *b = (struct thread_start){(struct ch_int_result (*)(void *))interruptible, start, argument};
  return b;
}

int ch_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  struct thread_start *b = prepare((void *)start, argument);
  if (!b)
    return pthread_create(thread, attributes, start, argument);
  int error = pthread_create(thread, attributes, live_posix, b);
  if (error)
    free(b);
  return error;
}

/* ThreadSanitizer knows only pthread_create: instrumented code crashes in a thread of thrd_create. The C library's
 * thrd_create makes the same thread; see also ch_call_thrd_join. */
static int create_c11(thrd_t *thread, thrd_start_t start, void *argument) {
  if (!ch_tsan_watches())
    return thrd_create(thread, start, argument);
  switch (pthread_create(thread, NULL, (void *(*)(void *))(void *)start, argument)) {
  case 0:
    return thrd_success;
  case EAGAIN:
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

int ch_thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  struct thread_start *b = prepare((void *)start, argument);
  if (!b)
    return create_c11(thread, start, argument);
  int r = create_c11(thread, live_c11, b);
  if (r != thrd_success)
    free(b);
  return r;
}
