/* The report of a deadlock: a circle of activities that wait for each other, and a dump of the domain, or of all of
 * them if all have come to a stand. No domain runs any more, so one thread may read what belongs to the others. */
#define _GNU_SOURCE
#include "activity/activity.h"
#include "frames/runtime_calls.h"
#include "posix/locks/holder.h"
#include "report/debug.h"
#include "report/dump.h"
#include "report/text.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

extern __typeof__(ch_lock_reported) ch_lock_reported __attribute__((weak)); /* it is on a floor above */

/* Who alone could end its wait: it waits for the end of that activity, or for one thing, which that activity has. */
static const struct ch_branch *blocker(const struct ch_branch *b) {
  struct ch_about about;
  struct ch_lock_report lock;
  if (ch_about_wait(b, 1, &about))
    return NULL;
  const struct ch_branch *awaited = ch_about_activity(b);
  if (awaited)
    return awaited;
  if (ch_lock_reported && ch_lock_reported(b, &lock) && lock.holder)
    return lock.holder;
  return ch_about_wait(b, 0, &about) ? about.holder : NULL;
}

/* Whether those who wait for each other lead from b back to it. */
static bool is_in_circle(const struct ch_branch *b) {
  enum { LONGEST = 1000 };
  const struct ch_branch *at = blocker(b);
  for (int n = 0; at && at != b && n < LONGEST; n++)
    at = blocker(at);
  return at == b;
}

/* The branch's name; NULL: it has none. It may belong to any domain, for all of them sleep. */
static const char *name_in_any_domain(const struct ch_branch *b) {
  for (const struct ch_debug *d = ch_debug; d; d = d->next) {
    const char *name = ch_name_in(*d->names, b);
    if (name || d->domain->first == b)
      return name ? name : d->domain->is_program ? "main" : "the thread's first";
  }
  return NULL;
}

/* The innermost place of its code that is known. */
static void put_innermost_place(struct ch_writer *o, const struct ch_branch *b) {
  struct ch_spot spot;
  for (const struct ch_frame *f = b->top; f && !ch_is_chain_end(f); f = f->parent)
    for (unsigned n = 0; ch_about_frame(f->info, f->point, n, &spot); n++)
      if (spot.file) {
        ch_text_place(o, &spot);
        return;
      }
}

static void put_member(struct ch_writer *o, const struct ch_branch *b) {
  const char *name = name_in_any_domain(b);
  ch_put(o, "activity ");
  ch_put_pointer(o, b);
  if (name) {
    ch_put(o, " \"");
    ch_put(o, name);
    ch_put(o, "\"");
  }
}

/* The wait of a member of a circle, which the next one alone could end. */
static void put_wait_in_circle(struct ch_writer *o, const struct ch_branch *b, const struct ch_branch *next) {
  struct ch_about about;
  if (ch_about_activity(b)) {
    ch_put(o, " waits for the end of ");
    put_member(o, next);
    ch_put(o, "\n");
    return;
  }
  if (ch_about_wait(b, 0, &about)) {
    ch_put(o, " waits for ");
    ch_put(o, about.what);
    ch_text_object(o, b, &about);
  }
  ch_put(o, ", which ");
  put_member(o, next);
  ch_put(o, " has\n");
}

static bool circle_told; /* a circle was reported; one is enough */

/* If the activity is in a circle. Its members may belong to several domains. */
static void put_circle(struct ch_branch *first, void *to) {
  struct ch_writer *o = to;
  if (circle_told || !is_in_circle(first))
    return;
  const struct ch_branch *at = first;
  circle_told = true;
  ch_put(o, "charcoal: a circle of waits:\n");
  do {
    const struct ch_branch *next = blocker(at);
    ch_put(o, "  ");
    put_member(o, at);
    put_innermost_place(o, at);
    put_wait_in_circle(o, at, next);
    at = next;
  } while (at != first);
}

/* Of this domain's activities. */
static void put_circle_from_here(void) {
  struct ch_writer o = CH_WRITER(2);
  ch_dump_activities(put_circle, &o);
  ch_put_end(&o);
}

static int dumped;
static struct ch_domain *asked; /* NULL: it dumps itself, or has been given up */
static bool take_request(struct ch_domain *from) {
  return __atomic_compare_exchange_n(&asked, &from, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
static void dumps_here(int signal) {
  (void)signal;
  if (!take_request(&ch_domain))
    return; /* it comes late: another domain has been asked */
  put_circle_from_here();
  ch_dump(2);
  __atomic_store_n(&dumped, 1, __ATOMIC_RELEASE);
}

/* Lets a domain that sleeps dump itself, on its own thread; one that has not begun within a second is left out. */
static void dump_other(struct ch_debug *d, void *unused) {
  char name[32] = "";
  (void)unused;
  if (d->domain == &ch_domain || d->domain->live == 0)
    return;
  pthread_getname_np(d->thread, name, sizeof name);
  dprintf(2, "charcoal: in another domain, of the thread \"%s\":\n", name);
  __atomic_store_n(&dumped, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&asked, d->domain, __ATOMIC_RELEASE);
  if (pthread_kill(d->thread, SIGQUIT) != 0)
    return;
  for (int ms = 0; !__atomic_load_n(&dumped, __ATOMIC_ACQUIRE); ms++) {
    if (ms >= 1000 && take_request(d->domain))
      return; /* it has not begun */
    ch_runtime_sleep(&(struct timespec){0, 1000000});
  }
}

static void dump_others(void) {
  struct sigaction action = {.sa_handler = dumps_here, .sa_flags = SA_RESTART};
  sigaction(SIGQUIT, &action, NULL);
  ch_debug_visit(dump_other, NULL);
}

void ch_dump_deadlock(bool of_all) {
  put_circle_from_here();
  ch_dump(2);
  if (of_all)
    dump_others();
}
