/* Starts threads of the runtime. See runtime_thread.h. */
#define _GNU_SOURCE
#include "sched/runtime_thread.h"
#include "sched/external_wakers.h"
#include <limits.h>
#include <link.h>
#include <signal.h>

static int add_segments(struct dl_phdr_info *module, size_t unused, void *sum) {
  (void)unused;
  for (unsigned i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_TLS)
      *(size_t *)sum += module->dlpi_phdr[i].p_memsz + module->dlpi_phdr[i].p_align;
  return 0;
}

/* The thread-local variables of all modules with which the program begins, for which the C library takes room from each
 * thread's stack. They are measured once, because dl_iterate_phdr takes a lock that another thread may have at a fork.
 */
static size_t thread_locals;
__attribute__((constructor(101))) static void measure(void) { dl_iterate_phdr(add_segments, &thread_locals); }

int ch_runtime_thread(pthread_t *thread, bool detached, size_t stack, void *(*run)(void *), void *argument) {
  pthread_attr_t attributes;
  sigset_t all, old;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  if (detached)
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack) {
    size_t least = (size_t)PTHREAD_STACK_MIN > stack ? (size_t)PTHREAD_STACK_MIN : stack;
    pthread_attr_setstacksize(&attributes, least + thread_locals);
  }
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(thread, &attributes, run, argument);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (!error)
    ch_count_runtime_thread(+1);
  return error;
}
