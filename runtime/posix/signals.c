/* Waits for signals by a signalfd, and what a thread holds for that. See signals.h. */
#define _GNU_SOURCE
#include "posix/signals.h"
#include "frames/interposed.h"
#include "reactor/runtime_descriptors.h"
#include "sched/child.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

int ch_signals_open(const sigset_t *set) {
  return ch_add_runtime_descriptor(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK));
}

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

/* What a thread holds, and for how many. Few threads do, so it is no thread-local variable. */
struct held {
  sigset_t set;
  unsigned count[_NSIG];
};
static pthread_key_t key;
static bool has_key;

static struct held *held_here(void) { return has_key ? pthread_getspecific(key) : NULL; }

static void hold_nothing(void) {
  struct held *h = held_here();
  if (!h)
    return;
  pthread_sigmask(SIG_UNBLOCK, &h->set, NULL);
  memset(h, 0, sizeof *h);
}
static void begin(void) {
  ch_child_hook(hold_nothing);
  has_key = pthread_key_create(&key, free) == 0;
}

static struct held *make_held(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, begin);
  struct held *h = held_here();
  if (h || !has_key || !(h = calloc(1, sizeof *h)))
    return h;
  if (pthread_setspecific(key, h) == 0)
    return h;
  free(h);
  return NULL;
}

void ch_signals_not_held(sigset_t *mask) {
  const struct held *h = held_here();
  for (int s = 1; h && s < _NSIG; s++)
    if (sigismember(&h->set, s) == 1)
      sigdelset(mask, s);
}

int ch_signals_hold(sigset_t *programs, sigset_t *held) {
  struct held *h = make_held();
  if (!h)
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
      sigaddset(&h->set, s);
      h->count[s]++;
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
  struct held *h = held_here();
  sigset_t free;
  sigemptyset(&free);
  for (int s = 1; s < _NSIG; s++) /* in a child of fork it has been released already */
    if (sigismember(held, s) == 1 && h->count[s] > 0 && --h->count[s] == 0) {
      sigdelset(&h->set, s);
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
  return (search ? posix_spawnp : ch_c_library.posix_spawn)(process, file, actions, &with, arguments, environment);
}
