/* The function by which every call that is an operation waits for its end. */
#ifndef CHARCOAL_POSIX_OPERATE_H
#define CHARCOAL_POSIX_OPERATE_H

#include "reactor/operation.h"

/* A frame that holds the operation. `how`: ch_operation_ended, or what else becomes of the result. */
#define CH_OPERATION_LEAF(function, how)                                                                               \
  {.info = {.resume = ch_leaf_resume,                                                                                  \
            .name = (function),                                                                                        \
            .size = CH_FRAME_HEADER + sizeof(struct ch_operation),                                                     \
            .align = 16},                                                                                              \
   .finish = (how)}
/* The call's result, or -1 with errno. */
CH_HIDDEN intptr_t ch_operation_ended(struct ch_clause *, unsigned selected);

/* Has the request carried out and waits for its end, also when cancelled; ECANCELED: it has had no effect. The
 * caller has looked whether its scope is cancelled. */
CH_HIDDEN intptr_t ch_operate(const struct ch_leaf *, const struct ch_request *);
CH_HIDDEN struct ch_int_result ch_operate_int(const struct ch_leaf *, const struct ch_request *);

/* What a thread of the pool does for ch_offload: `a` is its argument, `offset` the function. */
CH_HIDDEN long ch_offload_perform(const struct ch_request *);

#endif
