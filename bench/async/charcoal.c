/* A call, `async` of it, and `async` of one that blocks once. */
#include <charcoal.h>

static ch_sem gate; /* zeroed: of count 0 */
#define block() ch_sem_wait(&gate)
#define unblock() ch_sem_post(&gate)

#include "program.h"
