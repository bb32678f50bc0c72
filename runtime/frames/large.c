/* Blocks of memory that no class of the allocator holds. See large.h. */
#include "frames/large.h"
#include "frames/guards.h"
#include <stdlib.h>

static __thread struct ch_large *first;
static __thread uint64_t bytes_now;

/* Blocks that were given back lately, for a function whose frame is large takes one at each call: in the place of its
 * size at most one of each, as long as they are not too large to be kept. Never in malloc mode. */
#define PLACES 16
#define KEPT_MAX ((size_t)32 * 1024)
struct kept {
  void *raw;
  size_t total;
};
/* PLACES of them; NULL until the first. Not in place, for thread-local memory is scarce. */
static __thread struct kept *kept;

static unsigned place_of(size_t total) { return (unsigned)(total / 16) % PLACES; }

static void *take_memory(size_t total) {
  const unsigned i = place_of(total);
  if (kept && kept[i].raw && kept[i].total == total) {
    void *raw = kept[i].raw;
    kept[i].raw = NULL;
    return raw;
  }
  return malloc(total);
}

static void give_memory(void *raw, size_t total) {
  if (!kept && !ch_heap_malloc)
    kept = calloc(PLACES, sizeof *kept);
  if (!kept || total > KEPT_MAX) {
    free(raw);
    return;
  }
  const unsigned i = place_of(total);
  free(kept[i].raw);
  kept[i].raw = raw;
  kept[i].total = total;
}

void ch_large_end(void) {
  for (unsigned i = 0; kept && i < PLACES; i++)
    free(kept[i].raw);
  free(kept);
  kept = NULL;
}

void *ch_large_list(void) { return &first; }

void *ch_large_take(enum ch_kind kind, size_t size, size_t align) {
  if (align < 16)
    align = 16;
  size_t total;
  if (__builtin_add_overflow(size, sizeof(struct ch_large) + align, &total))
    return NULL;
  void *raw = take_memory(total);
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
  bytes_now -= h->size;
  give_memory(h->raw, h->total);
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
