/* The commands of system() that run, and the waits that leave them alone. See command.h. */
#define _GNU_SOURCE
#include "posix/command.h"
#include "frames/interposed.h"
#include "posix/signals.h"
#include "frames/forks.h"
#include "frames/runtime_calls.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS, LEFT };
struct entry {
  struct ch_command command; /* process: 0: the entry is free; -1: its process is being made */
  int state;                 /* LEFT: a wait for any child has taken it */
};

/* The entries of all commands. Signal handlers look for commands, so a chunk is never freed, and entries stay. */
enum { ROOM = 256 };
struct chunk {
  struct entry entries[ROOM];
  struct chunk *next; /* NULL: there are no more; written once */
};
static struct chunk first;
CH_FORK_LOCK(lock, CH_INNER_LOCK)
static unsigned running;                               /* how many commands run; written under the lock */
static struct sigaction interrupt_before, quit_before; /* valid while `running` is not 0 */

static void begin_to_ignore(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  pthread_mutex_lock(&lock);
  if (__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED) == 0) {
    sigaction(SIGINT, &ignore, &interrupt_before);
    sigaction(SIGQUIT, &ignore, &quit_before);
  }
  pthread_mutex_unlock(&lock);
}

static void end_ignoring(void) {
  pthread_mutex_lock(&lock);
  if (__atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED) == 0) {
    sigaction(SIGINT, &interrupt_before, NULL);
    sigaction(SIGQUIT, &quit_before, NULL);
  }
  pthread_mutex_unlock(&lock);
}

/* The one after c, which is made if there is none. NULL: there is no memory. */
static struct chunk *next_chunk(struct chunk *c) {
  struct chunk *next = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE);
  if (next || !(next = calloc(1, sizeof *next)))
    return next;
  struct chunk *others = NULL;
  if (__atomic_compare_exchange_n(&c->next, &others, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return next;
  free(next);
  return others;
}

static struct entry *take_entry(void) {
  for (struct chunk *c = &first; c; c = next_chunk(c))
    for (int i = 0; i < ROOM; i++) {
      pid_t none = 0, *process = &c->entries[i].command.process;
      if (__atomic_compare_exchange_n(process, &none, -1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return &c->entries[i];
    }
  errno = ENOMEM;
  return NULL;
}

static int spawn(pid_t *process, const char *line, const sigset_t *mask) {
#if __GLIBC_PREREQ(2, 38)
  char *arguments[] = {"sh", "-c", "--", (char *)line, NULL};
#else
  char *arguments[] = {"sh", "-c", (char *)line, NULL};
#endif
  posix_spawnattr_t how;
  sigset_t usual;
  sigemptyset(&usual);
  if (interrupt_before.sa_handler != SIG_IGN)
    sigaddset(&usual, SIGINT);
  if (quit_before.sa_handler != SIG_IGN)
    sigaddset(&usual, SIGQUIT);
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, mask);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn(process, "/bin/sh", NULL, &how, arguments, environ);
  posix_spawnattr_destroy(&how);
  return error;
}

struct ch_command *ch_command_start(const char *line) {
  struct entry *e = take_entry();
  sigset_t child, mask;
  pid_t process;
  if (!e)
    return NULL;
  begin_to_ignore();
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, &mask); /* no handler comes before the process stands in the entry */
  sigset_t its = mask;
  ch_signals_not_held(&its);
  int error = spawn(&process, line, &its);
  e->state = RUNS;
  __atomic_store_n(&e->command.process, error ? 0 : process, __ATOMIC_RELEASE);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (!error)
    return &e->command;
  end_ignoring();
  errno = error;
  return NULL;
}

int ch_command_ended(struct ch_command *c, pid_t taken, int status) {
  struct entry *e = (struct entry *)c;
  bool has = taken == c->process;
  if (!has && __atomic_load_n(&e->state, __ATOMIC_ACQUIRE) == LEFT) {
    has = true;
    status = c->status;
  }
  int error = errno;
  __atomic_store_n(&c->process, 0, __ATOMIC_RELEASE);
  end_ignoring();
  errno = error;
  return has ? status : -1;
}

/* ---- waits for any child ---- */

static struct entry *find(pid_t process) {
  if (process <= 0 || __atomic_load_n(&running, __ATOMIC_RELAXED) == 0)
    return NULL;
  for (struct chunk *c = &first; c; c = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE))
    for (int i = 0; i < ROOM; i++)
      if (__atomic_load_n(&c->entries[i].command.process, __ATOMIC_ACQUIRE) == process)
        return &c->entries[i];
  return NULL;
}

/* Whether the process that a wait has just taken is a command; then its status is left to system. */
static bool is_left(pid_t taken, int status) {
  struct entry *e = WIFEXITED(status) || WIFSIGNALED(status) ? find(taken) : NULL;
  if (!e)
    return false;
  e->command.status = status;
  __atomic_store_n(&e->state, LEFT, __ATOMIC_RELEASE);
  return true;
}

/* The same for a process that waitid has found, and has taken unless `options` have WNOWAIT. */
static bool found_is_left(const siginfo_t *found, int options) {
  int status = found->si_status;
  if (found->si_code == CLD_EXITED)
    status = (status & 0xff) << 8;
  else if (found->si_code == CLD_DUMPED)
    status |= WCOREFLAG;
  else if (found->si_code != CLD_KILLED)
    return false;
  if (!(options & WNOWAIT))
    return is_left(found->si_pid, status);
  if (!find(found->si_pid))
    return false;
  /* If it is not taken here, the next look would find it again. */
  is_left((pid_t)syscall(SYS_wait4, found->si_pid, &status, WNOHANG, NULL), status);
  return true;
}

/* The function of the C library, under a name that no other library defines. */
extern pid_t __waitpid(pid_t, int *, int);

/* Where a wait lets the kernel store what it finds: in the caller's memory, so that the kernel tells of a wrong
 * address; but aside while there are commands among the children that it may find, because the caller is not told of
 * them. */
static bool stores_aside(const void *callers, bool any) {
  return !callers || (any && __atomic_load_n(&running, __ATOMIC_RELAXED) != 0);
}

CH_INTERPOSED pid_t(waitpid)(pid_t pid, int *status, int options) {
  for (int is = 0;;) {
    bool aside = stores_aside(status, pid <= 0);
    pid_t taken = __waitpid(pid, aside ? &is : status, options);
    if (pid <= 0 && taken > 0 && is_left(taken, aside ? is : *status))
      continue;
    if (taken > 0 && aside && status)
      *status = is;
    return taken;
  }
}
/* These waits can be cancelled with their thread, as in the C library, unless they return at once. */
static pid_t plain_wait4(pid_t pid, int *status, int options, struct rusage *usage) {
  if (options & WNOHANG)
    return (pid_t)syscall(SYS_wait4, pid, status, options, usage);
  int type = ch_begin_cancellation_point();
  pid_t taken = (pid_t)syscall(SYS_wait4, pid, status, options, usage);
  ch_end_cancellation_point(type);
  return taken;
}
static int plain_waitid(idtype_t which, id_t id, siginfo_t *found, int options) {
  if (options & WNOHANG)
    return (int)syscall(SYS_waitid, which, id, found, options, NULL);
  int type = ch_begin_cancellation_point();
  int r = (int)syscall(SYS_waitid, which, id, found, options, NULL);
  ch_end_cancellation_point(type);
  return r;
}

CH_INTERPOSED pid_t wait(int *status) { return waitpid(-1, status, 0); }
CH_INTERPOSED pid_t(wait4)(pid_t pid, int *status, int options, struct rusage *usage) {
  for (int is = 0;;) {
    bool aside = stores_aside(status, pid <= 0);
    pid_t taken = plain_wait4(pid, aside ? &is : status, options, usage);
    if (pid <= 0 && taken > 0 && is_left(taken, aside ? is : *status))
      continue;
    if (taken > 0 && aside && status)
      *status = is;
    return taken;
  }
}
CH_INTERPOSED pid_t wait3(int *status, int options, struct rusage *usage) { return wait4(-1, status, options, usage); }
CH_INTERPOSED int(waitid)(idtype_t which, id_t id, siginfo_t *found, int options) {
  bool any = which == P_ALL || which == P_PGID;
  for (;;) {
    siginfo_t is = {0};
    bool aside = stores_aside(found, any);
    int r = plain_waitid(which, id, aside ? &is : found, options);
    if (r == 0 && any && found_is_left(aside ? &is : found, options))
      continue;
    if (r == 0 && aside && found)
      *found = is;
    return r;
  }
}
CH_INTERPOSED_CALL(waitpid);
CH_INTERPOSED_CALL(wait4);
CH_INTERPOSED_CALL(waitid);
