/* The functions by which generated code saves and restores an activation (abi/README.md), and the thread's ch_tls. */
#include "frames/allocator.h"
#include "frames/captures.h"
#include "frames/guards.h"
#include "frames/out_of_memory.h"
#include "frames/words.h"
#include "charcoal_sizes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef ch_tls
__thread __attribute__((tls_model("initial-exec"))) struct ch_tls ch_tls = {
    .versions = ch_versions_none,
    .frames = ch_heap_empty.classes[CH_KIND_FRAME],
};
extern __thread struct ch_tls ch_tls_here __attribute__((alias(CH_TLS_SYMBOL)));
#define ch_tls ch_tls_here

/* GNU ld prints this beside "undefined reference" for the objects of contracts before CH_ABI_NUMBER. Linkers that do
 * not know such sections drop them. Add one for each number that is no longer that of this runtime. */
#define OF_ANOTHER_CONTRACT(symbol)                                                                                    \
  __asm__(".pushsection .gnu.warning." symbol ", \"\", %progbits\n"                                                    \
          ".asciz \"another version of charcoal-cc compiled this object; compile it again\"\n"                         \
          ".popsection")
OF_ANOTHER_CONTRACT("ch_tls");

CH_COLD static _Noreturn void out_of_memory(const struct ch_frame_info *info) {
  ch_out_of_memory("a frame of %u bytes for %s", info->size, info->name ? info->name : "a call that begins");
}

static inline struct ch_frame *take(const struct ch_frame_info *info) {
  struct ch_frame *f = ch_block_take(CH_KIND_FRAME, ch_class_of(info->size, info->align), info->size, info->align);
  if (CH_UNLIKELY(!f))
    out_of_memory(info);
  return f;
}

static inline void give(struct ch_frame *f, const struct ch_frame_info *info) {
  ch_block_give(CH_KIND_FRAME, ch_class_of(info->size, info->align), f);
}

static inline int linked(struct ch_frame *f, uint32_t why) {
  f->point = CH_POINT_OF(why);
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (int)CH_STATUS_OF(why);
}

static inline struct ch_restored restored(uint32_t point) {
  return (struct ch_restored){.point = point, .value = *(const uintptr_t *)ch_tls.result};
}

/* The fast paths below only jump, so that they need no prologue: whatever is unusual goes to these, as a whole. */
CH_COLD static int suspend_slow(const struct ch_frame_info *info, const void *image, uint32_t why) {
  struct ch_frame *f = take(info);
  f->info = info;
  f->held = 0;
  memcpy(f->image, image, info->image);
  return linked(f, why);
}

CH_COLD static int suspend_home_slow(struct ch_frame *f, const void *image, uint32_t why) {
  memcpy(f->image, image, f->info->image);
  return linked(f, why);
}

CH_COLD static struct ch_restored restore_slow(void *image) {
  struct ch_frame *f = ch_tls.resuming;
  const struct ch_frame_info *info = f->info;
  uint32_t point = f->point;
  memcpy(image, f->image, info->image);
  if (!(info->flags & CH_FRAME_HOME))
    give(f, info);
  return restored(point);
}

/* Where the free list of a small frame is. Class 0 has no blocks: whatever is not small finds its list empty. */
static inline struct ch_class *class_of(uint64_t small) {
  _Static_assert(sizeof(struct ch_class) == CH_FRAME_STEP, "a size rounded up is an offset into the classes");
  return (struct ch_class *)((char *)ch_tls.frames + small);
}

int ch_suspend(const struct ch_frame_info *info, const void *image, uint32_t why) {
  struct ch_frame *f = ch_class_take(class_of(info->small));
  if (CH_UNLIKELY(!f))
    CH_JUMP_TO suspend_slow(info, image, why);
  f->info = info;
  f->held = 0;
  ch_copy_words(f->image, image, info->image);
  return linked(f, why);
}

int ch_suspend_home(struct ch_frame *f, const void *image, uint32_t why) {
  uint32_t n = f->info->image;
  if (CH_UNLIKELY(n > CH_MOST_WORDS))
    CH_JUMP_TO suspend_home_slow(f, image, why);
  ch_copy_words(f->image, image, n);
  return linked(f, why);
}

/* A frame that the activation keeps. */
static struct ch_restored restore_home(const struct ch_frame *f, const struct ch_frame_info *info, void *image) {
  ch_copy_words(image, f->image, info->image);
  return restored(f->point);
}

struct ch_restored ch_restore(void *image) {
  struct ch_frame *f = ch_tls.resuming;
  const struct ch_frame_info *info = f->info;
  ch_tls.attention = 0;
  if (CH_UNLIKELY(!info->small | (ch_heap_malloc != 0))) {
    if (CH_LIKELY(info->flags & CH_FRAME_HOME) && CH_LIKELY(info->image <= CH_MOST_WORDS))
      return restore_home(f, info, image);
    CH_JUMP_TO restore_slow(image);
  }
  uint32_t point = f->point;
  ch_copy_words(image, f->image, info->image);
  ch_class_give(class_of(info->small), f);
  return restored(point);
}

/* For images of n words. A frame without homes is as large as its header and its image, so its class is a constant. */
#define BYTES_OF(n) ((CH_FRAME_HEADER + 8 * n + CH_FRAME_STEP - 1) / CH_FRAME_STEP * CH_FRAME_STEP)
#define SIZED(n)                                                                                                       \
  int ch_suspend_##n(const struct ch_frame_info *info, const void *image, uint32_t why) {                              \
    struct ch_frame *f = ch_class_take(class_of(BYTES_OF(n)));                                                         \
    if (CH_UNLIKELY(!f))                                                                                               \
      CH_JUMP_TO suspend_slow(info, image, why);                                                                       \
    f->info = info;                                                                                                    \
    f->held = 0;                                                                                                       \
    ch_copy_words(f->image, image, 8 * n);                                                                             \
    return linked(f, why);                                                                                             \
  }                                                                                                                    \
  int ch_suspend_home_##n(struct ch_frame *f, const void *image, uint32_t why) {                                       \
    ch_copy_words(f->image, image, 8 * n);                                                                             \
    return linked(f, why);                                                                                             \
  }                                                                                                                    \
  struct ch_restored ch_restore_##n(void *image) {                                                                     \
    struct ch_frame *f = ch_tls.resuming;                                                                              \
    ch_tls.attention = 0;                                                                                              \
    if (CH_UNLIKELY(ch_heap_malloc != 0))                                                                              \
      CH_JUMP_TO restore_slow(image);                                                                                  \
    uint32_t point = f->point;                                                                                         \
    ch_copy_words(image, f->image, 8 * n);                                                                             \
    ch_class_give(class_of(BYTES_OF(n)), f);                                                                           \
    return restored(point);                                                                                            \
  }                                                                                                                    \
  struct ch_restored ch_restore_home_##n(void *image) {                                                                \
    struct ch_frame *f = ch_tls.resuming;                                                                              \
    ch_tls.attention = 0;                                                                                              \
    ch_copy_words(image, f->image, 8 * n);                                                                             \
    return restored(f->point);                                                                                         \
  }
CH_FOR_EACH_SIZE(SIZED)

CH_KEEPS_REGISTERS struct ch_frame *ch_frame_new(const struct ch_frame_info *info) {
  struct ch_frame *f = take(info);
  f->info = info;
  f->parent = NULL;
  f->point = 0;
  f->held = CH_UNLIKELY(ch_heap_malloc) ? CH_FRAME_OF_MALLOC : 0;
  return f;
}

struct ch_frame *ch_frame_new_guarded(const struct ch_frame_info *info, const struct ch_guards *guards) {
  struct ch_frame *f = ch_frame_new(info);
  ch_guard_frame(f, guards);
  return f;
}

CH_KEEPS_REGISTERS void ch_frame_free(struct ch_frame *f) {
  if (CH_UNLIKELY(f->held & ~CH_FRAME_OF_MALLOC))
    ch_captures_frame_ends(f);
  give(f, f->info);
}

/* ---- calls that have not waited, and give way ---- */

/* The result is the frame's image. */
static int go_on(struct ch_frame *f) {
  *(long *)ch_tls.result = *(long *)f->image;
  ch_frame_free(f);
  return CH_DONE;
}
static const struct ch_frame_info done_info = {
    .resume = go_on, .name = "a call that has not waited", .size = CH_FRAME_HEADER + sizeof(long), .align = 16};

CH_COLD struct ch_int_result ch_done_later(long value) {
  struct ch_frame *f = ch_frame_new(&done_info);
  *(long *)f->image = value;
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (struct ch_int_result){CH_PAUSED, 0};
}

/* ---- variable-length locals ---- */

/* Stands just before the local. In a block of ordinary alignment it is also the first thing. */
struct piece {
  void *outer;                   /* the local made before */
  uint32_t from_block, of_class; /* the local's distance from its block, in bytes; the block's class */
};

void *ch_alloca(void **list, size_t size, size_t align) {
  _Static_assert(sizeof(struct piece) <= 16, "there is room for it before the local");
  if (align < 16)
    align = 16;
  size_t total;
  char *block = NULL;
  unsigned klass = CH_LARGE_CLASS;
  if (!__builtin_add_overflow(size, align, &total)) {
    klass = ch_class_of(total, align);
    block = ch_block_take(CH_KIND_DYNAMIC, klass, total, align);
  }
  if (!block)
    ch_out_of_memory("a variable-length local of %zu bytes", size);
  *(uintptr_t *)block = 0; /* even, also where the piece stands further on */
  char *p = block + align;
  ((struct piece *)p)[-1] = (struct piece){*list, (uint32_t)align, klass};
  ch_guard_dynamic(p, size);
  *list = p;
  return p;
}

void ch_alloca_release(void **list, void *mark) {
  while (*list != mark) {
    char *p = *list;
    struct piece piece = ((struct piece *)p)[-1];
    *list = piece.outer;
    ch_block_give(CH_KIND_DYNAMIC, piece.of_class, p - piece.from_block);
  }
}
