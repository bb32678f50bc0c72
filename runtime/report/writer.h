/* Writes the text of reports through a small buffer to a descriptor, with write(2), so that it works in a signal
 * handler and allocates no memory. It can also write nowhere, for the hash of the text: equal texts have equal hashes.
 */
#ifndef CHARCOAL_REPORT_WRITER_H
#define CHARCOAL_REPORT_WRITER_H

#include "frames/allocator.h"

struct ch_writer {
  int fd; /* -1: the text goes nowhere, and only its hash is wanted */
  uint64_t hash;
  size_t used;
  char text[512];
};
#define CH_WRITER(to) {.fd = (to), .hash = 14695981039346656037u}

CH_HIDDEN void ch_put(struct ch_writer *, const char *);
CH_HIDDEN void ch_put_number(struct ch_writer *, uint64_t);
CH_HIDDEN void ch_put_hex(struct ch_writer *, uint64_t);
CH_HIDDEN void ch_put_pointer(struct ch_writer *, const void *);
/* As a person reads it: "3.2 s", "15 ms". */
CH_HIDDEN void ch_put_time(struct ch_writer *, int64_t ns);
/* A string of JSON, with its quotes. */
CH_HIDDEN void ch_put_json(struct ch_writer *, const char *);
CH_HIDDEN void ch_put_spaces(struct ch_writer *, unsigned);
CH_HIDDEN void ch_put_end(struct ch_writer *);

#endif
