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
#include "report/runtime_code.h"
#include "report/symbols.h"
#include "report/text.h"
#include "report/times.h"
#include "sched/domain.h"
#include "sched/native.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

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

/* ---- groups of activities ---- */

struct member {
  uint64_t hash;
  int64_t age; /* for how long it has waited */
  struct ch_branch *activity;
};

#define NAMED_MEMBERS 8

/* Members of a group, the oldest first. */
static void put_group(struct ch_writer *o, const struct member *m, size_t n) {
  ch_put(o, "activity ");
  ch_text_name(o, m->activity);
  if (n > 1) {
    ch_put(o, " and ");
    ch_put_number(o, n - 1);
    ch_put(o, " more");
  }
  ch_put(o, ": ");
  ch_dump_tree(m->activity, ch_text_part, o);
  if (n == 1)
    return;
  ch_put(o, "  the others:");
  for (size_t i = 1; i < n && i <= NAMED_MEMBERS; i++) {
    struct ch_about about;
    ch_put(o, i > 1 ? ", " : " ");
    ch_text_name(o, m[i].activity);
    struct ch_about firsts;
    for (unsigned k = 0; ch_about_wait(m[i].activity, k, &about) && ch_about_wait(m->activity, k, &firsts); k++)
      if (about.fd != firsts.fd || about.object != firsts.object ||
          ch_about_activity(m[i].activity) != ch_about_activity(m->activity)) {
        ch_put(o, " (");
        ch_put(o, about.what);
        ch_text_object(o, m[i].activity, &about);
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
  ch_dump_tree(b, ch_text_part, &nowhere);
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
  struct ch_text_awaited awaited;
  unsigned told, more;
};

static void put_idle(const struct ch_rendezvous_state *s, void *data) {
  struct idle *i = data;
  if (i->told == IDLE_RENDEZVOUS) {
    i->more++;
    return;
  }
  i->told++;
  i->awaited = (struct ch_text_awaited){i->to, 2, 0, 0};
  ch_put(i->to, "rendezvous ");
  ch_put_pointer(i->to, s->variable);
  ch_put(i->to, ": nobody waits for it; triggered: ");
  ch_put_number(i->to, s->triggereds);
  ch_put(i->to, "\n");
}
static void put_idle_awaited(uint32_t count, const char *site, const char *source, void *data) {
  struct idle *i = data;
  if (i->more == 0)
    ch_text_awaited(count, site, source, &i->awaited);
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
