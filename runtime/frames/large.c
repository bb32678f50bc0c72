#include "frames/large.h"
#include "frames/guards.h"
#include <stdlib.h>

static __thread struct ch_large *first;
static __thread uint64_t bytes_now;

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
  *h = (struct ch_large){.next = first, .raw = raw, .size = size, .kind = kind, .magic = CH_LARGE_MAGIC};
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
