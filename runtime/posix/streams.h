/* What the twins of stdio's reading calls ask of a FILE (glibc's own fields: its buffer is a part of its ABI). */
#ifndef CHARCOAL_POSIX_STREAMS_H
#define CHARCOAL_POSIX_STREAMS_H

#include "posix/attempt.h"
#include <stdarg.h>
#include <stdio.h>

/* The descriptor that has to be waited for before the stream can be read; -1: the next call does not wait for a peer.
 * As the C library does before it waits, this writes out what a terminal's user should see first. */
CH_HIDDEN int ch_stream_waits(FILE *);
/* Bytes that are in the buffer. */
CH_HIDDEN size_t ch_stream_has(const FILE *);
/* Whether the delimiter is among the first n of them. */
CH_HIDDEN int ch_stream_has_byte(const FILE *, size_t n, int byte);
/* The stream is one of those that may wait: a pipe, a terminal, a socket. */
CH_HIDDEN int ch_stream_is_slow(FILE *);
CH_HIDDEN int ch_stream_failed(FILE *); /* marks it with an error, as a failed read does; returns EOF */

CH_HIDDEN int ch_plain_getc(FILE *);
CH_HIDDEN int ch_plain_ungetc(int, FILE *);
CH_HIDDEN int ch_plain_uflow(FILE *);
CH_HIDDEN char *ch_plain_fgets(char *, int, FILE *);
CH_HIDDEN size_t ch_plain_fread(void *, size_t, size_t, FILE *);
CH_HIDDEN char *ch_plain_fgets_chk(char *, size_t room, int, FILE *);
CH_HIDDEN size_t ch_plain_fread_chk(void *, size_t room, size_t, size_t, FILE *);
CH_HIDDEN ssize_t ch_plain_getdelim(char **, size_t *, int, FILE *);
CH_HIDDEN int ch_plain_vfscanf(FILE *, const char *, va_list);
CH_HIDDEN int ch_plain_isoc99_vfscanf(FILE *, const char *, va_list);

#endif
