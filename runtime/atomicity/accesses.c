/* Receives the accesses that generated code reports, and decides which of them are findings.
 *
 * Each branch has a table with its last access to each location, and the cell of each location has the last write and
 * the last read by any branch. This is enough: a branch makes no access between two of its consecutive accesses, so if
 * another branch wrote in between, the last write is that branch's.
 *
 * docs/decisions/atomicity-at-run-time.md says which interleavings are taken to be harmless, and why. */
#include "atomicity/atomicity.h"
#include "atomicity/watcher.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LOG 5
#define LAST_LOG 14

/* ---- a branch's own accesses ---- */

/* Tables that nobody uses, by size; NULL: none yet. Little is kept in thread-local memory: a library that is opened at
 * run time gets little of it. */
static __thread void **spare;

static struct ch_branch_access *take_table(unsigned log) {
  size_t bytes = sizeof(struct ch_branch_access) << log;
  void *p = spare ? spare[log] : NULL;
  if (!p)
    return ch_pages_take(bytes);
  memcpy(&spare[log], p, sizeof p);
  memset(p, 0, bytes);
  return p;
}

static void give_table(struct ch_branch_access *table, unsigned log) {
  if (!spare)
    spare = ch_pages_take((LAST_LOG + 1) * sizeof *spare);
  if (!spare) {
    ch_pages_give(table, sizeof *table << log);
    return;
  }
  memcpy(table, &spare[log], sizeof(void *));
  spare[log] = table;
}

static struct ch_branch_access *slot_of(struct ch_branch_access *table, unsigned log, uintptr_t at) {
  unsigned mask = (1u << log) - 1;
  unsigned i = (unsigned)(at * 0x9e3779b97f4a7c15u >> (64 - log));
  while (table[i & mask].at && table[i & mask].at != at)
    i++;
  return &table[i & mask];
}

static bool grow(struct ch_watched *w) {
  unsigned log = w->accesses ? w->accesses_log + 1 : FIRST_LOG;
  struct ch_branch_access *bigger = log <= LAST_LOG ? take_table(log) : NULL;
  if (!bigger)
    return false;
  for (unsigned i = 0; w->accesses && i < 1u << w->accesses_log; i++)
    if (w->accesses[i].at)
      *slot_of(bigger, log, w->accesses[i].at) = w->accesses[i];
  if (w->accesses)
    give_table(w->accesses, w->accesses_log);
  w->accesses = bigger;
  w->accesses_log = log;
  return true;
}

/* The entry for the location; new ones have time 0. A table that is as large as it may be, and full, begins anew. NULL:
 * no memory. */
static struct ch_branch_access *access_of_branch(struct ch_watched *w, uintptr_t at) {
  struct ch_branch_access *e = w->accesses ? slot_of(w->accesses, w->accesses_log, at) : NULL;
  if (e && e->at)
    return e;
  if ((!w->accesses || w->accesses_count >= (3u << w->accesses_log) / 4) && !grow(w)) {
    if (!w->accesses)
      return NULL;
    memset(w->accesses, 0, sizeof *w->accesses << w->accesses_log);
    w->accesses_count = 0;
  }
  w->accesses_count++;
  e = slot_of(w->accesses, w->accesses_log, at);
  *e = (struct ch_branch_access){.at = at};
  return e;
}

void ch_accesses_copy(struct ch_watched *to, const struct ch_watched *from) {
  to->accesses = from->accesses ? take_table(from->accesses_log) : NULL;
  to->accesses_log = from->accesses_log;
  to->accesses_count = to->accesses ? from->accesses_count : 0;
  if (to->accesses)
    memcpy(to->accesses, from->accesses, sizeof *to->accesses << to->accesses_log);
}

void ch_accesses_free(struct ch_watched *w) {
  if (w->accesses)
    give_table(w->accesses, w->accesses_log);
  w->accesses = NULL;
}

/* ---- the rule ---- */

static bool wants(enum ch_finding_kind kind) { return ch_atomicity_settings.kinds >> kind & 1; }

/* Another branch's access to these bytes since the entry's, which has not been handed over since. */
static bool came_between(const struct ch_watched *w, const struct ch_branch_access *e, const struct ch_touch *t,
                         unsigned common_bytes) {
  return t->place && common_bytes && t->who != w->id && t->time > e->time && !ch_knows(&w->knowledge, t->who, t->time);
}

/* Does the second place stand in the call of a function in which the first one stands, or in one that was inlined
 * there? Both are of the same activation. */
static bool stands_in_call_of(const struct ch_access_place *first, const struct ch_access_place *second) {
  for (const struct ch_access_place *p = second; p; p = p->inside)
    if (p->inside == first->inside)
      return true;
  return false;
}
static bool in_same_call(const struct ch_branch_access *e, const struct ch_access_place *first,
                         const struct ch_access_place *place, uint32_t activation) {
  return activation && activation == e->activation && stands_in_call_of(first, place);
}

/* Does the entry's access belong together with one that is made now? Whoever puts two functions' accesses into atomic
 * blocks, and not into one, has said what belongs together. */
static bool belong_together(const struct ch_watched *w, const struct ch_branch_access *e, uint32_t activation) {
  if (activation && activation == e->activation)
    return true;
  return !(e->is_atomic && ch_tls.atomic_depth) && w->pauses - e->pauses <= ch_atomicity_settings.window;
}

/* Has a later call chosen the location anew, out of an array, and so not meant the one of the entry's access? */
static bool is_chosen_anew(const struct ch_branch_access *e, const struct ch_access_place *first,
                           const struct ch_access_place *place, uint32_t activation) {
  return place->flags & CH_ACCESS_INDEXED && !in_same_call(e, first, place, activation);
}

static bool was_changed(const struct ch_branch_access *e, const struct ch_touch *t) {
  const struct ch_access_place *mine = e->last == CH_READS ? e->read : e->write;
  return mine->size != t->place->size || e->value != t->value;
}

static void remember_read(struct ch_branch_access *e, const struct ch_access_place *place, uint64_t time,
                          uint32_t activation) {
  unsigned i = 0;
  while (i < CH_RESTS_ON - 1 && e->reads[i].place && !ch_same_place(e->reads[i].place, place))
    i++;
  for (; i > 0; i--)
    e->reads[i] = e->reads[i - 1];
  e->reads[0].place = place;
  e->reads[0].time = time;
  e->reads[0].activation = activation;
  e->reads[0].value = e->value;
}

/* A write whose value was computed from a read of the location, in this call, that another's write has since made
 * stale: whatever was read since then. */
static const struct ch_access_place *stale_basis(const struct ch_watched *w, const struct ch_branch_access *e,
                                                 const struct ch_cell *c, unsigned bytes,
                                                 const struct ch_access_place *place, uint32_t activation) {
  const struct ch_touch *t = &c->written;
  if (!place->rests_on[0] || !activation || !t->place || t->who == w->id || !(c->written_bytes & bytes))
    return NULL;
  for (unsigned i = 0; i < CH_RESTS_ON && e->reads[i].place; i++)
    for (unsigned k = 0; k < CH_RESTS_ON && place->rests_on[k]; k++)
      if (e->reads[i].activation == activation && e->reads[i].time < t->time && e->reads[i].value != t->value &&
          ch_same_place(e->reads[i].place, place->rests_on[k]) && stands_in_call_of(e->reads[i].place, place) &&
          !ch_knows(&w->knowledge, t->who, t->time))
        return e->reads[i].place;
  return NULL;
}

/* The first access of a run that is not the branch's first to the location. */
static void compare_runs(struct ch_watched *w, struct ch_branch_access *e, const struct ch_cell *c, unsigned bytes,
                         const struct ch_access_place *place, uint32_t activation, enum ch_access kind) {
  bool written = came_between(w, e, &c->written, c->written_bytes & bytes) && was_changed(e, &c->written);
  const struct ch_access_place *first = e->last == CH_READS ? e->read : e->write;
  if (!belong_together(w, e, activation) || is_chosen_anew(e, first, place, activation))
    return;
  if (kind == CH_WRITES && e->last == CH_READS) {
    if (written && wants(CH_LOST_UPDATE))
      ch_found(CH_LOST_UPDATE, e->at, e->read, &c->written, place);
  } else if (kind == CH_WRITES) {
    if (wants(CH_DIRTY) && came_between(w, e, &c->read, c->read_bytes & bytes) && ch_stands_behind(e->write, place))
      ch_found(CH_DIRTY, e->at, e->write, &c->read, place);
  } else if (written && e->last == CH_READS && ch_stands_behind(e->read, place)) {
    if (wants(CH_UNREPEATABLE))
      ch_found(CH_UNREPEATABLE, e->at, e->read, &c->written, place);
    if (!e->write && e->read->flags & CH_ACCESS_TESTED && in_same_call(e, e->read, place, activation)) {
      e->checked = e->read;
      e->changed = c->written;
    }
  } else if (written && e->last == CH_WRITES && ch_stands_behind(e->write, place)) {
    if (place->flags & CH_ACCESS_REACHED && !in_same_call(e, e->write, place, activation))
      return; /* by a pointer, which leads to another's object, or to a free one, since then */
    bool same_code = e->blind && ch_same_place(e->write, c->written.place);
    enum ch_finding_kind found = same_code ? CH_OVERWRITTEN : CH_OVERWRITTEN_ELSEWHERE;
    if (wants(found))
      ch_found(found, e->at, e->write, &c->written, place);
  }
}

/* A function has written one location, was set aside without a wait, and now writes another one, while somebody read
 * both at once in between: the new value of the first, and the old one of the second. */
static void look_for_a_half(const struct ch_watched *w, uintptr_t at, const struct ch_cell *c, unsigned bytes,
                            const struct ch_access_place *place, uint32_t activation, uint32_t value) {
  const struct ch_touch *both = &c->read;
  if (!both->place || both->who == w->id || both->time <= w->shown || !(c->read_bytes & bytes) ||
      both->place->size != place->size || both->value == value)
    return;
  for (unsigned i = 0; i < CH_WRITES_KEPT; i++) {
    const struct ch_branch_write *first = &w->wrote[i];
    if (first->activation != activation || first->at == at || first->time <= w->shown || first->time >= both->time)
      continue;
    const struct ch_cell *other = ch_shadow_look(first->at);
    if (other && other->read.place && other->read.who == both->who && other->read.time == both->time &&
        other->written.who == w->id && other->born <= first->time) {
      ch_found(CH_HALF_WRITTEN, at, first->place, both, place);
      return;
    }
  }
}

static uint32_t value_at(uintptr_t at, size_t size) {
  uint64_t v = 0;
  memcpy(&v, (const void *)at, size < sizeof v ? size : sizeof v);
  return (uint32_t)(v ^ v >> 32);
}

/* Which bytes of its first cell an access meets. */
static unsigned bytes_of(uintptr_t at, size_t size) {
  unsigned first = at & 3, count = size > 4 - first ? 4 - first : (unsigned)size;
  return ((1u << count) - 1) << first;
}

static void begin_run(struct ch_branch_access *e, const struct ch_watched *w, enum ch_access kind) {
  if (e->run == w->run)
    return;
  e->run = w->run;
  e->read = e->write = NULL;
  e->blind = kind == CH_WRITES;
}

static void note(struct ch_watcher *h, struct ch_cell *c, uintptr_t at, size_t size,
                 const struct ch_access_place *place, uint32_t activation, enum ch_access kind) {
  struct ch_watched *w = h->current;
  unsigned bytes = bytes_of(at, size);
  struct ch_branch_access *e = access_of_branch(w, at);
  const struct ch_access_place *basis;
  if (!e)
    return;
  if (e->time == 0 || e->time < c->born) {
    *e = (struct ch_branch_access){.at = at, .run = w->run, .blind = kind == CH_WRITES};
  } else if (kind == CH_WRITES && (basis = stale_basis(w, e, c, bytes, place, activation))) {
    if (wants(CH_LOST_UPDATE))
      ch_found(CH_LOST_UPDATE, at, basis, &c->written, place);
    e->checked = NULL;
    begin_run(e, w, kind);
  } else if (e->run != w->run) {
    e->checked = NULL;
    compare_runs(w, e, c, bytes, place, activation, kind);
    begin_run(e, w, kind);
  } else if (kind == CH_WRITES && e->checked) {
    if (wants(CH_STALE_CHECK))
      ch_found(CH_STALE_CHECK, at, e->checked, &e->changed, place);
    e->checked = NULL;
  }
  if (kind == CH_READS && place->flags & CH_ACCESS_TESTED)
    e->checked = NULL; /* it is checked anew */
  e->time = h->now;
  e->pauses = w->pauses;
  e->activation = activation;
  e->value = value_at(at, size);
  e->last = kind;
  e->is_atomic = ch_tls.atomic_depth > 0;
  struct ch_touch touch = {place, h->now, w->id, e->value};
  if (kind == CH_WRITES) {
    if (activation && wants(CH_HALF_WRITTEN)) {
      look_for_a_half(w, at, c, bytes, place, activation, e->value);
      w->wrote[w->writes++ % CH_WRITES_KEPT] = (struct ch_branch_write){at, h->now, place, activation};
    }
    e->write = place;
    c->written = touch;
    c->written_bytes = (uint8_t)bytes;
  } else {
    e->read = place;
    remember_read(e, place, h->now, activation);
    c->read = touch;
    c->read_bytes = (uint8_t)bytes;
  }
  c->latest = bytes == 15 ? h->now << 2 | kind : 0;
}

/* What lies on the native stack moves when its function is set aside, so no other branch can have its address; but
 * another's will lie there. Under AddressSanitizer such locals are elsewhere. */
__attribute__((weak)) void *__asan_get_current_fake_stack(void);
__attribute__((weak)) void *__asan_addr_is_in_fake_stack(void *, void *, void **, void **);

static inline bool is_on_stack(uintptr_t at) {
  return at > (uintptr_t)__builtin_frame_address(0) && at < (uintptr_t)ch_domain.stack->high;
}
CH_COLD static bool is_on_fake_stack(uintptr_t at) {
  void *stack = __asan_get_current_fake_stack(), *begin, *end;
  return stack && __asan_addr_is_in_fake_stack(stack, (void *)at, &begin, &end);
}

static inline void accessed(const void *p, size_t size, const struct ch_access_place *place, uint32_t activation,
                            enum ch_access kind) {
  struct ch_watcher *h = &ch_watcher;
  uintptr_t at = (uintptr_t)p;
  if (!h->current || h->busy || is_on_stack(at))
    return;
  if (CH_UNLIKELY(__asan_addr_is_in_fake_stack != NULL) && is_on_fake_stack(at))
    return;
  h->busy = true;
  struct ch_cell *c = ch_shadow_cell(at);
  if (CH_LIKELY(c != NULL) && c->latest != (h->now << 2 | kind))
    note(h, c, at, size, place, activation, kind);
  h->busy = false;
}

void ch_atomicity_read(const void *at, const struct ch_access_place *place, uint32_t activation) {
  accessed(at, place->size, place, activation, CH_READS);
}
void ch_atomicity_write(const void *at, const struct ch_access_place *place, uint32_t activation) {
  accessed(at, place->size, place, activation, CH_WRITES);
}

/* Of a large range the beginning. */
#define RANGE 4096
static void range(const void *p, size_t size, const struct ch_access_place *place, uint32_t activation,
                  enum ch_access kind) {
  const char *at = p, *end = at + (size < RANGE ? size : RANGE);
  while (at < end) {
    size_t step = 4 - ((uintptr_t)at & 3);
    size_t rest = (size_t)(end - at);
    accessed(at, rest < step ? rest : step, place, activation, kind);
    at += step;
  }
}
void ch_atomicity_read_range(const void *at, size_t size, const struct ch_access_place *place, uint32_t activation) {
  range(at, size, place, activation, CH_READS);
}
void ch_atomicity_write_range(const void *at, size_t size, const struct ch_access_place *place, uint32_t activation) {
  range(at, size, place, activation, CH_WRITES);
}

uint32_t ch_atomicity_enter(void) {
  uint32_t id = ++ch_watcher.activations;
  return id ? id : ++ch_watcher.activations;
}

/* ---- memory that begins a new life ---- */

void ch_atomicity_forget(const void *p, size_t size) {
  struct ch_watcher *h = &ch_watcher;
  uintptr_t at = (uintptr_t)p & ~(uintptr_t)3, end = (uintptr_t)p + size;
  if (!h->current || h->busy)
    return;
  uint64_t born = h->now + 1;
  while (at < end) {
    struct ch_cell *c = ch_shadow_look(at);
    uintptr_t page_end = (at | 4095) + 1, stop = page_end < end ? page_end : end;
    for (; c && at < stop; at += 4, c++) {
      c->born = born;
      c->latest = 0;
      c->written.place = c->read.place = NULL;
      h->now = born;
    }
    at = stop;
  }
}

void ch_atomicity_forget_block(const void *p) {
  if (p && ch_watcher.current)
    ch_atomicity_forget(p, malloc_usable_size((void *)(uintptr_t)p));
}

/* What the program's pointers to malloc and its like lead to. */
void *ch_atomicity_malloc(size_t size) {
  void *p = malloc(size);
  ch_atomicity_forget_block(p);
  return p;
}
void *ch_atomicity_calloc(size_t count, size_t size) {
  void *p = calloc(count, size);
  ch_atomicity_forget_block(p);
  return p;
}
void *ch_atomicity_realloc(void *old, size_t size) {
  ch_atomicity_forget_block(old);
  void *p = realloc(old, size);
  ch_atomicity_forget_block(p);
  return p;
}
void ch_atomicity_free(void *p) {
  ch_atomicity_forget_block(p);
  free(p);
}
