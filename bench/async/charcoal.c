/* Measures a call, the same call by `async`, and `async` of a call that blocks once. */
#include <charcoal.h>

static ch_sem gate; /* zeroed: of count 0 */
#define block() ch_sem_wait(&gate)
#define unblock() ch_sem_post(&gate)

#include "program.h"
