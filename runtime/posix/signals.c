/* Waits for signals by a signalfd. See signals.h. */
#define _GNU_SOURCE
#include "posix/signals.h"
#include <errno.h>
#include <pthread.h>
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

void ch_signals_hold(sigset_t *before, sigset_t *held) {
  sigemptyset(held);
  pthread_sigmask(SIG_SETMASK, NULL, before);
  for (int s = 1; s < _NSIG; s++) {
    struct sigaction a;
    if (sigismember(before, s) == 0 && sigaction(s, NULL, &a) == 0 &&
        (a.sa_flags & SA_SIGINFO || (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN)) && s != SIGSEGV &&
        s != SIGBUS && s != SIGFPE && s != SIGILL && s != SIGTRAP && s != SIGABRT)
      sigaddset(held, s);
  }
  pthread_sigmask(SIG_BLOCK, held, NULL);
}

int ch_signals_deliver(const sigset_t *mask) {
  struct timespec none = {0, 0};
  return ppoll(NULL, 0, &none, mask) < 0 && errno == EINTR;
}

void ch_signals_release(const sigset_t *held) { pthread_sigmask(SIG_UNBLOCK, held, NULL); }
