/* stdio, for many activities on one thread: what the replacements of its calls ask of a FILE (glibc's own fields: its
 * buffer is a part of its ABI), and do to it without ever waiting.
 *
 * The buffers are glibc's own, so plain calls on the same stream, before, between and after, see the same bytes. A
 * plain call is made only when it will find in the buffer what it reads, or room for what it writes; what is missing is
 * brought in or sent by us, and waited for in between. So a call that is cancelled while it waits has taken nothing
 * (what has come lies in the buffer), and of an output call that has begun to send, all stays with the stream (its
 * buffer grows).
 *
 * A FILE is locked for the length of a call. glibc's lock keeps other threads out; to it all activities of one thread
 * are one, so those are kept out by a note (locks/stream.c), made when a call waits with the lock, or by flockfile. */
#ifndef CHARCOAL_POSIX_STREAMS_H
#define CHARCOAL_POSIX_STREAMS_H

#include "charcoal.h"
#include "posix/nonblocking.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- the lock (locks/stream.c) ---- */

CH_HIDDEN extern __thread unsigned ch_stream_notes; /* how many there are */
CH_HIDDEN bool ch_stream_is_taken(FILE *);          /* by another activity of this thread, or others wait for it */
static inline bool ch_stream_is_free(FILE *f) { return ch_stream_notes == 0 || !ch_stream_is_taken(f); }

/* Takes the stream for a call that may wait: until ch_stream_unhold. Waits for it in order of arrival. 0, or an error
 * number: ECANCELED, ENOMEM. */
CH_HIDDEN int ch_stream_take(FILE *);
/* The same without waiting; EBUSY: somebody has it. */
CH_HIDDEN int ch_stream_hold(FILE *);
CH_HIDDEN void ch_stream_unhold(FILE *);
CH_HIDDEN int ch_stream_user_take(FILE *); /* flockfile: it is not cancelled */
CH_HIDDEN int ch_stream_user_lock(FILE *); /* ftrylockfile: as ch_stream_hold */
CH_HIDDEN void ch_stream_user_unlock(FILE *);
CH_HIDDEN bool ch_stream_is_user_locked(FILE *); /* by another activity, which may keep it for ever */

/* ---- both directions ---- */

/* The stream is one of those that may wait for a peer (a pipe, a terminal, a socket), and others could run meanwhile.
 */
CH_HIDDEN int ch_stream_may_wait(FILE *);
CH_HIDDEN int ch_stream_fd(FILE *);
CH_HIDDEN int ch_stream_failed(FILE *); /* marks it with an error, as a failed read or write does; returns EOF */

/* ---- input ---- */

/* Bytes that are in the buffer. */
static inline size_t ch_stream_has(const FILE *f) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }
/* Whether the delimiter is among the first n of them, after the first `from`. */
CH_HIDDEN int ch_stream_has_byte(const FILE *, size_t from, size_t n, int byte);
/* Brings more bytes into the buffer, after those that are there. 1: there are more. 0: none will come, make the plain
 * call. -1: errno; EAGAIN: wait. */
CH_HIDDEN int ch_stream_fill(FILE *);
/* The same, straight to the caller's memory, with an empty buffer. How many; 0: the end. */
CH_HIDDEN ssize_t ch_stream_read(FILE *, char *, size_t);
CH_HIDDEN int ch_stream_may_read(FILE *); /* it is there to be read, and has a buffer */
/* So many bytes could only be taken through the buffer. */
CH_HIDDEN size_t ch_stream_buffer_size(const FILE *);
/* Puts them back before what is there. */
CH_HIDDEN void ch_stream_put_back(FILE *, const char *, size_t);
/* Reading it writes out stdout first, as the C library does: what a terminal's user should see. */
CH_HIDDEN bool ch_stream_shows_stdout(FILE *);
/* The formats of scanf without any assignment: to be freed. NULL: no memory. */
CH_HIDDEN char *ch_scan_dry(const char *format, int iso);
/* Whether scanf would find all that it reads in the buffer. */
CH_HIDDEN int ch_scan_is_there(FILE *, const char *dry, int iso);

/* ---- output ---- */

/* How far a call that puts bytes out has come. When they do not all go into the buffer, what is pending and the first
 * `due` of them are sent, and the others stay: as many as the C library would send. */
struct ch_stream_progress {
  size_t sent;  /* so many have gone; after an error, how many the C library counts as written */
  size_t due;   /* valid once something could not be sent at once */
  size_t begun; /* so many would have filled the buffer: the C library counts these as written even if that fails */
};
/* n: the stream has taken them all. -1: an error, errno. CH_STREAM_TAKEN: the stream is somebody else's, nothing has
 * happened. CH_STREAM_HELD: it is held (ch_stream_hold), and the next ones would have to wait. Then ch_stream_put_on is
 * called, again and again, until it says something else than -1 with EAGAIN, and the stream is let go. Both leave errno
 * as it was. */
#define CH_STREAM_TAKEN (-2)
#define CH_STREAM_HELD (-3)
/* _held: the stream is held by the caller, and stays so only if the result says that the next bytes would have to wait.
 */
CH_HIDDEN long ch_stream_put_held(FILE *, const char *, size_t, struct ch_stream_progress *);
CH_HIDDEN long ch_stream_put(FILE *, const char *, size_t, struct ch_stream_progress *);
CH_HIDDEN long ch_stream_put_on(FILE *, const char *, size_t, struct ch_stream_progress *);
/* Takes the rest without sending anything, as far as there is memory: how much. */
CH_HIDDEN size_t ch_stream_keep(FILE *, const char *, size_t);

/* Text that had to be made where nobody else can reach it. */
struct ch_text {
  size_t n;
  char bytes[];
};
struct ch_put {
  long taken;           /* as above */
  struct ch_text *text; /* all of it, when it was not taken: to be freed */
  struct ch_stream_progress progress;
};
/* flag: below 0, printf's; else __printf_chk's. */
CH_HIDDEN struct ch_put ch_stream_print(FILE *, int flag, const char *format, va_list);
CH_HIDDEN struct ch_put ch_stream_puts(FILE *, const char *);
CH_HIDDEN struct ch_put ch_stream_putc(FILE *, int c);
CH_HIDDEN struct ch_text *ch_text_print(int flag, const char *format, va_list); /* NULL with errno */
CH_HIDDEN struct ch_text *ch_text_of(const char *prefix, const char *text);     /* "prefix: text\n" */
/* A wide stream takes the text by the plain call, in wide characters. False: it is not wide. */
CH_HIDDEN bool ch_text_put_wide(FILE *, const struct ch_text *);
/* It is neither for bytes nor for wide characters yet, and could be opened once more for both directions, as the C
 * library's perror does it to leave that so. */
CH_HIDDEN bool ch_stream_is_passed_by_perror(FILE *);

/* Bytes that are in the buffer and wait to go. */
CH_HIDDEN size_t ch_stream_pending(const FILE *);
/* 0: all has gone. 1: the plain flush has to do it. -1 with errno; EAGAIN: wait. */
CH_HIDDEN int ch_stream_flush(FILE *);
CH_HIDDEN void ch_stream_forget(FILE *); /* what is pending */
/* The same after an error, errno: as the plain calls do, and marks the stream. */
CH_HIDDEN void ch_stream_lose(FILE *);
/* Its descriptor is about to be closed. */
CH_HIDDEN void ch_stream_closing(FILE *);
/* All streams with something pending, at this moment; ends with NULL, to be freed. */
CH_HIDDEN FILE **ch_stream_all(void);
CH_HIDDEN bool ch_stream_is_open(FILE *);

/* ---- the plain calls ---- */

CH_HIDDEN int ch_plain_getc(FILE *);
CH_HIDDEN int ch_plain_uflow(FILE *);
CH_HIDDEN int ch_plain_underflow(FILE *);
CH_HIDDEN char *ch_plain_fgets(char *, int, FILE *);
CH_HIDDEN size_t ch_plain_fread(void *, size_t, size_t, FILE *);
CH_HIDDEN char *ch_plain_fgets_chk(char *, size_t room, int, FILE *);
CH_HIDDEN size_t ch_plain_fread_chk(void *, size_t room, size_t, size_t, FILE *);
CH_HIDDEN ssize_t ch_plain_getdelim(char **, size_t *, int, FILE *);
CH_HIDDEN int ch_plain_vfscanf(FILE *, const char *, va_list, int iso);
CH_HIDDEN int ch_plain_putc(int, FILE *);
CH_HIDDEN int ch_plain_fflush(FILE *);
CH_HIDDEN int ch_plain_overflow(FILE *, int);
CH_HIDDEN size_t ch_plain_fwrite(const void *, size_t, size_t, FILE *);
CH_HIDDEN FILE *ch_plain_fopen(const char *, const char *);
CH_HIDDEN FILE *ch_plain_fdopen(int fd, const char *);
/* With which flags fopen opens it, if it is a FIFO; else -1. */
CH_HIDDEN int ch_plain_fifo_flags(const char *path, const char *mode);
CH_HIDDEN FILE *ch_plain_freopen(const char *, const char *, FILE *);
CH_HIDDEN int ch_plain_setvbuf(FILE *, char *, int, size_t);
CH_HIDDEN int ch_plain_fseek(FILE *, off_t, int);
CH_HIDDEN int ch_plain_fsetpos(FILE *, const fpos_t *);
CH_HIDDEN void ch_plain_rewind(FILE *);
CH_HIDDEN void ch_plain_setbuffer(FILE *, char *, size_t);
/* What perror and psignal say: in `room` where it is not constant, for strerror's and strsignal's own texts are the
 * user's. */
CH_HIDDEN const char *ch_error_text(int, char *room, size_t n);
CH_HIDDEN const char *ch_signal_text(int, char *room, size_t n);

#endif
