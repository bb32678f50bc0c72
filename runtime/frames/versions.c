/* The interruptible version of a function, found by its address.
 *
 * All modules' entries are in one open-addressed hash table under a lock. In front of it each thread has two
 * direct-mapped caches of its own: `near`, where generated code looks by itself and only functions with a version
 * stand, and `far`, with answers of both kinds.
 *
 * Invariants: 1. a slot whose `fn` is a function is right: who changes the table, under the lock, takes it out of all
 * slots of all threads; 2. nobody but its thread writes anything else into a slot, and only under the lock: so what
 * stands beside an `fn` that the thread has just read belongs to it; 3. the table is at most half full; 4. an address
 * stands in it once: of several entries for it the first with a version wins; 5. entries of an unregistered module are
 * gone; 6. eight bytes of `near` that do not begin where an entry begins are never an address for which generated code
 * looks there. A thread that may call a new function has learned of it after the change, and with it that its slot is
 * clear.
 */
#include "frames/allocator.h"
#include "frames/forks.h"
#include "frames/out_of_memory.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
  const struct ch_version_entry *begin, *end;
  struct module *next;
};

CH_FORK_LOCK(lock, CH_INNER_LOCK)
static struct module *modules, **last_module = &modules;
static struct ch_version_entry *table;
static size_t table_size, table_used;

#define NO_FUNCTION ((void *)1) /* marks a slot that was cleared; NULL will not do, because a program may call it */
#define FAR 512
#define ENTRIES (CH_VERSION_SLOTS + 1 + FAR)
struct cache {
  struct ch_version_entry near[CH_VERSION_SLOTS + 1]; /* the thread's ch_tls.versions */
  struct ch_version_entry far[FAR];
  unsigned missed;            /* how often `far` knew what `near` had no place for */
  struct cache *next, **link; /* in the list of all caches, protected by the lock */
};
_Static_assert(offsetof(struct cache, missed) == ENTRIES * sizeof(struct ch_version_entry), "`none` is as large");
static struct cache *caches;
struct ch_version_entry ch_versions_none[ENTRIES]; /* the caches of a thread that has none yet */

static inline struct cache *own(void) { return (struct cache *)ch_tls.versions; }
/* Whether the function may stand in `near` at all. */
static inline bool has_place(const void *fn) { return CH_VERSION_OFFSET(fn) % sizeof(struct ch_version_entry) == 0; }
static inline struct ch_version_entry *near_of(const void *fn) {
  return (struct ch_version_entry *)((char *)ch_tls.versions + CH_VERSION_OFFSET(fn));
}

/* The entry far[hash(fn) % FAR]. Its offset in bytes is computed at once, which takes six instructions fewer. */
static inline struct ch_version_entry *far_of(const void *fn) {
  const uintptr_t bits = (uintptr_t)fn;
  _Static_assert(sizeof(struct ch_version_entry) == 16, "hash() counts addresses in units of 16, too");
  return (struct ch_version_entry *)((char *)own()->far + ((bits ^ bits >> 9) & (FAR - 1) * 16));
}

static inline size_t hash(const void *fn) { return (uintptr_t)fn >> 4 ^ (uintptr_t)fn >> 13; }

static void put(const struct ch_version_entry *e) {
  size_t i = hash(e->fn) & (table_size - 1);
  for (; table[i].fn; i = (i + 1) & (table_size - 1))
    if (table[i].fn == e->fn)
      return;
  table[i] = *e;
  table_used++;
}

static void grow(size_t entries) {
  size_t size = table_size ? table_size : 64;
  while (size < 2 * (table_used + entries))
    size *= 2;
  if (size == table_size)
    return;
  struct ch_version_entry *old = table;
  size_t old_size = table_size;
  table = calloc(size, sizeof *table);
  if (!table)
    ch_out_of_memory("the table of interruptible versions");
  table_size = size;
  table_used = 0;
  for (size_t i = 0; i < old_size; i++)
    if (old[i].fn)
      put(&old[i]);
  free(old);
}

static void put_all(const struct ch_version_entry *begin, const struct ch_version_entry *end) {
  grow((size_t)(end - begin));
  for (const struct ch_version_entry *e = begin; e < end; e++)
    if (e->fn && e->version)
      put(e);
}

static void clear(struct ch_version_entry *slots, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (slots[i].fn) /* so that untouched pages stay untouched */
      __atomic_store_n(&slots[i].fn, NO_FUNCTION, __ATOMIC_RELAXED);
}

static void forget_answers(void) {
  for (struct cache *c = caches; c; c = c->next) {
    clear(c->near, CH_VERSION_SLOTS);
    clear(c->far, FAR);
  }
}

void ch_versions_register(const struct ch_version_entry *begin, const struct ch_version_entry *end) {
  struct module *m = malloc(sizeof *m);
  if (!m)
    ch_out_of_memory("the table of interruptible versions");
  *m = (struct module){begin, end, NULL};
  pthread_mutex_lock(&lock);
  *last_module = m;
  last_module = &m->next;
  put_all(begin, end);
  forget_answers();
  pthread_mutex_unlock(&lock);
}

void ch_versions_unregister(const struct ch_version_entry *begin, const struct ch_version_entry *end) {
  pthread_mutex_lock(&lock);
  for (struct module **at = &modules; *at; at = &(*at)->next)
    if ((*at)->begin == begin && (*at)->end == end) {
      struct module *gone = *at;
      *at = gone->next;
      if (last_module == &gone->next)
        last_module = at;
      free(gone);
      break;
    }
  if (table)
    memset(table, 0, table_size * sizeof *table);
  table_used = 0;
  for (struct module *m = modules; m; m = m->next)
    put_all(m->begin, m->end);
  forget_answers();
  pthread_mutex_unlock(&lock);
}

static void make_cache(void) {
  struct cache *c = calloc(1, sizeof *c);
  if (!c)
    ch_out_of_memory("the table of interruptible versions");
  c->next = caches;
  c->link = &caches;
  if (caches)
    caches->link = &c->next;
  caches = c;
  ch_tls.versions = c->near;
}

static void write_slot(struct ch_version_entry *slot, void *fn, void *version) {
  slot->version = version;
  __atomic_store_n(&slot->fn, fn, __ATOMIC_RELAXED);
}

/* Whether code that looks at one of the seven places between these two words would take what it finds there for the
 * function that it looks for. `offset` is that of the first word. */
static bool misleads(const void *first, const void *second, size_t offset) {
  for (size_t k = 1; k < sizeof first; k++) {
    uint64_t found = (uintptr_t)first >> 8 * k | (uintptr_t)second << (64 - 8 * k);
    if (CH_VERSION_OFFSET(found) == offset + k)
      return true;
  }
  return false;
}

/* Whether the entry may stand in `near` (invariant 6), also after it or the next one has been cleared. */
static bool is_safe(const struct ch_version_entry *slot, const void *fn, const void *version) {
  const size_t at = CH_VERSION_OFFSET(fn), half = sizeof fn;
  const void *here[] = {fn, NO_FUNCTION}, *next[] = {slot[1].fn, NO_FUNCTION};
  if (CH_VERSION_OFFSET(version) == at + half)
    return false;
  for (int i = 0; i < 2; i++)
    if ((at > 0 && misleads(slot[-1].version, here[i], at - half)) || misleads(here[i], version, at) ||
        misleads(version, next[i], at + half))
      return false;
  return true;
}

CH_COLD static void *look_up(void *fn) {
  pthread_mutex_lock(&lock);
  if (ch_tls.versions == ch_versions_none)
    make_cache();
  void *version = NULL;
  if (table)
    for (size_t i = hash(fn) & (table_size - 1); table[i].fn; i = (i + 1) & (table_size - 1))
      if (table[i].fn == fn)
        version = table[i].version;
  write_slot(far_of(fn), fn, version);
  if (version && fn && has_place(fn) && is_safe(near_of(fn), fn, version))
    write_slot(near_of(fn), fn, version);
  pthread_mutex_unlock(&lock);
  return version;
}

void ch_versions_end(void) {
  if (ch_tls.versions == ch_versions_none)
    return;
  struct cache *c = own();
  pthread_mutex_lock(&lock);
  *c->link = c->next;
  if (c->next)
    c->next->link = c->link;
  pthread_mutex_unlock(&lock);
  ch_tls.versions = ch_versions_none;
  free(c);
}

CH_COLD CH_KEEPS_REGISTERS static void *look_further(void *fn, void *adapter) {
  void *version = look_up(fn);
  if (version)
    return version;
  ch_tls.callee = fn;
  return adapter;
}

/* Generated code asks when `near` has another function in this one's place, or when the function has no place or no
 * version: `near` does not say so. The last is usual, for leaves have none. Of two functions that are called in turn
 * and have one place in `near`, each gets it now and then: so the more frequent has it most of the time. */
CH_KEEPS_REGISTERS void *ch_version_of(void *fn, void *adapter) {
  const struct ch_version_entry *slot = far_of(fn);
  if (CH_UNLIKELY(__atomic_load_n(&slot->fn, __ATOMIC_RELAXED) != fn))
    CH_JUMP_TO look_further(fn, adapter);
  if (CH_LIKELY(!slot->version)) {
    ch_tls.callee = fn;
    return adapter;
  }
  if (has_place(fn) && __atomic_load_n(&near_of(fn)->fn, __ATOMIC_RELAXED) != fn && ++own()->missed % 64 == 0)
    CH_JUMP_TO look_further(fn, adapter);
  return slot->version;
}
