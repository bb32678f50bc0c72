/* Counts the threads, signal handlers and domains that could end a wait. See external_wakers.h. */
#define _GNU_SOURCE
#include "sched/external_wakers.h"
#include "charcoal.h"
#include "frames/forks.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "reactor/inbox.h"
#include "sched/child.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int runtime_threads;
enum { HANDLERS = 8 };
static void (*runtime_handlers[HANDLERS])(int);

void ch_count_runtime_thread(int by) { __atomic_add_fetch(&runtime_threads, by, __ATOMIC_RELAXED); }

void ch_add_runtime_handler(void (*handler)(int)) {
  for (int i = 0; i < HANDLERS; i++) {
    void (*none)(int) = NULL;
    if (__atomic_load_n(&runtime_handlers[i], __ATOMIC_RELAXED) == handler ||
        __atomic_compare_exchange_n(&runtime_handlers[i], &none, handler, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        none == handler)
      return;
  }
}

static bool is_own(void (*handler)(int)) {
  for (int i = 0; i < HANDLERS; i++)
    if (runtime_handlers[i] == handler)
      return true;
  return false;
}

/* Handlers of signals that report faults of the running code wake nobody. */
static bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
         signal == SIGABRT || signal == SIGSYS;
}

bool ch_program_handles(int signal) {
  struct sigaction is;
  return sigaction(signal, NULL, &is) == 0 && is.sa_handler != SIG_DFL && is.sa_handler != SIG_IGN &&
         !is_own(is.sa_handler);
}

static bool has_handler(void) {
  for (int signal = 1; signal <= SIGRTMAX; signal++)
    if (!is_fault(signal) && ch_program_handles(signal))
      return true;
  return false;
}

/* Whether it is one of the kernel's own workers for a ring, which are listed among the process's threads. */
static bool is_kernels(const char *thread) {
  char path[64], name[16] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT || errno == ESRCH; /* the thread has ended; or it cannot be told whose it is */
  if (read(fd, name, sizeof name - 1) < 0)
    name[0] = 0;
  close(fd);
  return strncmp(name, "iou-", 4) == 0;
}

void __tsan_init(void) __attribute__((weak)); /* ThreadSanitizer has a thread, and in a child of fork a second one */
static bool is_child;

/* How many threads the process has, the kernel's workers among them; 0: that cannot be told. It takes no descriptor. */
static int count_threads(void) {
  struct stat all;
  return stat("/proc/self/task", &all) < 0 || all.st_nlink < 2 ? 0 : (int)all.st_nlink - 2;
}

/* Whether there may be a thread besides those of the runtime and of that many domains. If a thread ends while the
 * kernel makes its list, the list may end early. Then it is shorter than the number of threads, and a thread that was
 * not listed may exist. Where there is no descriptor for the list, the kernel's workers cannot be told apart. */
static bool has_thread(int domains) {
  CH_NO_CANCELLATION;
  int threads = count_threads(), listed = 0;
  DIR *all = opendir("/proc/self/task");
  int others = -domains - __atomic_load_n(&runtime_threads, __ATOMIC_RELAXED) - (__tsan_init ? 1 + is_child : 0);
  if (!all)
    return threads == 0 || threads + others > 0;
  for (struct dirent *e; (e = readdir(all));) {
    if (e->d_name[0] == '.')
      continue;
    listed++;
    if (!is_kernels(e->d_name))
      others++;
  }
  closedir(all);
  return others > 0 || listed < threads;
}

/* ---- domains ---- */

/* A domain stands if `stands` is set, it sleeps, and its inbox is empty. It sets `stands` before it sleeps, and when it
 * is woken it stops sleeping before it opens its letters. Each domain checks again every second, so it does not matter
 * which one was the last. All others stand at the same time if they do so at two looks, and none of them has become
 * awake in between. */
struct stand {
  struct stand *next, **at; /* `at`: what points to this one */
  struct ch_inbox *inbox;   /* valid while the domain stands */
  bool stands;              /* written by the domain's thread */
};
static __thread struct stand own;
static struct stand *all; /* protected by the lock, as the next one is */
static uint64_t ended;    /* how many domains have ended */
CH_FORK_LOCK(lock, CH_INNER_LOCK)
unsigned ch_domains_alive, ch_domains_awake;

static void forked(void) {
  runtime_threads = 0;
  is_child = true;
  own.next = NULL;
  own.at = all ? &all : NULL;
  all = all ? &own : NULL;
  ch_domains_alive = ch_domains_awake = all != NULL;
}

static void hook(void) { ch_child_hook(forked); }

void ch_external_wakers_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  pthread_mutex_lock(&lock);
  own = (struct stand){.next = all, .at = &all};
  if (all)
    all->at = &own.next;
  all = &own;
  __atomic_add_fetch(&ch_domains_alive, 1, __ATOMIC_RELAXED);
  ch_domain_wakes();
  pthread_mutex_unlock(&lock);
}

void ch_external_wakers_end(void) {
  pthread_mutex_lock(&lock);
  if (own.at) {
    *own.at = own.next;
    if (own.next)
      own.next->at = own.at;
    own.at = NULL;
    ended++;
    __atomic_sub_fetch(&ch_domains_alive, 1, __ATOMIC_RELAXED);
    ch_domain_sleeps();
  }
  pthread_mutex_unlock(&lock);
}

/* If they do: how many domains there are, and how often the others have become awake, all together. A domain that ends
 * counts as well: its thread may go on without a domain. */
static bool others_stand(int *domains, uint64_t *wakings) {
  bool stand = true;
  *domains = 0;
  pthread_mutex_lock(&lock);
  *wakings = ended;
  for (struct stand *s = all; s && stand; s = s->next) {
    uint32_t its_wakings = 0;
    ++*domains;
    if (s != &own && !(__atomic_load_n(&s->stands, __ATOMIC_ACQUIRE) && ch_inbox_stands(s->inbox, &its_wakings)))
      stand = false;
    *wakings += its_wakings;
  }
  pthread_mutex_unlock(&lock);
  return stand;
}

void ch_awake(void) { __atomic_store_n(&own.stands, false, __ATOMIC_RELAXED); }

#define BETWEEN_LOOKS INT64_C(1000000000)

bool ch_may_be_woken(int64_t *until) {
  static __thread int64_t looked;
  static __thread bool found;
  int domains, saved = errno;
  uint64_t before, after;
  int64_t now = ch_now();
  *until = now + BETWEEN_LOOKS;
  own.inbox = ch_inbox_here();
  if (!own.inbox)
    return errno = saved, false;
  __atomic_store_n(&own.stands, true, __ATOMIC_RELEASE);
  if (!others_stand(&domains, &before))
    return errno = saved, true;
  if (!found || now - looked >= BETWEEN_LOOKS) { /* the search takes a few hundred system calls */
    found = has_handler() || has_thread(domains);
    looked = now;
    /* A thread that ended during the search, or before it, may have woken another domain, and that one a third. */
    if (!found && (!others_stand(&domains, &after) || after != before))
      return errno = saved, true;
  }
  errno = saved;
  if (!found)
    ch_awake(); /* the domain does not sleep: it opens a letter that has just come, or it reports a deadlock */
  return found;
}
