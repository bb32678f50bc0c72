/* Vectors of buffers, as readv and sendmsg take them. */
#ifndef CHARCOAL_POSIX_VECTORS_H
#define CHARCOAL_POSIX_VECTORS_H

#include "frames/attributes.h"
#include "posix/addresses.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Whether the kernel refuses these vectors before it looks whether anything is there, or any room. */
CH_HIDDEN bool ch_iovec_is_malformed(const struct iovec *, size_t n);
/* The size of all of them; 0 if they can be nowhere. */
static inline size_t ch_iovec_bytes(const struct iovec *v, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; !ch_is_nowhere(v) && i < n; i++)
    sum += v[i].iov_len;
  return sum;
}
/* A copy of n vectors without their first `skip` bytes; *left: how many. NULL with ENOMEM. To be freed. */
CH_HIDDEN struct iovec *ch_iovec_rest(const struct iovec *, size_t n, size_t skip, size_t *left);

#endif
