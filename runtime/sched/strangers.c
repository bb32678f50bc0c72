#define _GNU_SOURCE
#include "sched/strangers.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int own_threads;
enum { HANDLERS = 8 };
static void (*own_handlers[HANDLERS])(int);

static void in_child(void) { own_threads = 0; }
static void hook(void) { pthread_atfork(NULL, NULL, in_child); }

void ch_own_thread(int by) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook);
  __atomic_add_fetch(&own_threads, by, __ATOMIC_RELAXED);
}

void ch_own_handler(void (*handler)(int)) {
  for (int i = 0; i < HANDLERS; i++) {
    void (*none)(int) = NULL;
    if (__atomic_load_n(&own_handlers[i], __ATOMIC_RELAXED) == handler ||
        __atomic_compare_exchange_n(&own_handlers[i], &none, handler, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        none == handler)
      return;
  }
}

static bool is_own(void (*handler)(int)) {
  for (int i = 0; i < HANDLERS; i++)
    if (own_handlers[i] == handler)
      return true;
  return false;
}

/* Those that tell of the running code's own faults wake nobody. */
static bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
         signal == SIGABRT || signal == SIGSYS;
}

static bool has_handler(void) {
  for (int signal = 1; signal <= SIGRTMAX; signal++) {
    struct sigaction is;
    if (is_fault(signal) || sigaction(signal, NULL, &is) < 0)
      continue;
    if (is.sa_handler != SIG_DFL && is.sa_handler != SIG_IGN && !is_own(is.sa_handler))
      return true;
  }
  return false;
}

/* The kernel's own workers of a ring, which stand among the process's threads. */
static bool is_kernels(const char *thread) {
  char path[64], name[16] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return true; /* it has ended */
  if (read(fd, name, sizeof name - 1) < 0)
    name[0] = 0;
  close(fd);
  return strncmp(name, "iou-", 4) == 0;
}

void __tsan_init(void) __attribute__((weak)); /* it has a thread of its own */

static bool has_thread(void) {
  DIR *all = opendir("/proc/self/task");
  int others = -1 - __atomic_load_n(&own_threads, __ATOMIC_RELAXED) - (__tsan_init != NULL);
  if (!all)
    return false;
  for (struct dirent *e; (e = readdir(all));)
    if (e->d_name[0] != '.' && !is_kernels(e->d_name))
      others++;
  closedir(all);
  return others > 0;
}

bool ch_has_strangers(void) { return has_handler() || has_thread(); }
