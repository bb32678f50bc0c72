/* Notes how long branches run, wait and are ready. times.h has the invariant. */
#define _GNU_SOURCE
#include "report/times.h"
#include "frames/forks.h"
#include "frames/interposed.h"
#include "report/about.h"
#include "report/watch.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread struct ch_timing *ch_timing;

int64_t ch_times_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A bucket holds what is shorter than 2^n us. */
static void count(uint64_t *buckets, int64_t ns) {
  unsigned n = 0;
  for (uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0; us && n < CH_BUCKETS - 1; us >>= 1)
    n++;
  buckets[n]++;
}

/* ---- branches ---- */

static struct ch_times *const *bucket(const struct ch_timing *t, const struct ch_branch *b) {
  return &t->branches[((uintptr_t)b >> 3) % (sizeof t->branches / sizeof *t->branches)];
}

const struct ch_times *ch_times_find(const struct ch_timing *t, const struct ch_branch *b) {
  const struct ch_times *k = *bucket(t, b);
  while (k && k->branch != b)
    k = k->next;
  return k;
}

/* NULL: no memory. */
static struct ch_times *times_of(struct ch_timing *t, const struct ch_branch *b) {
  struct ch_times *k = (struct ch_times *)ch_times_find(t, b);
  struct ch_times **at = (struct ch_times **)bucket(t, b);
  if (k || !(k = malloc(sizeof *k)))
    return k;
  *k = (struct ch_times){.next = *at, .branch = b};
  __atomic_store_n(at, k, __ATOMIC_RELEASE); /* a dump may read it in a signal handler */
  return k;
}

static void forget(struct ch_timing *t, const struct ch_branch *b) {
  struct ch_times **at = (struct ch_times **)bucket(t, b), *k;
  while ((k = *at) && k->branch != b)
    at = &k->next;
  if (k) {
    *at = k->next;
    free(k);
  }
  if (t->stamped == b)
    t->stamped = NULL;
}

/* Whoever has joined the queue since the last look is ready from now on. */
static void stamp_ready(struct ch_timing *t, int64_t now) {
  const struct ch_group *g = ch_domain.group;
  if (!g || !g->head)
    return;
  const struct ch_branch *b = t->stamped ? (const struct ch_branch *)t->stamped->link.next : g->head;
  for (; b; b = (const struct ch_branch *)b->link.next) {
    struct ch_times *k = times_of(t, b);
    if (k && !k->ready)
      k->ready = now;
    t->stamped = b;
  }
}

/* ---- places ---- */

#define MOST_PLACES 20000

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29); }

static struct ch_tally *place_of(struct ch_timing *t, const struct ch_tally *wanted) {
  struct ch_tally **at = &t->places[wanted->hash % (sizeof t->places / sizeof *t->places)], *p;
  for (p = *at; p; p = p->next)
    if (p->hash == wanted->hash)
      return p;
  if (t->distinct >= MOST_PLACES || !(p = malloc(sizeof *p)))
    return NULL;
  *p = *wanted;
  p->next = *at;
  t->distinct++;
  return *at = p;
}

static void note(struct ch_timing *t, struct ch_tally *p, unsigned count, int64_t ns, int64_t ready_ns) {
  uint64_t hash = mix(mix(mix(p->depth, (uintptr_t)p->site), (uintptr_t)p->what), (uintptr_t)p->object);
  for (unsigned i = 0; i < p->depth; i++)
    hash = mix(mix(hash, (uintptr_t)p->frames[i].info), p->frames[i].point);
  p->hash = hash;
  struct ch_tally *own = place_of(t, p);
  if (!own)
    return;
  own->count += count;
  own->ns += ns;
  own->ready_ns += ready_ns;
}

static void note_wait(struct ch_timing *t, const struct ch_times *k, int64_t ns) {
  struct ch_tally p = {.site = k->site, .what = k->what, .object = k->object};
  for (const struct ch_frame *f = k->branch->top; f && !ch_is_chain_end(f) && p.depth < CH_PLACE_FRAMES; f = f->parent)
    if (f->info->name && f->info->points) { /* the compiler has made it, so it exists as long as the program's code */
      p.frames[p.depth].info = f->info;
      p.frames[p.depth++].point = f->point;
    }
  note(t, &p, 1, ns, 0);
}

/* ---- what happens ---- */

/* Of a wait that has just begun: the branch is the last on its list. */
static void look_at_wait(const struct ch_branch *b, struct ch_about *about) {
  if (b->state == CH_WAITING && b->what == CH_ON_SEMAPHORE)
    *about = (struct ch_about){.what = "semaphore", .object = (char *)b->link.next - offsetof(ch_sem, waiters)};
  else
    ch_about_wait(b, 0, about);
}

static void locked(struct ch_timing *t) { pthread_mutex_lock(&t->lock); }
static void unlocked(struct ch_timing *t) { pthread_mutex_unlock(&t->lock); }

void ch_times_spawned(struct ch_branch *b, const char *site) {
  struct ch_timing *t = ch_timing;
  locked(t);
  forget(t, b);
  struct ch_times *k = times_of(t, b);
  if (k) {
    k->site = site;
    k->since = k->ready = ch_times_now();
  }
  unlocked(t);
}

void ch_times_split(const struct ch_branch *from, const struct ch_branch *to) {
  struct ch_timing *t = ch_timing;
  locked(t);
  forget(t, to);
  struct ch_times *k = times_of(t, to), *old = times_of(t, from);
  struct ch_about about;
  if (k && old) {
    look_at_wait(to, &about);
    k->site = old->site;
    k->since = ch_times_now();
    k->what = about.what;
    k->object = about.object;
  }
  unlocked(t);
}

void ch_times_branch_ends(const struct ch_branch *b) {
  locked(ch_timing);
  forget(ch_timing, b);
  unlocked(ch_timing);
}

void ch_times_run_begins(struct ch_branch *b) {
  struct ch_timing *t = ch_timing;
  locked(t);
  int64_t now = ch_times_now();
  if (t->stamped == b)
    t->stamped = NULL;
  stamp_ready(t, now);
  struct ch_times *k = times_of(t, b);
  if (k) {
    int64_t ready = k->ready ? k->ready : now;
    if (k->what && k->since) {
      count(t->wait, ready - k->since);
      note_wait(t, k, ready - k->since);
    }
    count(t->ready, now - ready);
    struct ch_tally runs = {.site = k->site};
    note(t, &runs, 0, 0, now - ready);
    k->what = NULL;
    k->ready = 0;
    k->since = now;
  }
  t->running = b;
  t->began = now;
  unlocked(t);
}

void ch_times_run_ends(void) {
  struct ch_timing *t = ch_timing;
  struct ch_branch *b = t->running;
  if (!b)
    return;
  locked(t);
  int64_t now = ch_times_now();
  struct ch_times *k = times_of(t, b);
  struct ch_about about;
  t->running = NULL;
  count(t->run, now - t->began);
  if (k) {
    struct ch_tally runs = {.site = k->site};
    note(t, &runs, 1, now - t->began, 0);
    k->since = now;
    if (b->state == CH_WAITING || b->state == CH_SELECTING) {
      look_at_wait(b, &about);
      k->what = about.what;
      k->object = about.object;
    }
  }
  stamp_ready(t, now);
  unlocked(t);
}

/* ---- begin and end ---- */

static bool asked_for(const char *name) {
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

/* Another thread may have held the lock: the child notes nothing. */
static void in_child(void) { ch_timing = NULL; }
static void hook_fork(void) { ch_child_hook(in_child); }
static pthread_once_t hooked = PTHREAD_ONCE_INIT;

void ch_times_start(void) {
  if (ch_timing || !(asked_for("CHARCOAL_DUMP") || asked_for("CHARCOAL_STATS") || asked_for("CHARCOAL_DEBUG")))
    return;
  ch_library_once(&hooked, hook_fork);
  struct ch_timing *t = calloc(1, sizeof *t);
  if (t)
    pthread_mutex_init(&t->lock, NULL);
  ch_timing = t; /* NULL if there is no memory; then nothing is recorded */
  __atomic_or_fetch(&ch_watched, CH_WATCH_TIMES, __ATOMIC_RELAXED);
}

void ch_times_end(void) {
  struct ch_timing *t = ch_timing;
  if (!t)
    return;
  ch_timing = NULL;
  for (unsigned i = 0; i < sizeof t->branches / sizeof *t->branches; i++)
    for (struct ch_times *k = t->branches[i], *next; k; k = next) {
      next = k->next;
      free(k);
    }
  for (unsigned i = 0; i < sizeof t->places / sizeof *t->places; i++)
    for (struct ch_tally *p = t->places[i], *next; p; p = next) {
      next = p->next;
      free(p);
    }
  pthread_mutex_destroy(&t->lock);
  free(t);
}
