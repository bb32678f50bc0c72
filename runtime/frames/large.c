/* Blocks of memory that no class of the allocator holds. See large.h. */
#include "frames/large.h"
#include "frames/guards.h"
#include <stdlib.h>

static __thread struct ch_large *first;
static __thread uint64_t bytes_now;

/* ---- which block a pointer points into ---- */

/* The blocks by the page of memory in which each begins. There are more places than blocks, unless there is no memory
 * for more. */
struct by_page {
  size_t places; /* a power of two */
  size_t blocks;
  size_t longest; /* the size of the longest block that has been in it */
  struct ch_large *at[];
};
static __thread struct by_page *by_page;

static uintptr_t page_of(const void *p) { return (uintptr_t)p >> 12; }
static struct ch_large **place_of_page(uintptr_t page) { return &by_page->at[page & (by_page->places - 1)]; }

static void put(struct ch_large *h) {
  struct ch_large **at = place_of_page(page_of(h + 1));
  h->beside = *at;
  *at = h;
  by_page->blocks++;
  if (h->size > by_page->longest)
    by_page->longest = h->size;
}

/* The block is on the list already. */
static void add_to_index(struct ch_large *h) {
  const size_t places = by_page ? 2 * by_page->places : 64;
  struct by_page *larger = NULL;
  if (!by_page || by_page->blocks == by_page->places)
    larger = calloc(1, sizeof *larger + places * sizeof larger->at[0]);
  if (!larger) {
    if (by_page)
      put(h);
    return;
  }
  free(by_page);
  by_page = larger;
  by_page->places = places;
  for (struct ch_large *one = first; one; one = one->next)
    put(one);
}

static void take_from_index(struct ch_large *h) {
  if (!by_page)
    return;
  struct ch_large **at = place_of_page(page_of(h + 1));
  while (*at && *at != h)
    at = &(*at)->beside;
  if (!*at)
    return;
  *at = h->beside;
  by_page->blocks--;
}

void *ch_large_at(const void *p) {
  for (uintptr_t back = 0; by_page && back <= by_page->longest / 4096 + 1 && back <= page_of(p); back++)
    for (struct ch_large *h = *place_of_page(page_of(p) - back); h; h = h->beside)
      if ((const char *)p >= (char *)(h + 1) && (const char *)p < (char *)(h + 1) + h->size)
        return h + 1;
  return NULL;
}

/* ---- taking and giving back ---- */

void ch_large_end(void) {
  free(by_page);
  by_page = NULL;
}

void *ch_large_list(void) { return &first; }

void *ch_large_take(enum ch_kind kind, size_t size, size_t align) {
  if (align < 16)
    align = 16;
  size_t total;
  if (__builtin_add_overflow(size, sizeof(struct ch_large) + align, &total))
    return NULL;
  void *raw = malloc(total);
  if (!raw)
    return NULL;
  char *block = (char *)(((uintptr_t)raw + sizeof(struct ch_large) + align - 1) & ~((uintptr_t)align - 1));
  struct ch_large *h = ch_large_of(block);
  *h =
      (struct ch_large){.next = first, .raw = raw, .size = size, .total = total, .kind = kind, .magic = CH_LARGE_MAGIC};
  ch_guard_heap(block + size, (char *)raw + total);
  if (first)
    first->prev = h;
  first = h;
  add_to_index(h);
  bytes_now += size;
  if (kind == CH_KIND_FRAME && bytes_now >> 22 != (bytes_now - size) >> 22)
    ch_frames_limit();
  *(uintptr_t *)block = 0;
  return block;
}

void ch_large_give(void *block) {
  struct ch_large *h = ch_large_of(block);
  if (h->next)
    h->next->prev = h->prev;
  if (h->prev)
    h->prev->next = h->next;
  else
    first = h->next;
  take_from_index(h);
  bytes_now -= h->size;
  free(h->raw);
}

void ch_large_walk(enum ch_kind kind, void (*visit)(void *, void *), void *data) {
  for (struct ch_large *h = first; h; h = h->next)
    if (h->kind == kind)
      visit(h + 1, data);
}

void ch_large_sums(enum ch_kind kind, uint64_t *blocks, uint64_t *bytes) {
  for (struct ch_large *h = first; h; h = h->next)
    if (h->kind == kind) {
      ++*blocks;
      *bytes += h->size;
    }
}

uint64_t ch_large_bytes(void) { return bytes_now; }
