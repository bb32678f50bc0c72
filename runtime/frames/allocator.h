/* Memory of frames and activities: per-thread free lists of fixed-size blocks, carved from slabs.
 *
 * There are five kinds of block, each with its own slabs, so that a walk over the slabs of one kind finds every
 * live object of it: frames, activities, long activities (with a prefix), async branches, and variable-length locals.
 * The sizes of the classes are multiples of 16 bytes for frames and variable-length locals, and of 8 bytes for the
 * others. From 4 KiB to 32 KiB there are eight classes from each power of two to the next, for frames and
 * variable-length locals alone. Slabs of 64 KiB lie in arenas of 1 MiB, aligned to their size, whose first slab
 * describes the others.
 *
 * Invariants:
 * 1. Bit 0 of a block's first word is set exactly while the block is free; the rest of the word is the next free block.
 *    So a live object's first word must always be even: a frame's `info`, a branch's `scope`, a prefix's `handle`, the
 *    address of the variable-length local that was made before.
 * 2. A slab serves one kind and one class from the time when it is taken until it is given back whole.
 * 3. A class's `live` is the number of its blocks that are carved and not free.
 * 4. Class 0 has no blocks. What is too large or too aligned for any other is of class 0: such blocks, and every block
 *    in malloc mode, are on one list of their own (large.c).
 */
#ifndef CHARCOAL_FRAMES_ALLOCATOR_H
#define CHARCOAL_FRAMES_ALLOCATOR_H

#include "charcoal_abi.h"
#include "frames/attributes.h"
#include <stdbool.h>

enum ch_kind { CH_KIND_FRAME, CH_KIND_ACTIVITY, CH_KIND_LONG, CH_KIND_ASYNC, CH_KIND_DYNAMIC, CH_KINDS };

#define CH_ACTIVITY_STEP 8u
#define CH_ACTIVITY_MAX (UINT8_MAX * CH_ACTIVITY_STEP) /* a branch's class has one byte */

#define CH_FRAME_OF_MALLOC 0x80000000u /* in `held` of a frame that goes back to malloc */

struct ch_heap {
  struct ch_class classes[CH_KINDS][CH_CLASSES]; /* their lists are empty in malloc mode */
  /* The slab of each class that is being carved, and after it, by `next`, the class's others. */
  struct ch_slab *carving[CH_KINDS][CH_CLASSES];
};

/* ch_tls under a name of the runtime's own: other modules don't see it, so its place is a constant, and not to be
 * looked up for each access. */
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_tls ch_tls_here;
#define ch_tls ch_tls_here

/* The thread's heap: behind a pointer, so that libcharcoal.so can still be loaded late, when the C library has little
 * thread-local memory left. Never NULL: a thread that has taken no block sees the empty heap that all share. */
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_heap *ch_heap;
extern CH_HIDDEN struct ch_heap ch_heap_empty;

/* Non-zero: each block comes from malloc (CHARCOAL_FRAMES=malloc, or under AddressSanitizer). Set once, before the
 * first block is taken. */
extern CH_HIDDEN int ch_heap_malloc;

/* `size` and `align` matter only for blocks of class 0, and in malloc mode. */
CH_HIDDEN CH_RARE void *ch_block_take_slow(enum ch_kind, unsigned klass, size_t size, size_t align);
CH_HIDDEN CH_RARE void ch_block_give_large(void *block);
/* An activity's frames are its stack. Where they have become many times as large as the thread's stack may be, on the
 * average of all that are alive, this overflows the native one. Asked when much memory has been taken for frames. */
CH_HIDDEN void ch_frames_limit(void);
/* Gives whole free slabs back to the system if much more is free than live. */
CH_HIDDEN void ch_heap_trim(void);
/* Gives all of the thread's memory back: nothing lives there any more. */
CH_HIDDEN void ch_heap_end(void);
/* What ch_tls.versions is before a thread's first question: never written. */
extern CH_HIDDEN struct ch_version_entry ch_versions_none[];
/* The thread's domain, which has run, is no more: so is its cache of versions (versions.c). */
CH_HIDDEN void ch_versions_end(void);
/* Calls visit(block, data) for every live block of the kind, on this thread. */
CH_HIDDEN void ch_heap_walk(enum ch_kind, void (*visit)(void *, void *), void *data);
/* The bytes of a block of this thread. */
CH_HIDDEN size_t ch_heap_size_of(void *block);
/* Whether the address is that of an activity or a branch of this thread, in or out of use; never in malloc mode. */
CH_HIDDEN bool ch_heap_holds(const void *);
/* Whether the address is that of a block of this thread that is out of use. */
CH_HIDDEN bool ch_heap_has_freed(const void *);
CH_HIDDEN uint64_t ch_heap_mapped(void);
CH_HIDDEN void ch_heap_sums(enum ch_kind, uint64_t *blocks, uint64_t *bytes);
/* Where the list of arenas begins: for debuggers. */
CH_HIDDEN void *ch_heap_arenas(void);
/* Asserts the invariants above (expensive). */
CH_HIDDEN void ch_heap_check(void);

/* NULL: none is free, as always in malloc mode. */
static inline void *ch_class_take(struct ch_class *c) {
  uintptr_t *block = c->free;
  if (CH_UNLIKELY(!block))
    return NULL;
  c->free = (void *)(*block & ~(uintptr_t)1);
  c->live++;
  return block;
}
static inline void ch_class_give(struct ch_class *c, void *block) {
  *(uintptr_t *)block = (uintptr_t)c->free | 1;
  c->free = block;
  c->live--;
}

static inline void *ch_block_take_if_free(enum ch_kind kind, unsigned klass) {
  return ch_class_take(&ch_heap->classes[kind][klass]);
}
/* NULL: there is no memory. */
static inline void *ch_block_take(enum ch_kind kind, unsigned klass, size_t size, size_t align) {
  void *block = ch_block_take_if_free(kind, klass);
  return CH_LIKELY(block != NULL) ? block : ch_block_take_slow(kind, klass, size, align);
}

static inline void ch_block_give(enum ch_kind kind, unsigned klass, void *block) {
  if (CH_UNLIKELY((ch_heap_malloc != 0) | (klass == CH_LARGE_CLASS))) {
    ch_block_give_large(block);
    return;
  }
  ch_class_give(&ch_heap->classes[kind][klass], block);
}

/* ch_frame_new and ch_frame_free for a frame of the runtime's own, which is small and of ordinary alignment. */
static inline struct ch_class *ch_frame_class(size_t size) {
  return &ch_tls.frames[(size + CH_FRAME_STEP - 1) / CH_FRAME_STEP];
}
static inline __attribute__((always_inline)) struct ch_frame *ch_frame_take(const struct ch_frame_info *info) {
  struct ch_frame *f = ch_class_take(ch_frame_class(info->size));
  if (CH_UNLIKELY(!f))
    return ch_frame_new(info);
  f->info = info;
  f->parent = NULL;
  f->point = f->held = 0;
  return f;
}
static inline void ch_frame_give_sized(struct ch_frame *f, size_t size) {
  if (CH_UNLIKELY(f->held != 0))
    ch_frame_free(f);
  else
    ch_class_give(ch_frame_class(size), f);
}
static inline void ch_frame_give(struct ch_frame *f) { ch_frame_give_sized(f, f->info->size); }

#endif
