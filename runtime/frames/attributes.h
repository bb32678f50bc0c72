/* Short names for attributes of functions, and for conditions that are usually true or usually false. */
#ifndef CHARCOAL_FRAMES_ATTRIBUTES_H
#define CHARCOAL_FRAMES_ATTRIBUTES_H

#define CH_HIDDEN __attribute__((visibility("hidden")))
#define CH_LIKELY(x) __builtin_expect(!!(x), 1)
#define CH_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CH_COLD __attribute__((cold, noinline))
/* On what fast paths call in rare cases: they need not save their registers for it. */
#define CH_RARE __attribute__((preserve_most, noinline))

/* The call that follows is a jump: the caller needs no frame for it. */
#define CH_JUMP_TO __attribute__((musttail)) return

#endif
