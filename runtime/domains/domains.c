/* Sets of domains (charcoal/domains.h), in Charcoal C. Each member is an ordinary domain whose first activity, the
 * keeper, waits until the set is ended. */
#define _GNU_SOURCE
#include "charcoal.h"
#include "sched/task.h"
#include <charcoal/dialect.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct one {
  ch_domains *set;
  ch_thread thread;
  ch_waiter ready, stop;
  struct ch_inbox *inbox; /* NULL when the domain is ready: there was no memory for one */
  struct ch_letter cancel, end; /* posted in this order, after all activities that were spawned into the domain */
  int index, processor; /* processor -1: any */
  bool ending;          /* set before the domain ends; once set, nothing is spawned into it */
  unsigned spawning;    /* how many calls have found `ending` false and may not have posted yet */
};

struct ch_domains {
  unsigned n, next; /* next: the index of the domain that CH_ANY_DOMAIN means next */
  char name[12];
  struct one all[];
};

static __thread struct one *here; /* this domain; NULL: it belongs to no set */

int ch_domain_index(void) { return here ? here->index : -1; }
unsigned ch_domains_count(const ch_domains *d) { return d->n; }

/* ---- begin ---- */

static void set_up_thread(const struct one *o) {
  char name[16];
  snprintf(name, sizeof name, "%.11s-%u", o->set->name, (unsigned)o->index % 1000);
  pthread_setname_np(pthread_self(), name);
  ch_set_name(name);
  if (o->processor >= 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(o->processor, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  }
}

static void keep(void *argument) {
  struct one *o = argument;
  here = o;
  set_up_thread(o);
  o->inbox = ch_inbox_here();
  bool stays = o->inbox != NULL;
  ch_waiter_schedule(&o->ready);
  if (stays)
    ch_waiter_suspend(&o->stop);
}

/* The number of a processor for each of n; the caller's own mask, from its lowest on, again and again. */
static void choose_processors(ch_domains *d) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
    return;
  int cpu = -1;
  for (unsigned i = 0; i < d->n; i++) {
    do
      cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, &allowed));
    d->all[i].processor = cpu;
  }
}

static void end_some(ch_domains *d, unsigned n, unsigned flags);

ch_domains *ch_domains_start(unsigned n, const struct ch_domains_how *how) {
  ch_domains *d = n == 0 || n > 65536 ? NULL : calloc(1, sizeof *d + n * sizeof *d->all);
  if (!d)
    return errno = n == 0 || n > 65536 ? EINVAL : ENOMEM, NULL;
  d->n = n;
  snprintf(d->name, sizeof d->name, "%s", how && how->name ? how->name : "charcoal");
  for (unsigned i = 0; i < n; i++) {
    d->all[i].set = d;
    d->all[i].index = (int)i;
    d->all[i].processor = -1;
  }
  if (how && how->pinned)
    choose_processors(d);
  unsigned started = 0;
  int error = 0;
  while (!error && started < n) {
    struct one *o = &d->all[started];
    error = ch_domain_start(&o->thread, keep, o);
    started += !error;
  }
  for (unsigned i = 0; i < started; i++) {
    ch_waiter_suspend(&d->all[i].ready);
    if (!d->all[i].inbox)
      error = ENOMEM;
  }
  if (!error)
    return d;
  end_some(d, started, 0);
  free(d);
  return errno = error, NULL;
}

/* ---- tasks ---- */

static void run(ch_task *t) {
  ch_task_begins(t);
  ch_task_ends(t, t->fn(t->argument));
}
static void spawn(ch_task *t) { activate run(t); }

ch_task *ch_domain_spawn(ch_domains *d, unsigned which, intptr_t (*fn)(void *), void *argument) {
  if (which == CH_ANY_DOMAIN)
    which = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED) % d->n;
  if (which >= d->n)
    return errno = EINVAL, NULL;
  struct one *o = &d->all[which];
  ch_task *t = ch_task_new(o->inbox, fn, argument);
  if (!t)
    return errno = ENOMEM, NULL;
  bool posted = false;
  atomic { /* the thread that ends the domain waits until `spawning` is 0 */
    __atomic_add_fetch(&o->spawning, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&o->ending, __ATOMIC_SEQ_CST)) {
      ch_task_post(t, spawn);
      posted = true;
    }
    __atomic_sub_fetch(&o->spawning, 1, __ATOMIC_SEQ_CST);
  }
  if (posted)
    return t;
  free(t);
  return errno = ESHUTDOWN, NULL;
}

int ch_task_join(ch_task *t, intptr_t *result) {
  if (ch_task_is_current(t))
    return EDEADLK;
  int error = ch_waiter_wait(&t->ended);
  if (error)
    return error;
  if (result)
    *result = t->result;
  ch_task_release(t);
  return 0;
}

/* Runs fn in one of them and waits for it, also when cancelled: what it works on is the caller's. */
static int ask(ch_domains *d, unsigned which, intptr_t (*fn)(void *), void *argument) {
  if (ch_cancelled())
    return ECANCELED;
  int saved = errno, error = 0;
  ch_task *t = ch_domain_spawn(d, which, fn, argument);
  if (t) {
    noncancellable error = ch_task_join(t, NULL);
  } else {
    error = errno;
  }
  errno = saved;
  return error;
}

int ch_domains_each(ch_domains *d, intptr_t (*fn)(void *), void *argument) {
  int first = 0;
  for (unsigned i = 0; i < d->n; i++) {
    int error = ask(d, i, fn, argument);
    first = first ? first : error;
  }
  return first;
}

/* ---- looking inside ---- */

static intptr_t take_stats(void *to) { return ch_stats(to), 0; }

int ch_domains_stats(ch_domains *d, unsigned which, struct ch_stats *sum) {
  struct ch_stats one;
  if (which != CH_ANY_DOMAIN)
    return ask(d, which, take_stats, sum);
  memset(sum, 0, sizeof *sum);
  for (unsigned i = 0; i < d->n; i++) {
    int error = ask(d, i, take_stats, &one);
    if (error)
      return error;
    _Static_assert(sizeof one % sizeof(uint64_t) == 0, "it is numbers only");
    for (size_t k = 0; k < sizeof one / sizeof(uint64_t); k++)
      ((uint64_t *)sum)[k] += ((const uint64_t *)&one)[k];
  }
  return 0;
}

static intptr_t dump_one(void *fd) {
  dprintf((int)(intptr_t)fd, "charcoal: domain %s-%d\n", here->set->name, here->index);
  ch_dump((int)(intptr_t)fd);
  return 0;
}

int ch_domains_dump(ch_domains *d, int fd) {
  int error = 0;
  for (unsigned i = 0; i < d->n && !error; i++)
    error = ask(d, i, dump_one, (void *)(intptr_t)fd);
  return error;
}

/* ---- end ---- */

static void cancel_opened(struct ch_letter *letter) {
  (void)letter;
  ch_domain_cancel_all();
}

static void end_opened(struct ch_letter *letter) {
  ch_waiter_schedule(&((struct one *)((char *)letter - offsetof(struct one, end)))->stop);
}

static void end_some(ch_domains *d, unsigned n, unsigned flags) {
  for (unsigned i = 0; i < n; i++) {
    struct one *o = &d->all[i];
    __atomic_store_n(&o->ending, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&o->spawning, __ATOMIC_SEQ_CST) != 0)
      sched_yield(); /* another thread has only a few instructions to execute */
    if (flags & CH_DOMAINS_CANCEL && o->inbox) {
      o->cancel.open = cancel_opened;
      ch_inbox_post(o->inbox, &o->cancel);
    }
    o->end.open = end_opened;
    if (o->inbox)
      ch_inbox_post(o->inbox, &o->end);
    noncancellable ch_domain_join(&o->thread);
  }
}

int ch_domains_end(ch_domains *d, unsigned flags) {
  if (here && here->set == d)
    return EDEADLK;
  end_some(d, d->n, flags);
  free(d);
  return 0;
}
