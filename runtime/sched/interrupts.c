/* The choice of the signal that interrupts, and its handler. See interrupts.h. */
#define _GNU_SOURCE
#include "sched/interrupts.h"
#include "frames/forks.h"
#include "frames/interposed.h"
#include "sched/external_wakers.h"
#include <pthread.h>
#include <stddef.h>

CH_FORK_LOCK(lock, CH_INNER_LOCK)
static unsigned begun; /* how many have begun and not ended */

static void nothing(int signal) { (void)signal; }

static bool has_handler(const struct sigaction *is, void (*handler)(int)) {
  return !(is->sa_flags & SA_SIGINFO) && is->sa_handler == handler;
}

static bool interrupts(int signal) {
  struct sigaction is;
  return sigaction(signal, NULL, &is) == 0 && has_handler(&is, nothing);
}

static bool is_free(int signal) {
  struct sigaction is;
  return sigaction(signal, NULL, &is) == 0 && (has_handler(&is, nothing) || has_handler(&is, SIG_DFL));
}

int ch_interrupt_signal(void) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return !sigismember(&mask, SIGURG) && is_free(SIGURG) ? SIGURG : is_free(SIGRTMAX - 1) ? SIGRTMAX - 1 : 0;
}

/* The lock is taken. */
static bool install(int signal) {
  struct sigaction is, ours = {.sa_handler = nothing};
  if (interrupts(signal))
    return true;
  ch_add_runtime_handler(nothing);
  return sigaction(signal, NULL, &is) == 0 && has_handler(&is, SIG_DFL) && sigaction(signal, &ours, NULL) == 0;
}

static void uninstall(void) {
  const struct sigaction as_before = {.sa_handler = SIG_DFL};
  begun = 0;
  if (interrupts(SIGURG))
    sigaction(SIGURG, &as_before, NULL);
}

/* Whoever has begun in the parent is not there, or is in a handler of the program that has interrupted a sleep. */
static void in_child(void) {
  if (begun > 0)
    uninstall();
}
static void hook(void) { ch_child_hook(in_child); }

bool ch_interrupts_begin(int signal) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  pthread_mutex_lock(&lock);
  bool installed = install(signal);
  begun += installed;
  pthread_mutex_unlock(&lock);
  return installed;
}

bool ch_interrupts_still(int signal) {
  pthread_mutex_lock(&lock);
  bool installed = install(signal);
  pthread_mutex_unlock(&lock);
  return installed;
}

void ch_interrupts_end(void) {
  pthread_mutex_lock(&lock);
  if (begun > 0 && --begun == 0)
    uninstall();
  pthread_mutex_unlock(&lock);
}
