/* longjmp and pthread_exit in interruptible code (sched/anchor.h, sched/thread_exit.h), and longjmp in plain code that
 * was compiled with _FORTIFY_SOURCE, and pthread_exit there. */
#define _GNU_SOURCE
#include "frames/interposed.h"
#include "posix/locks/replacement.h"
#include "sched/anchor.h"
#include "sched/thread_exit.h"
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

CH_REPLACES_IN_C(pthread_exit, void *result) { return (struct ch_int_result){ch_exit_thread((intptr_t)result), 0}; }
CH_REPLACES_IN_C(thrd_exit, int result) { return (struct ch_int_result){ch_exit_thread(result), 0}; }

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

/* Handlers of pthread_cleanup_push are called by the C library's function, which leaves the stack. A sanitizer's
 * pthread_exit may come before this one; then what is left in the scopes is dropped. */
__typeof__(pthread_exit) __pthread_exit __attribute__((weak)); /* of a static C library */
CH_INTERPOSED _Noreturn void pthread_exit(void *result) {
  ch_exit_leaves_scopes();
  ch_domain.exiting = 1;
  CH_NEXT_DEFINITION(pthread_exit, __pthread_exit)(result);
  __builtin_unreachable();
}
CH_INTERPOSED _Noreturn void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
