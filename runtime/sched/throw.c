/* Carries exceptions past what the unwinder cannot see. See throw.h. */
#include "sched/throw.h"
#include "sched/anchor.h"
#include "frames/allocator.h"
#include <stdlib.h>
#include <string.h>

/* Of the unwinder and the C++ library, which are linked where there are exceptions. */
extern __attribute__((weak)) int _Unwind_Resume_or_Rethrow(void *exception);
extern __attribute__((weak)) void *__cxa_begin_catch(void *exception);
extern __attribute__((weak)) _Noreturn void terminate(void) __asm__("_ZSt9terminatev");

/* What the unwinder's own ABI says of every exception. */
struct unwound {
  uint64_t class;
  void (*cleanup)(int reason, void *exception);
  uintptr_t stop, reserved;
};

static _Noreturn void nobody_catches(void *exception) {
  if (!__cxa_begin_catch || !terminate)
    abort();
  __cxa_begin_catch(exception);
  terminate(); /* says which exception it was */
}

/* What ends a thread is no exception, but runs the cleanups of all functions on the stack, and a function of its own at
 * the end. None of b's are left: the rest of the stack is the thread's. */
static void unwind_thread(struct ch_branch *b, void *exception) {
  if (!((const struct unwound *)exception)->stop || !_Unwind_Resume_or_Rethrow)
    return;
  ch_domain.current = b;
  ch_domain.parent = b->top = ch_chain_end(b);
  ch_tls.link = &b->frame;
  _Unwind_Resume_or_Rethrow(exception);
}

void ch_throw_here(void) {
  void *exception = ch_tls.entry;
  ch_anchor_throw_here();
  if (_Unwind_Resume_or_Rethrow)
    _Unwind_Resume_or_Rethrow(exception); /* returns if there is no handler */
  nobody_catches(exception);
}

struct ch_branch *ch_throw_on(struct ch_branch *b) {
  if (ch_anchor_throw(b))
    return b;
  unwind_thread(b, ch_tls.entry);
  nobody_catches(ch_tls.entry);
}

/* ---- what belongs to the branch ---- */

struct ch_exceptions ch_exceptions_take(void) {
  struct ch_exceptions *now = __cxa_get_globals ? __cxa_get_globals() : NULL, taken = {0};
  if (now) {
    taken = *now;
    *now = (struct ch_exceptions){0};
  }
  return taken;
}

void ch_exceptions_give(struct ch_exceptions given) {
  if (__cxa_get_globals)
    *__cxa_get_globals() = given;
}

/* A frame on top of the branch's chain holds them. The result of the call that has been waited for passes it. */
static int resume(struct ch_frame *f) {
  struct ch_exceptions kept;
  memcpy(&kept, f->image, sizeof kept);
  ch_frame_free(f);
  ch_exceptions_give(kept);
  return CH_DONE;
}
static const struct ch_frame_info info = {.resume = resume,
                                          .name = "handling an exception",
                                          .size = CH_FRAME_HEADER + sizeof(struct ch_exceptions),
                                          .image = sizeof(struct ch_exceptions),
                                          .align = 16};

void ch_exceptions_set_aside(struct ch_branch *b) {
  const struct ch_exceptions now = ch_exceptions_take();
  if (!now.caught && !now.uncaught)
    return;
  struct ch_frame *f = ch_frame_new(&info);
  memcpy(f->image, &now, sizeof now);
  f->parent = b->top;
  b->top = f;
}
