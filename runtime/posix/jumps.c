/* longjmp in interruptible code (sched/anchor.h). */
#include "posix/locks/replacement.h"
#include "sched/anchor.h"

static struct ch_int_result jump(const struct __jmp_buf_tag *buffer, int value) {
  if (ch_anchor_jumps(buffer, value))
    return (struct ch_int_result){CH_JUMPED, 0};
  siglongjmp((struct __jmp_buf_tag *)buffer, value);
}

CH_REPLACES_IN_C(longjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(_longjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(siglongjmp, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
CH_REPLACES_IN_C(__longjmp_chk, const struct __jmp_buf_tag *buffer, int value) { return jump(buffer, value); }
