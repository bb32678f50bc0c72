/* The slabs and arenas from which the free lists of allocator.h are filled. Only the thread of one domain uses a heap.
 */
#define _GNU_SOURCE
#include "frames/allocator.h"
#include "frames/captures.h"
#include "frames/guards.h"
#include "frames/large.h"
#include "frames/spares.h"
#include "sched/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB ((size_t)64 * 1024)
/* Not larger, because a program of an ordinary user may lock all its memory, and that of the future (mlockall), only
 * while it has less than 8 MiB of addresses, whether it uses them or not. */
#define ARENA ((size_t)1024 * 1024)
#define SLABS (ARENA / SLAB)
/* Slabs that spawning leaves for the frames of what is already there, so that running out of memory at a spawn
 * doesn't end what runs. */
#define RESERVE 8

struct ch_slab {
  struct ch_slab *next; /* on the list of free slabs, or of its kind and class */
  uint32_t block;       /* size of a block; 0 while the slab is free */
  uint16_t kind, klass;
  uint32_t carved; /* blocks that have been handed out at least once */
  uint32_t idle;   /* free blocks, as counted by the trim */
};

struct ch_arena {
  struct ch_arena *next;
  struct ch_slab slabs[SLABS]; /* [0] describes the slab that this header is in */
  uintptr_t lowest, end;       /* it and all that were mapped before it lie between these addresses */
};

struct ch_heap ch_heap_empty;
__thread __attribute__((tls_model("initial-exec"))) struct ch_heap *ch_heap = &ch_heap_empty;
int ch_heap_malloc = -1;

static __thread struct ch_arena *arenas;
static __thread struct ch_slab *free_slabs;
static __thread unsigned free_count, arena_count;
static __thread uint64_t used_slabs;

static struct ch_arena *arena_of(const void *p) { return (struct ch_arena *)((uintptr_t)p & ~(ARENA - 1)); }
static struct ch_slab *slab_of(const void *p) { return &arena_of(p)->slabs[((uintptr_t)p & (ARENA - 1)) / SLAB]; }
static char *slab_base(const struct ch_slab *s) {
  return (char *)arena_of(s) + SLAB * (size_t)(s - arena_of(s)->slabs);
}

/* At an address of the kernel's choice; `wish`: preferably there. */
static char *map(void *wish, size_t size) {
  char *p = mmap(wish, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* Aligned to its size. Mostly there is room below the arena that was mapped last, and the kernel then sees a single
 * area; otherwise the aligned half of twice as much is kept. */
static char *map_aligned(void) {
  char *p = arenas ? map((char *)arenas - ARENA, ARENA) : NULL;
  if (p && (uintptr_t)p % ARENA == 0)
    return p;
  if (p)
    munmap(p, ARENA);
  if (!(p = map(NULL, 2 * ARENA)))
    return NULL;
  char *base = (char *)(((uintptr_t)p + ARENA - 1) & ~(ARENA - 1));
  if (base > p)
    munmap(p, (size_t)(base - p));
  if (base + ARENA < p + 2 * ARENA)
    munmap(base + ARENA, (size_t)(p + ARENA - base));
  return base;
}

/* A spare arena has a cleared header, and little of it has been touched. */
static struct ch_spares spare_arenas;

static bool map_arena(void) {
  struct ch_arena *a = arenas ? NULL : ch_spare_take(&spare_arenas);
  if (!a && !(a = (struct ch_arena *)map_aligned()))
    return false;
  const uintptr_t base = (uintptr_t)a;
  a->lowest = arenas && arenas->lowest < base ? arenas->lowest : base;
  a->end = arenas && arenas->end > base + ARENA ? arenas->end : base + ARENA;
  a->next = arenas;
  arenas = a;
  arena_count++;
  for (size_t i = SLABS - 1; i > 0; i--) {
    a->slabs[i].next = free_slabs;
    free_slabs = &a->slabs[i];
  }
  free_count += SLABS - 1;
  return true;
}

static struct ch_slab *take_slab(enum ch_kind kind) {
  if ((kind == CH_KIND_ACTIVITY || kind == CH_KIND_LONG) && free_count <= RESERVE && !map_arena())
    return NULL;
  if (!free_slabs) {
    if (kind == CH_KIND_FRAME)
      ch_frames_limit();
    if (!map_arena())
      return NULL;
  }
  struct ch_slab *s = free_slabs;
  free_slabs = s->next;
  free_count--;
  used_slabs++;
  return s;
}

static uint32_t size_of_class(enum ch_kind kind, unsigned klass) {
  if (klass < CH_FINE_CLASSES)
    return klass * (kind == CH_KIND_FRAME || kind == CH_KIND_DYNAMIC ? CH_FRAME_STEP : CH_ACTIVITY_STEP);
  const unsigned doublings = (klass - CH_FINE_CLASSES) / 8, eighths = 9 + (klass - CH_FINE_CLASSES) % 8;
  return eighths * (CH_FRAME_MAX / 8) << doublings;
}

CH_COLD static void choose_mode(void) {
  const char *how = getenv("CHARCOAL_FRAMES");
  ch_heap_malloc = how ? strcmp(how, "malloc") == 0 : ch_guards_start();
}

CH_COLD void *ch_block_take_slow(enum ch_kind kind, unsigned klass, size_t size, size_t align) {
  if (ch_heap_malloc < 0)
    choose_mode();
  if (ch_heap_malloc || klass == CH_LARGE_CLASS)
    return ch_large_take(kind, size, align);
  if (ch_heap == &ch_heap_empty) {
    struct ch_heap *own = calloc(1, sizeof *own);
    if (!own)
      return NULL;
    ch_heap = own;
    ch_tls.frames = own->classes[CH_KIND_FRAME];
  }
  struct ch_class *c = &ch_heap->classes[kind][klass];
  struct ch_slab *s = ch_heap->carving[kind][klass];
  if (!s || (s->carved + 1) * (size_t)s->block > SLAB) {
    struct ch_slab *added = take_slab(kind);
    if (!added)
      return NULL;
    added->next = s;
    added->block = size_of_class(kind, klass);
    added->kind = kind;
    added->klass = klass;
    added->carved = 0;
    ch_heap->carving[kind][klass] = s = added;
  }
  /* Carves no further than to the end of the page that is touched anyway, and in order, so that neighbours are used
   * together. */
  char *first = slab_base(s) + (size_t)s->carved * s->block;
  char *end = (char *)(((uintptr_t)first + s->block + 4095) & ~(uintptr_t)4095);
  char *limit = slab_base(s) + SLAB;
  if (end > limit)
    end = limit;
  uint32_t n = (uint32_t)((size_t)(end - first) / s->block);
  if (n == 0)
    n = 1;
  s->carved += n;
  for (char *b = first + (n - 1) * (size_t)s->block; b != first; b -= s->block) {
    *(uintptr_t *)b = (uintptr_t)c->free | 1;
    c->free = b;
  }
  c->live++;
  return first;
}

CH_COLD void ch_block_give_large(void *block) { ch_large_give(block); }

void *ch_heap_arenas(void) { return &arenas; }

/* The slab of this thread in which the address lies; NULL: it lies in none. */
static struct ch_slab *slab_at(const void *p) {
  if (!arenas || (uintptr_t)p < arenas->lowest || (uintptr_t)p >= arenas->end)
    return NULL;
  for (const struct ch_arena *a = arenas; a; a = a->next)
    if (a == arena_of(p)) {
      struct ch_slab *s = slab_of(p);
      return s != &a->slabs[0] && s->block ? s : NULL;
    }
  return NULL;
}

/* The block of the slab in which the address lies. NULL: it is free. */
static void *live_block(const struct ch_slab *s, const void *p) {
  size_t i = (size_t)((const char *)p - slab_base(s)) / s->block;
  char *b = slab_base(s) + i * s->block;
  return i < s->carved && !(*(uintptr_t *)b & 1) ? b : NULL;
}

bool ch_heap_holds(const void *p) {
  const struct ch_slab *s = slab_at(p);
  return s && s->kind != CH_KIND_FRAME && s->kind != CH_KIND_DYNAMIC;
}
bool ch_heap_has_freed(const void *p) {
  const struct ch_slab *s = slab_at(p);
  return s && !live_block(s, p);
}

size_t ch_heap_size_of(void *block) {
  const struct ch_slab *s = slab_at(block);
  return s ? s->block : ch_large_of(block)->size;
}

uint64_t ch_heap_mapped(void) { return used_slabs * SLAB + arena_count * (uint64_t)4096 + ch_large_bytes(); }

void ch_heap_sums(enum ch_kind kind, uint64_t *blocks, uint64_t *bytes) {
  *blocks = *bytes = 0;
  for (unsigned i = 0; i < CH_CLASSES; i++) {
    *blocks += ch_heap->classes[kind][i].live;
    *bytes += ch_heap->classes[kind][i].live * size_of_class(kind, i);
  }
  ch_large_sums(kind, blocks, bytes);
}

void ch_heap_walk(enum ch_kind kind, void (*visit)(void *, void *), void *data) {
  for (unsigned k = 0; k < CH_CLASSES; k++)
    for (struct ch_slab *s = ch_heap->carving[kind][k]; s; s = s->next)
      for (uint32_t i = 0; i < s->carved; i++) {
        char *b = slab_base(s) + (size_t)i * s->block;
        if (!(*(uintptr_t *)b & 1))
          visit(b, data);
      }
  ch_large_walk(kind, visit, data);
}

struct ch_frame *ch_heap_frame_of(const void *p) {
  const struct ch_slab *s = slab_at(p);
  if (s)
    return s->kind == CH_KIND_FRAME ? live_block(s, p) : NULL;
  struct ch_frame *f = ch_large_at(p);
  const bool is_frame = f && ch_large_of(f)->kind == CH_KIND_FRAME && f->info;
  return is_frame && (const char *)p < (char *)f + f->info->size ? f : NULL;
}

/* ---- giving memory back ---- */

static uint64_t free_bytes(void) {
  uint64_t live = 0;
  for (unsigned kind = 0; kind < CH_KINDS; kind++)
    for (unsigned i = 0; i < CH_CLASSES; i++)
      live += ch_heap->classes[kind][i].live * size_of_class(kind, i);
  return used_slabs * SLAB - live;
}

static void trim_class(enum ch_kind kind, unsigned klass) {
  struct ch_class *c = &ch_heap->classes[kind][klass];
  for (uintptr_t *b = c->free; b; b = (uintptr_t *)(*b & ~(uintptr_t)1))
    slab_of(b)->idle++;
  /* Drop the blocks of slabs that are wholly free from the free list, keeping its order. */
  void *kept = NULL;
  uintptr_t *last = NULL;
  for (uintptr_t *b = c->free; b;) {
    uintptr_t *next = (uintptr_t *)(*b & ~(uintptr_t)1);
    struct ch_slab *s = slab_of(b);
    if (s->idle < s->carved) {
      if (last)
        *last = (uintptr_t)b | 1;
      else
        kept = b;
      last = b;
    }
    b = next;
  }
  if (last)
    *last = 1;
  c->free = kept;
  struct ch_slab **at = &ch_heap->carving[kind][klass];
  while (*at) {
    struct ch_slab *s = *at;
    bool whole = s->idle == s->carved;
    s->idle = 0;
    if (!whole) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    s->block = 0;
    madvise(slab_base(s), SLAB, MADV_DONTNEED);
    s->next = free_slabs;
    free_slabs = s;
    free_count++;
    used_slabs--;
  }
}

/* A look costs time for every free block. What was free at the last look and could not be given back, because something
 * lives in each of its slabs, is not looked at again before as much again is free, or half of it is in use. */
CH_COLD void ch_heap_trim(void) {
  static __thread uint64_t kept;
  uint64_t idle = free_bytes();
  if (idle < kept / 2)
    kept = idle;
  if (idle < 1024 * 1024 || idle < used_slabs * SLAB / 2 || idle < 2 * kept)
    return;
  for (unsigned kind = 0; kind < CH_KINDS; kind++)
    for (unsigned i = 0; i < CH_CLASSES; i++)
      if (ch_heap->carving[kind][i])
        trim_class(kind, i);
  kept = free_bytes();
  ch_heap_check();
}

CH_COLD void ch_heap_end(void) {
  ch_large_end();
  if (ch_heap == &ch_heap_empty)
    return;
  free(ch_heap);
  ch_heap = &ch_heap_empty;
  ch_tls.frames = ch_heap_empty.classes[CH_KIND_FRAME];
  const bool spare = arena_count == 1 && used_slabs <= RESERVE / 2;
  while (arenas) {
    struct ch_arena *gone = arenas;
    arenas = gone->next;
    if (spare)
      memset(gone, 0, sizeof *gone);
    if (!spare || !ch_spare_keep(&spare_arenas, gone))
      munmap(gone, ARENA);
  }
  free_slabs = NULL;
  free_count = arena_count = 0;
  used_slabs = 0;
}

void ch_heap_check(void) {
#ifdef CHARCOAL_CHECKED
  for (unsigned kind = 0; kind < CH_KINDS; kind++)
    for (unsigned k = 0; k < CH_CLASSES; k++) {
      uint64_t carved = 0, idle = 0;
      for (struct ch_slab *s = ch_heap->carving[kind][k]; s; s = s->next) {
        CH_INVARIANT(s->kind == kind && s->klass == k, "a slab serves one kind and one class");
        carved += s->carved;
      }
      for (uintptr_t *b = ch_heap->classes[kind][k].free; b; b = (uintptr_t *)(*b & ~(uintptr_t)1)) {
        CH_INVARIANT(*b & 1, "a free block's first word is odd");
        idle++;
      }
      CH_INVARIANT(carved - idle == ch_heap->classes[kind][k].live, "live counts the carved blocks that are not free");
    }
#endif
}
