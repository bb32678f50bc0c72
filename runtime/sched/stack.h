/* Native stacks beside the thread's own, for schedulers' loops (native.h).
 *
 * The switch is the C library's swapcontext, which knows each machine and its shadow stacks; what sanitizers and
 * valgrind have to be told is told here. A switch costs two system calls for the signal mask, which belongs to the
 * thread and not to the stack.
 *
 * Invariants: 1. `context` and `in_use` mean something while nothing runs on the stack; 2. the structure of a made
 * stack lies at the upper end of its own memory, and below `low` there is a page that cannot be touched. */
#ifndef CHARCOAL_SCHED_STACK_H
#define CHARCOAL_SCHED_STACK_H

#include "frames/attributes.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* What longjmp was called with. The buffer is copied without its signal mask, because it may be a local of a function
 * that the jump leaves. */
struct ch_stack_jump {
  int value;
  unsigned char buffer[offsetof(struct __jmp_buf_tag, __mask_was_saved) + sizeof(int)];
};

struct ch_stack {
  struct ch_stack *next; /* in the domain's list of idle ones */
  char *low, *high;      /* its ends; of the thread's own: NULL until somebody needs it, and where the domain begins */
  char *in_use;          /* what is in use lies above */
  char *nearly_full;     /* code below this had better not go further down; NULL: not computed yet */
  void *memory;          /* NULL: the thread's own */
  size_t mapped;
  void *context;           /* where to go on; it lies on the stack itself */
  void *fake, *fiber;      /* AddressSanitizer's and ThreadSanitizer's ideas of it */
  const void *asan_bottom; /* AddressSanitizer's idea of `low` */
  size_t asan_size;
  unsigned valgrind; /* its number there */
  void *cleanups;    /* of the thread's own: the list of pthread_cleanup_push, as it was when the domain began */
  struct ch_stack_jump jump; /* of the thread's own: the one that is under way; thread-local memory is scarce */
};

/* A stack as large as the thread's own, on which `enter` is called by the first switch to it, and never returns. NULL
 * with errno: there is no memory. */
CH_HIDDEN struct ch_stack *ch_stack_make(void (*enter)(void));
/* The thread's own, for the code below `bottom`; free gives it back. NULL: no memory. */
CH_HIDDEN struct ch_stack *ch_stack_of_thread(void *bottom);
/* Computes where the last quarter of the stack begins, and remembers it in nearly_full. */
CH_HIDDEN CH_RARE char *ch_stack_last_quarter(struct ch_stack *);
/* Whether the caller, which runs on this stack, has come to its last quarter. */
static inline bool ch_stack_is_nearly_full(struct ch_stack *s) {
  char *limit = CH_LIKELY(s->nearly_full != NULL) ? s->nearly_full : ch_stack_last_quarter(s);
  return (char *)__builtin_frame_address(0) < limit;
}
/* Where whatever runs on the stack begins: of the thread's own it is set by the caller's getcontext. */
CH_HIDDEN ucontext_t *ch_stack_beginning(struct ch_stack *);
/* What has run on it does not go on: the next switch to it goes to its beginning. */
CH_HIDDEN void ch_stack_give_up(struct ch_stack *);
/* The caller has got from one to the other by a longjmp; what has arrived there lies above `in_use`. */
CH_HIDDEN void ch_stack_jumped(struct ch_stack *from, struct ch_stack *to, const char *in_use);
/* Nothing will run on it again. */
CH_HIDDEN void ch_stack_free(struct ch_stack *);
/* Leaves `from`, on which the caller runs, and goes on on `to`. Returns when somebody switches back. */
CH_HIDDEN void ch_stack_switch(struct ch_stack *from, struct ch_stack *to);
/* The first thing that `enter` does. */
CH_HIDDEN void ch_stack_entered(void);
/* Whether parked stacks may be given back: AddressSanitizer would keep what it has allocated for each. */
CH_HIDDEN bool ch_stack_may_go(void);

#endif
