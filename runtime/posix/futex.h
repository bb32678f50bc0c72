/* Waits for a word of memory that somebody else changes and tells the kernel so: FUTEX_WAIT and FUTEX_WAKE, of which
 * locks are made. The kernel's ring makes such a wait where it knows how to (Linux 6.7), else a thread of the pool. */
#ifndef CHARCOAL_POSIX_FUTEX_H
#define CHARCOAL_POSIX_FUTEX_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stdint.h>

struct ch_request;

/* Describes a wait for a wake-up of the word, as long as it has this value, by a waker that names one of the bits.
 * `shared`: several processes may use the word. An operation with this request ends with 0, or -EAGAIN: the word has
 * another value; or -EINTR: look again. */
CH_HIDDEN struct ch_request ch_futex_request(const uint32_t *word, uint32_t value, uint32_t bits, bool shared);
/* To be told of each request that has ended. The result, but -EINTR if only the ring did not know the call; then the
 * next request is for a thread. */
CH_HIDDEN long ch_futex_ended(const struct ch_request *, long result);

CH_HIDDEN int ch_futex_wake(uint32_t *word, int n, bool shared); /* how many threads were woken */

/* The system call's own results. */
CH_HIDDEN long ch_do_futex_wait(const uint32_t *word, uint32_t value, uint32_t bits, bool shared);

#endif
