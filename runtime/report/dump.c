/* ch_dump prints what every live activity waits for, and where. It allocates no memory but one mapping, so that it
 * works in a signal handler and at a deadlock. It tells free blocks from live ones by their first word alone
 * (frames/allocator.h), which the allocator's users write last when they take a block.
 *
 * Activities whose texts differ only in their names and addresses, and in the objects that they wait for, are printed
 * once, with their number. Those that have waited longest come first. */
#define _GNU_SOURCE
#include "report/dump.h"
#include "activity/activity.h"
#include "events/cells.h"
#include "frames/large.h"
#include "posix/locks/holder.h"
#include "report/debug.h"
#include "report/runtime_code.h"
#include "report/report.h"
#include "report/symbols.h"
#include "report/times.h"
#include "sched/child.h"
#include "sched/native.h"
#include "sched/external_wakers.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern __typeof__(ch_lock_reported) ch_lock_reported __attribute__((weak)); /* it is on a floor above */

/* ---- the tree of an activity ---- */

void ch_dump_tree(struct ch_branch *first, void (*visit)(struct ch_branch *, struct ch_finish *, unsigned, void *),
                  void *data) {
  struct ch_branch *b = first;
  struct ch_finish *s = b->scope;
  unsigned depth = 0;
  visit(first, NULL, 0, data);
  while (s && first->state != CH_NEW) {
    struct ch_finish *scope = b == first ? NULL : ch_async_of(b)->scope;
    if (s != scope) {
      visit(NULL, s, depth, data);
      if (ch_list_empty(&s->branches)) {
        s = s->outer;
        continue;
      }
      b = &ch_async_at(s->branches.next)->branch;
      depth++;
    } else if (ch_async_of(b)->siblings.next != &scope->branches) {
      b = &ch_async_at(ch_async_of(b)->siblings.next)->branch;
    } else {
      b = scope->owner;
      s = scope->outer;
      depth--;
      continue;
    }
    visit(b, NULL, depth, data);
    s = b->scope;
  }
  for (struct ch_link *n = ch_domain.unscoped.next; n && n != &ch_domain.unscoped; n = n->next)
    if (ch_activity_of(&ch_async_at(n)->branch) == first)
      visit(&ch_async_at(n)->branch, NULL, 1, data);
}

struct visit {
  void (*visit)(struct ch_branch *, void *);
  void *data;
};
static void visit_short(void *block, void *data) {
  struct visit *v = data;
  if (!ch_is_gone(block))
    v->visit(block, v->data);
}
static void visit_long(void *block, void *data) { visit_short((struct ch_prefix *)block + 1, data); }
void ch_dump_activities(void (*visit)(struct ch_branch *, void *), void *data) {
  struct visit v = {visit, data};
  ch_heap_walk(CH_KIND_ACTIVITY, visit_short, &v);
  ch_heap_walk(CH_KIND_LONG, visit_long, &v);
}

int64_t ch_dump_age(const struct ch_branch *b) {
  const struct ch_times *k = ch_timing ? ch_times_find(ch_timing, b) : NULL;
  return k && k->since ? ch_times_now() - k->since : -1;
}

static bool starts(const char *text, const char *with) { return text && strncmp(text, with, strlen(with)) == 0; }

/* Where the scheduler has called or resumed what is above on the native stack. */
static bool is_bottom(const char *function, bool own) {
  return starts(function, "charcoal.resume") ||
         (own && (starts(function, "ch_schedule") || starts(function, "main_body")));
}
/* Between callers and callees that a reader knows. */
static bool is_glue(const char *function) { return starts(function, "charcoal."); }

unsigned ch_dump_native(const struct ch_branch *b, void **pcs) {
  void *all[CH_NATIVE_FRAMES];
  struct ch_place place;
  unsigned n = ch_native_backtrace(b, all, CH_NATIVE_FRAMES), first = 0;
  for (unsigned i = 0; i < n && i < 8; i++) { /* leaves out the frames of the wait itself, which say nothing new */
    const char *name = ch_place_of((char *)all[i] - 1, &place) ? place.function : NULL;
    if (ch_is_runtime_code((uintptr_t)all[i] - 1) && (starts(name, "wait_in") || starts(name, "ch_wait_native")))
      first = i + 1;
  }
  unsigned kept = 0;
  for (unsigned i = first; i < n; i++) {
    const char *name = ch_place_of((char *)all[i] - 1, &place) ? place.function : NULL;
    if (is_bottom(name, ch_is_runtime_code((uintptr_t)all[i] - 1)))
      break;
    if (!is_glue(name))
      pcs[kept++] = all[i];
  }
  return kept;
}

/* ---- what it waits for ---- */

static void put_site(struct ch_writer *o, const char *site) {
  if (site) {
    ch_put(o, " at ");
    ch_put(o, site);
  }
}

static void put_name(struct ch_writer *o, struct ch_branch *b) {
  ch_put_pointer(o, b);
  const char *name = ch_branch_name(b);
  if (b == ch_domain.host)
    ch_put(o, " of the thread's own code");
  if (name || b->flags & CH_MAIN) {
    ch_put(o, " \"");
    ch_put(o, name ? name : ch_domain.is_program ? "main" : "the thread's first");
    ch_put(o, "\"");
  }
}

/* Which one it is: left out where activities are compared. */
static void put_object(struct ch_writer *o, const struct ch_branch *b, const struct ch_about *about) {
  if (o->fd < 0)
    return;
  const void *object = about->object ? about->object : ch_about_semaphore(b);
  if (about->fd >= 0) {
    ch_put(o, " ");
    ch_put_number(o, (uint64_t)about->fd);
  } else if (object) {
    struct ch_place place;
    if (ch_object_of(object, &place)) {
      ch_put(o, " ");
      ch_put(o, place.function);
    }
    ch_put(o, " ");
    ch_put_pointer(o, object);
  }
}

static void put_holder_name(struct ch_writer *o, const struct ch_branch *b) {
  if (!ch_heap_malloc && ch_heap_has_freed(b)) {
    ch_put(o, "an activity that has ended");
    return;
  }
  ch_put(o, "activity ");
  if (!ch_heap_malloc && ch_heap_holds(b))
    put_name(o, (struct ch_branch *)(uintptr_t)b);
  else
    ch_put_pointer(o, b);
}

/* Who has the lock that it waits for. */
static void put_holder(struct ch_writer *o, const struct ch_branch *b) {
  struct ch_lock_report lock;
  struct ch_place place;
  if (o->fd < 0 || !ch_lock_reported || !ch_lock_reported(b, &lock) || !lock.holder)
    return;
  ch_put(o, ", which ");
  put_holder_name(o, lock.holder);
  ch_put(o, " has");
  if (lock.taken_at && ch_place_of((const char *)lock.taken_at - 1, &place) && place.function[0]) {
    ch_put(o, ", taken in ");
    ch_put(o, place.function);
  }
}

/* In a sentence; NULL: as ch_about_wait says. */
static const char *const phrases[] = {
    [CH_ON_SEMAPHORE] = "a semaphore",
    [CH_ON_ACTIVITY] = "an activity to finish",
    [CH_ON_FINISH] = "a finish",
    [CH_ON_TURN] = "its turn",
    [CH_ON_CONTAINED] = "its contained activities to finish",
    [CH_ON_OTHERS] = "all other activities to finish",
};

static void put_waited(struct ch_writer *o, const struct ch_branch *b) {
  struct ch_about about;
  const char *call = ch_about_call(b);
  for (unsigned n = 0; ch_about_wait(b, n, &about); n++) {
    ch_put(o, n ? " or " : "waits for ");
    ch_put(o, b->state == CH_WAITING && phrases[b->what] ? phrases[b->what] : about.what);
    put_site(o, about.site);
    put_object(o, b, &about);
    if (about.holder && o->fd >= 0) {
      ch_put(o, ", which ");
      put_holder_name(o, about.holder);
      ch_put(o, " has");
    }
    const char *in = call ? call : about.call;
    if (in && about.fd >= 0) {
      ch_put(o, " (");
      ch_put(o, in);
      ch_put(o, ")");
    } else if (in && about.call) {
      ch_put(o, " ");
      ch_put(o, in);
    }
  }
  put_holder(o, b);
}

#define AWAITED_LINES 8

struct awaited {
  struct ch_writer *to;
  unsigned indent, lines;
  uint64_t more; /* how many things have no line of their own */
};
static void put_awaited_one(uint32_t count, const char *site, const char *source, void *data) {
  struct awaited *a = data;
  if (a->lines == AWAITED_LINES) {
    a->more += count;
    return;
  }
  a->lines++;
  ch_put_spaces(a->to, a->indent);
  ch_put(a->to, "outstanding: ");
  ch_put_number(a->to, count);
  ch_put(a->to, " made");
  put_site(a->to, site);
  if (source) {
    ch_put(a->to, ", triggered by: ");
    ch_put(a->to, source);
  }
  ch_put(a->to, "\n");
}

/* What is still to come of the sets for which it waits. */
static void put_awaited(struct ch_writer *o, const struct ch_branch *b, unsigned indent) {
  struct awaited awaited = {o, indent, 0, 0};
  struct ch_about about;
  if (b->state != CH_SELECTING)
    return;
  for (unsigned n = 0; ch_about_wait(b, n, &about); n++)
    if (about.awaited)
      about.awaited(about.clause, put_awaited_one, &awaited);
  if (awaited.more) {
    ch_put_spaces(o, indent);
    ch_put(o, "outstanding: ");
    ch_put_number(o, awaited.more);
    ch_put(o, " more\n");
  }
}

static void put_state(struct ch_writer *o, struct ch_branch *b) {
  switch (b->state) {
  case CH_NEW:
    ch_put(o, "not begun");
    if (b->link.prev) {
      ch_put(o, ", spawned at ");
      ch_put(o, (const char *)b->link.prev);
    }
    break;
  case CH_READY:
    ch_put(o, "runnable");
    break;
  case CH_RUNNING:
    ch_put(o, "running");
    break;
  default:
    put_waited(o, b);
  }
  if (b->flags & CH_NATIVE)
    ch_put(o, ", in plain code");
}

/* ---- where ---- */

static void put_file_and_line(struct ch_writer *o, const struct ch_spot *spot) {
  put_site(o, spot->file);
  if (spot->file && spot->line) {
    ch_put(o, ":");
    ch_put_number(o, spot->line);
  }
}

static void put_spot(struct ch_writer *o, unsigned indent, unsigned number, const struct ch_spot *spot) {
  ch_put_spaces(o, indent);
  ch_put(o, "#");
  ch_put_number(o, number);
  ch_put(o, " ");
  ch_put(o, spot->function ? spot->function : "?");
  put_file_and_line(o, spot);
}

static unsigned put_native_frames(struct ch_writer *o, struct ch_branch *b, unsigned indent) {
  void *pcs[CH_NATIVE_FRAMES];
  unsigned n = ch_dump_native(b, pcs);
  for (unsigned i = 0; i < n; i++) {
    struct ch_place place;
    bool known = ch_place_of((char *)pcs[i] - 1, &place);
    put_spot(o, indent, i, &(struct ch_spot){.function = known && place.function[0] ? place.function : NULL});
    if (known) {
      const char *slash = strrchr(place.module, '/');
      ch_put(o, " (");
      ch_put(o, slash ? slash + 1 : place.module);
      ch_put(o, " ");
      ch_put_hex(o, place.offset);
      ch_put(o, ")");
    }
    ch_put(o, "\n");
  }
  return n;
}

static void put_frames(struct ch_writer *o, struct ch_branch *b, unsigned indent) {
  if (b->state == CH_NEW)
    return;
  unsigned number = 0;
  struct ch_frame *f = b->top;
  if (b->flags & CH_NATIVE && ch_native_is_waiting(b)) {
    number = put_native_frames(o, b, indent);
    f = f->parent;
  }
  struct ch_spot spot;
  for (; f && !ch_is_chain_end(f); f = f->parent)
    for (unsigned n = 0; ch_about_frame(f->info, f->point, n, &spot); n++) {
      put_spot(o, indent, number++, &spot);
      ch_put(o, "\n");
    }
}

static void put_scope(struct ch_writer *o, struct ch_finish *s, unsigned indent) {
  ch_put_spaces(o, indent);
  ch_put(o, s->barrier ? "in noncancellable" : "in finish");
  put_site(o, s->site);
  if (s->marked)
    ch_put(o, ", cancelled");
  ch_put(o, "\n");
}

/* ---- groups of activities ---- */

struct member {
  uint64_t hash;
  int64_t age; /* for how long it has waited */
  struct ch_branch *activity;
};

static void put_part(struct ch_branch *b, struct ch_finish *s, unsigned depth, void *data) {
  struct ch_writer *o = data;
  unsigned indent = 2 + 4 * depth;
  if (s) {
    put_scope(o, s, indent);
  } else {
    if (depth > 0) {
      ch_put_spaces(o, indent);
      ch_put(o, "async: ");
    }
    put_state(o, b);
    if (depth == 0 && b->flags & CH_MARKED)
      ch_put(o, ", cancelled");
    if (depth == 0 && o->fd >= 0) {
      int64_t age = ch_dump_age(b);
      if (age >= 0) {
        ch_put(o, ", for ");
        ch_put_time(o, age);
      }
    }
    ch_put(o, "\n");
    put_awaited(o, b, depth ? indent + 2 : indent);
    put_frames(o, b, depth ? indent + 2 : indent);
  }
}

#define NAMED_MEMBERS 8

/* Members of a group, the oldest first. */
static void put_group(struct ch_writer *o, const struct member *m, size_t n) {
  ch_put(o, "activity ");
  put_name(o, m->activity);
  if (n > 1) {
    ch_put(o, " and ");
    ch_put_number(o, n - 1);
    ch_put(o, " more");
  }
  ch_put(o, ": ");
  ch_dump_tree(m->activity, put_part, o);
  if (n == 1)
    return;
  ch_put(o, "  the others:");
  for (size_t i = 1; i < n && i <= NAMED_MEMBERS; i++) {
    struct ch_about about;
    ch_put(o, i > 1 ? ", " : " ");
    put_name(o, m[i].activity);
    struct ch_about firsts;
    for (unsigned k = 0; ch_about_wait(m[i].activity, k, &about) && ch_about_wait(m->activity, k, &firsts); k++)
      if (about.fd != firsts.fd || about.object != firsts.object) {
        ch_put(o, " (");
        ch_put(o, about.what);
        put_object(o, m[i].activity, &about);
        ch_put(o, ")");
      }
  }
  if (n - 1 > NAMED_MEMBERS)
    ch_put(o, ", ...");
  ch_put(o, "\n");
}

struct members {
  struct member *all;
  size_t n, room;
};

static void collect(struct ch_branch *b, void *data) {
  struct members *m = data;
  if (m->n == m->room)
    return;
  struct ch_writer nowhere = CH_WRITER(-1);
  ch_dump_tree(b, put_part, &nowhere);
  m->all[m->n++] = (struct member){nowhere.hash, ch_dump_age(b), b};
}

static bool by_group(const struct member *a, const struct member *b) {
  return a->hash != b->hash ? a->hash < b->hash : a->age != b->age ? a->age > b->age : a->activity < b->activity;
}
static bool by_age(const struct member *a, const struct member *b) {
  return a->age != b->age ? a->age > b->age : a->activity < b->activity;
}

/* Heapsort: the C library's qsort may take memory. */
static void sort(struct member *m, size_t n, bool (*before)(const struct member *, const struct member *)) {
  for (size_t start = n / 2, end = n; end > 1;) {
    if (start > 0) {
      start--;
    } else {
      struct member last = m[--end];
      m[end] = m[0];
      m[0] = last;
    }
    for (size_t at = start, child; (child = 2 * at + 1) < end; at = child) {
      if (child + 1 < end && before(&m[child], &m[child + 1]))
        child++;
      if (!before(&m[at], &m[child]))
        break;
      struct member swapped = m[at];
      m[at] = m[child];
      m[child] = swapped;
    }
  }
}

static void put_one(struct ch_branch *b, void *out) {
  struct member m = {.activity = b};
  put_group(out, &m, 1);
}

/* `first`: the oldest of each group, with the number of its members in `hash`. */
static void put_groups(struct ch_writer *o, struct members *m) {
  sort(m->all, m->n, by_group);
  struct member *first = m->all + m->n;
  size_t groups = 0;
  for (size_t i = 0, n; i < m->n; i += n) {
    for (n = 1; i + n < m->n && m->all[i + n].hash == m->all[i].hash;)
      n++;
    first[groups++] = (struct member){i, m->all[i].age, m->all[i].activity};
  }
  sort(first, groups, by_age);
  for (size_t g = 0; g < groups; g++) {
    size_t i = first[g].hash, n = 1;
    while (i + n < m->n && m->all[i + n].hash == m->all[i].hash)
      n++;
    put_group(o, m->all + i, n);
  }
}

/* ---- rendezvous for which nobody waits ---- */

#define IDLE_RENDEZVOUS 20

struct idle {
  struct ch_writer *to;
  struct awaited awaited;
  unsigned told, more;
};

static void put_idle(const struct ch_rendezvous_state *s, void *data) {
  struct idle *i = data;
  if (i->told == IDLE_RENDEZVOUS) {
    i->more++;
    return;
  }
  i->told++;
  i->awaited = (struct awaited){i->to, 2, 0, 0};
  ch_put(i->to, "rendezvous ");
  ch_put_pointer(i->to, s->variable);
  ch_put(i->to, ": nobody waits for it; triggered: ");
  ch_put_number(i->to, s->triggereds);
  ch_put(i->to, "\n");
}
static void put_idle_awaited(uint32_t count, const char *site, const char *source, void *data) {
  struct idle *i = data;
  if (i->more == 0)
    put_awaited_one(count, site, source, &i->awaited);
}

static void put_idle_rendezvous(struct ch_writer *o) {
  struct idle idle = {.to = o};
  ch_rendezvous_tell_idle(put_idle, put_idle_awaited, &idle);
  if (idle.more == 0)
    return;
  ch_put(o, "rendezvous: ");
  ch_put_number(o, idle.more);
  ch_put(o, " more\n");
}

static void put_activities(struct ch_writer *o) {
  ch_put(o, "charcoal: live activities: ");
  ch_put_number(o, ch_domain.live);
  ch_put(o, "\n");
  struct members m = {.room = ch_domain.live + 64};
  size_t size = 2 * m.room * sizeof *m.all;
  m.all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m.all == MAP_FAILED) {
    ch_dump_activities(put_one, o);
    return;
  }
  ch_dump_activities(collect, &m);
  put_groups(o, &m);
  munmap(m.all, size);
}

static void put_text(struct ch_writer *o) {
  put_activities(o);
  put_idle_rendezvous(o);
}

void ch_dump_as(int fd, unsigned format) {
  if (!ch_domain.error)
    return;
  int saved = errno;
  struct ch_writer o = CH_WRITER(fd);
  if (format == CH_DUMP_JSON)
    ch_dump_json_of_domain(&o);
  else
    put_text(&o);
  ch_put_end(&o);
  errno = saved;
}

void ch_dump(int fd) { ch_dump_as(fd, CH_DUMP_TEXT); }

/* NULL: this thread runs no domain. It is allocated, since a library that is loaded late has little thread-local
 * memory. */
static __thread struct ch_debug *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- at a deadlock ---- */

/* Who alone could end its wait: it waits for one thing, which that activity has. */
static const struct ch_branch *blocker(const struct ch_branch *b) {
  struct ch_about about;
  struct ch_lock_report lock;
  if (ch_about_wait(b, 1, &about))
    return NULL;
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
        put_file_and_line(o, &spot);
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
    struct ch_about about;
    ch_put(o, "  ");
    put_member(o, at);
    put_innermost_place(o, at);
    if (ch_about_wait(at, 0, &about)) {
      ch_put(o, " waits for ");
      ch_put(o, about.what);
      put_object(o, at, &about);
    }
    at = blocker(at);
    ch_put(o, ", which ");
    put_member(o, at);
    ch_put(o, " has\n");
  } while (at != first);
}

/* Of this domain's activities. */
static void put_circle_from_here(void) {
  struct ch_writer o = CH_WRITER(2);
  ch_dump_activities(put_circle, &o);
  ch_put_end(&o);
}

static int dumped;
static void dumps_here(int signal) {
  (void)signal;
  put_circle_from_here();
  ch_dump(2);
  __atomic_store_n(&dumped, 1, __ATOMIC_RELEASE);
}

/* Each on its own thread, which sleeps; one that does not answer within a second is left out. */
static void dump_others(void) {
  struct sigaction action = {.sa_handler = dumps_here, .sa_flags = SA_RESTART};
  pthread_mutex_lock(&lock);
  sigaction(SIGQUIT, &action, NULL);
  for (struct ch_debug *d = ch_debug; d; d = d->next) {
    char name[32] = "";
    if (d == own || d->domain->live == 0)
      continue;
    pthread_getname_np(d->thread, name, sizeof name);
    dprintf(2, "charcoal: in another domain, of the thread \"%s\":\n", name);
    __atomic_store_n(&dumped, 0, __ATOMIC_RELEASE);
    if (pthread_kill(d->thread, SIGQUIT) == 0)
      for (int ms = 0; ms < 1000 && !__atomic_load_n(&dumped, __ATOMIC_ACQUIRE); ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  pthread_mutex_unlock(&lock);
}

void ch_dump_deadlock(bool of_all) {
  put_circle_from_here();
  ch_dump(2);
  if (of_all)
    dump_others();
}

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

/* Only the domain that forked is there. */
static void in_child(void) {
  if (!ch_debug)
    return;
  if (own) {
    own->next = NULL;
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

bool ch_report_start(void) {
  static bool begun;
  const char *checks = getenv("CHARCOAL_CHECK"), *dump = getenv("CHARCOAL_DUMP");
  own = malloc(sizeof *own);
  if (!own)
    return false;
  *own = (struct ch_debug){
      NULL, &ch_domain, &ch_tls, ch_heap_arenas(), ch_large_list(), ch_names_table(), pthread_self(), &ch_timing,
  };
  pthread_mutex_lock(&lock);
  own->next = ch_debug;
  __atomic_store_n(&ch_debug, own, __ATOMIC_RELEASE);
  if (!begun && checks && strcmp(checks, "1") == 0)
    ch_checks = 1;
  if (!begun)
    ch_at_fork(NULL, NULL, in_child, in_child);
  if (!begun && dump && (strcmp(dump, "1") == 0 || strcmp(dump, "json") == 0)) {
    signal_format = *dump == 'j' ? CH_DUMP_JSON : CH_DUMP_TEXT;
    hook_signal();
  }
  bool first = !begun;
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
  struct ch_debug **at = &ch_debug;
  while (*at != own)
    at = &(*at)->next;
  __atomic_store_n(at, own->next, __ATOMIC_RELEASE);
  struct ch_debug *self = own;
  __atomic_compare_exchange_n(&next_to_dump, &self, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  free(own);
  own = NULL;
  ch_times_end();
}
