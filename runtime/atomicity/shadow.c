/* Shadow memory: a page of cells for each page of memory that was touched, found by a table of the pages' numbers.
 *
 * Invariant: an entry of the table, once made, keeps its place until the table grows or is dropped. */
#include "atomicity/watcher.h"
#include <sys/mman.h>

#define PAGE_LOG 12
#define CELLS (1u << (PAGE_LOG - 2))
#define PAGE_BYTES (CELLS * sizeof(struct ch_cell))
#define LOOKUPS 64

struct page {
  uintptr_t number; /* 0: the entry is free */
  struct ch_cell *cells;
};
struct table {
  struct page *pages;
  unsigned log, count;
  struct page *recent; /* LOOKUPS of them, direct-mapped; NULL: there is no memory for it, or no page yet. It is
                        * allocated, because a library that is opened at run time gets little thread-local memory */
};
static __thread struct table table;
static size_t taken; /* how much all domains have taken */
unsigned long ch_shadow_refused;

void *ch_pages_take(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}
void ch_pages_give(void *p, size_t bytes) { munmap(p, bytes); }

static struct page *entry_of(struct page *pages, unsigned log, uintptr_t number) {
  uintptr_t mask = ((uintptr_t)1 << log) - 1;
  uintptr_t i = number * 0x9e3779b97f4a7c15u >> (64 - log);
  while (pages[i & mask].number && pages[i & mask].number != number)
    i++;
  return &pages[i & mask];
}

static bool grow(struct table *t) {
  unsigned log = t->pages ? t->log + 1 : 10;
  struct page *bigger = ch_pages_take(sizeof *bigger << log);
  if (!bigger)
    return false;
  for (unsigned i = 0; t->pages && i < 1u << t->log; i++)
    if (t->pages[i].number)
      *entry_of(bigger, log, t->pages[i].number) = t->pages[i];
  if (t->pages)
    ch_pages_give(t->pages, sizeof *t->pages << t->log);
  if (!t->recent) /* without it every page is looked up */
    t->recent = ch_pages_take(sizeof *t->recent * LOOKUPS);
  t->pages = bigger;
  t->log = log;
  return true;
}

CH_COLD static struct ch_cell *new_page(struct table *t, uintptr_t number) {
  if ((!t->pages || t->count >= (1u << t->log) / 2) && !grow(t))
    return NULL;
  if (__atomic_add_fetch(&taken, PAGE_BYTES, __ATOMIC_RELAXED) > ch_atomicity_settings.memory) {
    __atomic_sub_fetch(&taken, PAGE_BYTES, __ATOMIC_RELAXED);
    ch_shadow_refused++;
    return NULL;
  }
  struct ch_cell *cells = ch_pages_take(PAGE_BYTES);
  if (!cells)
    return NULL;
  *entry_of(t->pages, t->log, number) = (struct page){number, cells};
  t->count++;
  return cells;
}

static inline struct ch_cell *cells_of(uintptr_t number, bool make) {
  struct table *t = &table;
  if (CH_LIKELY(t->recent != NULL) && CH_LIKELY(t->recent[number % LOOKUPS].number == number))
    return t->recent[number % LOOKUPS].cells;
  struct ch_cell *cells = t->pages ? entry_of(t->pages, t->log, number)->cells : NULL;
  if (!cells && make)
    cells = new_page(t, number);
  if (cells && t->recent)
    t->recent[number % LOOKUPS] = (struct page){number, cells};
  return cells;
}

static inline unsigned index_of(uintptr_t at) { return at >> 2 & (CELLS - 1); }

struct ch_cell *ch_shadow_cell(uintptr_t at) {
  struct ch_cell *cells = cells_of(at >> PAGE_LOG, true);
  return cells ? &cells[index_of(at)] : NULL;
}
struct ch_cell *ch_shadow_look(uintptr_t at) {
  struct ch_cell *cells = cells_of(at >> PAGE_LOG, false);
  return cells ? &cells[index_of(at)] : NULL;
}

void ch_shadow_drop(void) {
  struct table *t = &table;
  for (unsigned i = 0; t->pages && i < 1u << t->log; i++)
    if (t->pages[i].number) {
      ch_pages_give(t->pages[i].cells, PAGE_BYTES);
      __atomic_sub_fetch(&taken, PAGE_BYTES, __ATOMIC_RELAXED);
    }
  if (t->pages)
    ch_pages_give(t->pages, sizeof *t->pages << t->log);
  if (t->recent)
    ch_pages_give(t->recent, sizeof *t->recent * LOOKUPS);
  *t = (struct table){0};
}
