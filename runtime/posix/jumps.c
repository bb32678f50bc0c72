/* longjmp and pthread_exit in interruptible code (sched/anchor.h, sched/open_blocks.h), and longjmp in plain code that
 * was compiled with _FORTIFY_SOURCE. */
#define _GNU_SOURCE
#include "activity/scope.h"
#include "frames/interposed.h"
#include "posix/locks/replacement.h"
#include "sched/anchor.h"
#include "sched/open_blocks.h"
#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

static struct ch_int_result jump(const struct __jmp_buf_tag *buffer, int value) {
  if (ch_anchor_jumps(buffer, value))
    return (struct ch_int_result){CH_JUMPED, 0};
  siglongjmp((struct __jmp_buf_tag *)buffer, value);
}

CH_REPLACES_IN_C(longjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(_longjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(siglongjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(__longjmp_chk, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }

/* The thread is to end in the running branch. Its scopes lie on a stack that is about to be left, so the branches in
 * them end first (law 3). */
static void leave_scopes(void) {
  const struct ch_branch *b = ch_domain.current;
  ch_blocks_take_back(0);
  while (b && ch_tls.atomic_depth == 0 && b->scope && b->scope->owner == b)
    ch_scope_leave((struct ch_scope *)b->scope);
}
CH_REPLACES_IN_C(pthread_exit, void *result) {
  leave_scopes();
  pthread_exit(result);
}
CH_REPLACES_IN_C(thrd_exit, int result) {
  leave_scopes();
  thrd_exit(result);
}

/* ---- plain code ---- */

typedef void jump_fn(struct __jmp_buf_tag *, int) __attribute__((noreturn));
extern __typeof__(dlsym) dlsym __attribute__((weak)); /* is missing in static programs */
static jump_fn *checked;

/* The function is looked up before any constructor of the program runs. The first jump may be one out of a signal
 * handler, where dlsym must not be called. */
__attribute__((constructor(101))) static void find_checked(void) {
  void *found = dlsym ? dlsym(RTLD_NEXT, "__longjmp_chk") : NULL;
  checked = found ? (jump_fn *)(uintptr_t)found : siglongjmp;
}

/* longjmp with _FORTIFY_SOURCE. The C library's ends the program if the jump leads to a lower address, as a jump to a
 * stack that was set aside may. */
CH_INTERPOSED _Noreturn void __longjmp_chk(struct __jmp_buf_tag *buffer, int value) {
  if (ch_anchor_is_elsewhere(buffer))
    siglongjmp(buffer, value);
  checked(buffer, value);
}
