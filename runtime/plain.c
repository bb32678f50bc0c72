/* Replaces the runtime where the user wants no libraries (-nostdlib and the like). It is enough for interruptible
 * versions to run to their ends: nothing sets ch_tls.attention, so nothing is ever suspended, and only the thread of
 * `main` runs them. It needs no C library.
 *
 * Frames and variable-length locals are freed in the reverse order in which they were allocated, so they lie on a
 * stack. */
#include "charcoal_sizes.h"

/* Where generated code looks for versions and frames before it asks below: nothing is ever in them. */
static struct ch_version_entry no_versions[CH_VERSION_SLOTS + 1];
static struct ch_class no_frames[CH_CLASSES];

__thread struct ch_tls ch_tls __attribute__((aligned(64))) = {.versions = no_versions, .frames = no_frames};

static _Alignas(64) unsigned char stack[1 << 20];
static size_t used;

/* A block, with what was used before it in front. */
static void *push(size_t size, size_t align) {
  if (align < sizeof(size_t))
    align = sizeof(size_t);
  size_t at = (used + sizeof(size_t) + align - 1) & ~(align - 1);
  if (size > sizeof stack || at > sizeof stack - size)
    __builtin_trap();
  ((size_t *)(stack + at))[-1] = used;
  used = at + size;
  return stack + at;
}

static void pop(void *block) { used = ((size_t *)block)[-1]; }

struct ch_frame *ch_frame_new(const struct ch_frame_info *info) {
  struct ch_frame *frame = push(info->size, info->align);
  frame->info = info;
  frame->point = 0;
  frame->held = 1; /* so that generated code gives it back to ch_frame_free */
  return frame;
}

void ch_frame_free(struct ch_frame *frame) { pop(frame); }

/* `*list` is the head of the newest block; a head holds the older one. */
void *ch_alloca(void **list, size_t size, size_t align) {
  void **head = push(sizeof *head, sizeof *head);
  *head = *list;
  *list = head;
  return push(size, align);
}

void ch_alloca_release(void **list, void *mark) {
  while (*list != mark) {
    void **head = *list;
    *list = *head;
    pop(head);
  }
}

void *ch_version_of(void *fn, void *adapter) {
  ch_tls.callee = fn;
  return adapter;
}

void ch_versions_register(const struct ch_version_entry *begin, const struct ch_version_entry *end) {
  (void)begin, (void)end;
}
void ch_versions_unregister(const struct ch_version_entry *begin, const struct ch_version_entry *end) {
  (void)begin, (void)end;
}

int ch_main(void *main_int, int argc, char **argv, char **envp) {
  struct ch_int_result result = ((struct ch_int_result (*)(int, char **, char **))main_int)(argc, argv, envp);
  return (int)result.value;
}

/* Nobody comes here without `attention`; stress builds do, and need the runtime. */
int ch_suspend(const struct ch_frame_info *info, const void *image, uint32_t why) { __builtin_trap(); }
int ch_suspend_home(struct ch_frame *frame, const void *image, uint32_t why) { __builtin_trap(); }
struct ch_restored ch_restore(void *image) { __builtin_trap(); }
#define SIZED(n)                                                                                                       \
  int ch_suspend_##n(const struct ch_frame_info *info, const void *image, uint32_t why) { __builtin_trap(); }          \
  int ch_suspend_home_##n(struct ch_frame *frame, const void *image, uint32_t why) { __builtin_trap(); }               \
  struct ch_restored ch_restore_##n(void *image) { __builtin_trap(); }                                                 \
  struct ch_restored ch_restore_home_##n(void *image) { __builtin_trap(); }
CH_FOR_EACH_SIZE(SIZED)
uint32_t ch_atomic_policy(uint32_t policy) { return policy; } /* nothing can be spawned */
const char *ch_no_yield(const char *site) { return site; }    /* nothing switches */
void ch_atomic_settle(void) { __builtin_trap(); }
