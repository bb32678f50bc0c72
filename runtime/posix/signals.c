/* Waits for signals by a signalfd, and what a thread holds for that. See signals.h. */
#define _GNU_SOURCE
#include "posix/signals.h"
#include "sched/child.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

int ch_signals_open(const sigset_t *set) { return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK); }

int ch_signals_let_through(const sigset_t *mask, sigset_t *through) {
  sigset_t now;
  int any = 0;
  sigemptyset(through);
  if (!mask)
    return 0;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  for (int s = 1; s < _NSIG; s++)
    if (sigismember(&now, s) == 1 && sigismember(mask, s) == 0) {
      sigaddset(through, s);
      any = 1;
    }
  return any;
}

/* What this thread holds, and for how many. NULL: it has held nothing yet. */
static __thread struct held {
  sigset_t set;
  unsigned count[_NSIG];
} *held_here;

static void hold_nothing(void) {
  if (!held_here)
    return;
  pthread_sigmask(SIG_UNBLOCK, &held_here->set, NULL);
  memset(held_here, 0, sizeof *held_here);
}
static void hook(void) { ch_child_hook(hold_nothing); }

void ch_signals_not_held(sigset_t *mask) {
  for (int s = 1; held_here && s < _NSIG; s++)
    if (sigismember(&held_here->set, s) == 1)
      sigdelset(mask, s);
}

int ch_signals_hold(sigset_t *programs, sigset_t *held) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook);
  if (!held_here && !(held_here = calloc(1, sizeof *held_here)))
    return errno = ENOMEM, -1;
  sigemptyset(held);
  pthread_sigmask(SIG_SETMASK, NULL, programs);
  ch_signals_not_held(programs);
  for (int s = 1; s < _NSIG; s++) {
    struct sigaction a;
    if (sigismember(programs, s) == 0 && sigaction(s, NULL, &a) == 0 &&
        (a.sa_flags & SA_SIGINFO || (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN)) && s != SIGSEGV &&
        s != SIGBUS && s != SIGFPE && s != SIGILL && s != SIGTRAP && s != SIGABRT) {
      sigaddset(held, s);
      sigaddset(&held_here->set, s);
      held_here->count[s]++;
    }
  }
  pthread_sigmask(SIG_BLOCK, held, NULL);
  return 0;
}

int ch_signals_deliver(const sigset_t *mask) {
  struct timespec none = {0, 0};
  return ppoll(NULL, 0, &none, mask) < 0 && errno == EINTR;
}

void ch_signals_release(const sigset_t *held) {
  sigset_t free;
  sigemptyset(&free);
  for (int s = 1; s < _NSIG; s++) /* in a child of fork it has been released already */
    if (sigismember(held, s) == 1 && held_here->count[s] > 0 && --held_here->count[s] == 0) {
      sigdelset(&held_here->set, s);
      sigaddset(&free, s);
    }
  pthread_sigmask(SIG_UNBLOCK, &free, NULL);
}

int ch_plain_spawn(bool search, pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                   const posix_spawnattr_t *how, char *const arguments[], char *const environment[]) {
  posix_spawnattr_t with;
  short flags = 0;
  sigset_t mask;
  if (how)
    with = *how;
  else
    posix_spawnattr_init(&with);
  posix_spawnattr_getflags(&with, &flags);
  if (!(flags & POSIX_SPAWN_SETSIGMASK)) {
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    ch_signals_not_held(&mask);
    posix_spawnattr_setsigmask(&with, &mask);
    posix_spawnattr_setflags(&with, (short)(flags | POSIX_SPAWN_SETSIGMASK));
  }
  return (search ? posix_spawnp : posix_spawn)(process, file, actions, &with, arguments, environment);
}
