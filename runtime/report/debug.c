/* The list of domains, with the beginning and the end of their reports, the dump on SIGQUIT, and that at the end of the
 * program. See debug.h. */
#define _GNU_SOURCE
#include "report/debug.h"
#include "activity/activity.h"
#include "frames/large.h"
#include "report/report.h"
#include "report/times.h"
#include "sched/child.h"
#include "sched/external_wakers.h"
#include "frames/settings.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only their types are needed here, by debuggers: this object tells them of all types that its headers have. */
#include "charcoal/clauses.h"
#include "activity/scope.h"
#include "reactor/operation.h"
#include "sched/native.h"

struct ch_debug *ch_debug;

/* NULL: this thread runs no domain. It is allocated, since a library that is loaded late has little thread-local
 * memory. */
static __thread struct ch_debug *own;
CH_FORK_LOCK(lock, CH_OUTER_LOCK)

/* ---- on SIGQUIT ---- */

static struct ch_debug *next_to_dump;
static unsigned signal_format;

/* One domain after the other, each on its own thread. */
static void on_signal(int signal) {
  struct ch_debug *turn = __atomic_load_n(&next_to_dump, __ATOMIC_ACQUIRE);
  if (!turn || turn != own) {
    turn = __atomic_load_n(&ch_debug, __ATOMIC_ACQUIRE);
    __atomic_store_n(&next_to_dump, turn, __ATOMIC_RELEASE);
    if (!turn)
      return;
    if (turn != own) {
      pthread_kill(turn->thread, signal);
      return;
    }
  }
  ch_dump_as(2, signal_format);
  __atomic_store_n(&next_to_dump, own->next, __ATOMIC_RELEASE);
  if (own->next)
    pthread_kill(own->next->thread, signal);
}

static void hook_signal(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  ch_add_runtime_handler(on_signal);
  sigaction(SIGQUIT, &action, NULL);
}

/* ---- at the end ---- */

/* An exit handler. It was added when the first domain began, so those that main adds have run before. */
static void tell_who_is_left(void) {
  unsigned long left = ch_domain.live - (ch_domain.current ? 1 : 0);
  if (!own || left == 0)
    return;
  fprintf(stderr,
          "charcoal: the program ends while %lu of its activities %s alive; wait for them, or spawn them into a "
          "scope\n",
          left, left == 1 ? "is" : "are");
  ch_dump_as(2, CH_DUMP_TEXT);
}

/* ---- the list ---- */

/* Only the domain that forked is there. */
static void in_child(void) {
  if (!ch_debug)
    return;
  if (own) {
    own->next = NULL;
    own->at = &ch_debug;
    own->thread = pthread_self();
  }
  ch_debug = own;
  next_to_dump = NULL;
}

void ch_debug_visit(void (*visit)(struct ch_debug *, void *), void *data) {
  pthread_mutex_lock(&lock);
  for (struct ch_debug *d = ch_debug; d; d = d->next)
    visit(d, data);
  pthread_mutex_unlock(&lock);
}

/* When the program's first domain begins. */
static void begin(void) {
  static const char *const switches[] = {"0", "1", NULL}, *const formats[] = {"0", "1", "json", "end", NULL};
  ch_settings_misspelled();
  if (ch_setting_word("CHARCOAL_CHECK", switches) == 1)
    ch_checks = 1;
  ch_child_hook(in_child);
  int format = ch_setting_word("CHARCOAL_DUMP", formats);
  if (format == 3)
    atexit(tell_who_is_left);
  else if (format > 0) {
    signal_format = format == 2 ? CH_DUMP_JSON : CH_DUMP_TEXT;
    hook_signal();
  }
}

bool ch_report_start(void) {
  static bool begun;
  own = malloc(sizeof *own);
  if (!own)
    return false;
  *own = (struct ch_debug){
      NULL,           &ch_domain, &ch_tls,   ch_heap_arenas(), ch_large_list(), ch_names_table(),
      pthread_self(), &ch_timing, &ch_debug,
  };
  pthread_mutex_lock(&lock);
  own->next = ch_debug;
  if (own->next)
    own->next->at = &own->next;
  __atomic_store_n(&ch_debug, own, __ATOMIC_RELEASE);
  bool first = !begun;
  if (first)
    begin();
  begun = true;
  pthread_mutex_unlock(&lock);
  if (first)
    ch_serve_start();
  return true;
}

void ch_debug_visit_others(void (*visit)(const struct ch_debug *)) {
  pthread_mutex_lock(&lock);
  for (const struct ch_debug *other = ch_debug; other; other = other->next)
    if (other != own)
      visit(other);
  pthread_mutex_unlock(&lock);
}

/* A dump that is on its way to this thread ends here. */
void ch_report_end(void) {
  if (!own) /* the activity has not begun */
    return;
  pthread_mutex_lock(&lock);
  __atomic_store_n(own->at, own->next, __ATOMIC_RELEASE);
  if (own->next)
    own->next->at = own->at;
  struct ch_debug *self = own;
  __atomic_compare_exchange_n(&next_to_dump, &self, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  free(own);
  own = NULL;
  ch_times_end();
}
