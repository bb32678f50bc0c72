/* Vectors of buffers. See vectors.h. */
#define _GNU_SOURCE
#include "posix/vectors.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool ch_iovec_is_malformed(const struct iovec *v, size_t n) {
  bool malformed = n > IOV_MAX;
  for (size_t i = 0; !ch_is_nowhere(v) && !malformed && i < n; i++)
    malformed = v[i].iov_len > SSIZE_MAX;
  return malformed;
}

struct iovec *ch_iovec_rest(const struct iovec *v, size_t n, size_t skip, size_t *left) {
  while (n > 0 && skip >= v->iov_len)
    skip -= v->iov_len, v++, n--;
  struct iovec *rest = malloc((n ? n : 1) * sizeof *rest);
  if (!rest)
    return NULL;
  memcpy(rest, v, n * sizeof *rest);
  if (n > 0) {
    rest[0].iov_base = (char *)rest[0].iov_base + skip;
    rest[0].iov_len -= skip;
  }
  *left = n;
  return rest;
}
