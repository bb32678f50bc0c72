/* The interruptible version of a function, found by its address.
 *
 * All modules' entries are in one open-addressed hash table under a lock; each thread has a direct-mapped cache of
 * answers, "there is none" included. Invariants: 1. a cache slot is right while the cache's generation equals the
 * table's; every change of the table moves its generation; 2. the table is at most half full; 3. an address stands in
 * it once: of several entries for it the first with a version wins; 4. entries of an unregistered module are gone. */
#include "frames/allocator.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
  const struct ch_twin_entry *begin, *end;
  struct module *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules, **last_module = &modules;
static struct ch_twin_entry *table;
static size_t table_size, table_used;
static unsigned generation = 1;

#define CACHE 512
struct cache {
  unsigned generation; /* 0: of no table */
  struct ch_twin_entry slots[CACHE];
};
static struct cache no_cache; /* what a thread has before its first question; never written */
static __thread __attribute__((tls_model("initial-exec"))) struct cache *cache = &no_cache;

static inline size_t hash(const void *fn) { return (uintptr_t)fn >> 4 ^ (uintptr_t)fn >> 13; }

static void put(const struct ch_twin_entry *e) {
  size_t i = hash(e->fn) & (table_size - 1);
  for (; table[i].fn; i = (i + 1) & (table_size - 1))
    if (table[i].fn == e->fn)
      return;
  table[i] = *e;
  table_used++;
}

CH_COLD static _Noreturn void out_of_memory(void) {
  fprintf(stderr, "charcoal: out of memory: no room for the table of interruptible functions\n");
  abort();
}

static void grow(size_t entries) {
  size_t size = table_size ? table_size : 64;
  while (size < 2 * (table_used + entries))
    size *= 2;
  if (size == table_size)
    return;
  struct ch_twin_entry *old = table;
  size_t old_size = table_size;
  table = calloc(size, sizeof *table);
  if (!table)
    out_of_memory();
  table_size = size;
  table_used = 0;
  for (size_t i = 0; i < old_size; i++)
    if (old[i].fn)
      put(&old[i]);
  free(old);
}

static void put_all(const struct ch_twin_entry *begin, const struct ch_twin_entry *end) {
  grow((size_t)(end - begin));
  for (const struct ch_twin_entry *e = begin; e < end; e++)
    if (e->fn && e->twin)
      put(e);
  __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
}

void ch_twins_register(const struct ch_twin_entry *begin, const struct ch_twin_entry *end) {
  struct module *m = malloc(sizeof *m);
  if (!m)
    out_of_memory();
  *m = (struct module){begin, end, NULL};
  pthread_mutex_lock(&lock);
  *last_module = m;
  last_module = &m->next;
  put_all(begin, end);
  pthread_mutex_unlock(&lock);
}

void ch_twins_unregister(const struct ch_twin_entry *begin, const struct ch_twin_entry *end) {
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
  __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}

CH_COLD static void *look_up(void *fn) {
  pthread_mutex_lock(&lock);
  if (cache == &no_cache) {
    struct cache *own = calloc(1, sizeof *own);
    if (!own)
      out_of_memory();
    cache = own;
  }
  if (cache->generation != generation) {
    memset(cache, 0, sizeof *cache);
    cache->generation = generation;
  }
  void *twin = NULL;
  if (table)
    for (size_t i = hash(fn) & (table_size - 1); table[i].fn; i = (i + 1) & (table_size - 1))
      if (table[i].fn == fn)
        twin = table[i].twin;
  pthread_mutex_unlock(&lock);
  cache->slots[hash(fn) % CACHE] = (struct ch_twin_entry){fn, twin};
  return twin;
}

void ch_twins_end(void) {
  if (cache == &no_cache)
    return;
  free(cache);
  cache = &no_cache;
}

void *ch_twin(void *fn, void *adapter) {
  struct ch_twin_entry *slot = &cache->slots[hash(fn) % CACHE];
  void *twin = CH_LIKELY(slot->fn == fn && cache->generation == __atomic_load_n(&generation, __ATOMIC_RELAXED))
                   ? slot->twin
                   : look_up(fn);
  if (CH_LIKELY(twin))
    return twin;
  ch_tls.callee = fn;
  return adapter;
}
