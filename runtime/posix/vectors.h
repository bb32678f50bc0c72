/* Vectors of buffers, as readv and sendmsg take them. */
#ifndef CHARCOAL_POSIX_VECTORS_H
#define CHARCOAL_POSIX_VECTORS_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Whether the kernel refuses these vectors before it looks whether anything is there, or any room. */
CH_HIDDEN bool ch_iovec_is_malformed(const struct iovec *, size_t n);
CH_HIDDEN size_t ch_iovec_bytes(const struct iovec *, size_t n); /* 0 if there are no vectors (NULL) */
/* A copy of n vectors without their first `skip` bytes; *left: how many. NULL with ENOMEM. To be freed. */
CH_HIDDEN struct iovec *ch_iovec_rest(const struct iovec *, size_t n, size_t skip, size_t *left);

#endif
