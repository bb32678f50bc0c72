/* stdio, for many activities on one thread: what the replacements of its calls ask of a FILE (glibc's own fields: its
 * buffer is a part of its ABI), and do to it without ever waiting.
 *
 * The buffers are glibc's own, so plain calls on the same stream see the same bytes at any time. A plain call is made
 * only when it will find in the buffer what it reads, or room for what it writes. These functions bring in what is
 * missing, or send what is in the way, and the replacement waits in between. So an input call that is cancelled while
 * it waits has taken nothing, and what has come lies in the buffer. If an output call is cancelled that has begun to
 * send, all its bytes stay with the stream, whose buffer grows.
 *
 * A FILE is locked for the length of a call. glibc's lock keeps other threads out. It cannot tell the activities of one
 * thread apart; a note (locks/stream.c) keeps those out, which a call makes when it waits with the lock, as flockfile
 * does. */
#ifndef CHARCOAL_POSIX_STREAMS_H
#define CHARCOAL_POSIX_STREAMS_H

#include "charcoal.h"
#include "posix/nonblocking.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- the lock (locks/stream.c) ---- */

CH_HIDDEN extern __thread unsigned ch_stream_notes; /* how many notes there are */
CH_HIDDEN bool ch_stream_is_taken(FILE *);          /* another activity of this thread has it, or some wait for it */
static inline bool ch_stream_is_free(FILE *f) { return ch_stream_notes == 0 || !ch_stream_is_taken(f); }

/* Takes the stream until ch_stream_unhold, for a call that may wait. Those who wait for it get it in order of arrival.
 * The result is 0, ECANCELED or ENOMEM. */
CH_HIDDEN int ch_stream_take(FILE *);
/* Does the same without waiting. EBUSY: somebody has it. */
CH_HIDDEN int ch_stream_hold(FILE *);
CH_HIDDEN void ch_stream_unhold(FILE *);
CH_HIDDEN int ch_stream_user_take(FILE *); /* for flockfile, which is not cancelled */
CH_HIDDEN int ch_stream_user_lock(FILE *); /* for ftrylockfile, as ch_stream_hold */
CH_HIDDEN void ch_stream_user_unlock(FILE *);
CH_HIDDEN bool ch_stream_is_user_locked(FILE *); /* another activity has it, and may keep it for ever */

/* ---- both directions ---- */

/* The stream is one of those that may wait for a peer (a pipe, a terminal, a socket), and others could run meanwhile.
 */
CH_HIDDEN int ch_stream_may_wait(FILE *);
CH_HIDDEN int ch_stream_fd(FILE *);
CH_HIDDEN int ch_stream_failed(FILE *); /* marks it with an error as a failed read does; EOF */

/* ---- input ---- */

/* How many bytes to be read are in the buffer. */
static inline size_t ch_stream_has(const FILE *f) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }
/* Whether `byte` is among the first n of them. The first `from` are known not to have it. */
CH_HIDDEN int ch_stream_has_byte(const FILE *, size_t from, size_t n, int byte);
/* Brings more bytes into the buffer, after those that are there. 1: there are more. 0: none will come, so the caller
 * makes the plain call. -1: an error is in errno; with EAGAIN the caller waits. */
CH_HIDDEN int ch_stream_fill(FILE *);
/* Does the same straight to the caller's memory, while the buffer is empty. The result is how many came; 0: the end. */
CH_HIDDEN ssize_t ch_stream_read(FILE *, char *, size_t);
CH_HIDDEN int ch_stream_may_read(FILE *); /* it is open for reading, and has a buffer */
/* How many bytes the buffer has room for. Fewer are always taken through it. */
CH_HIDDEN size_t ch_stream_buffer_size(const FILE *);
/* Puts bytes back into the buffer, before those that are there. */
CH_HIDDEN void ch_stream_put_back(FILE *, const char *, size_t);
/* A call that reads it writes out stdout first, as the C library does, so that the user of a terminal sees a prompt. */
CH_HIDDEN bool ch_stream_shows_stdout(FILE *);
/* The format of scanf with all assignments left out, which the caller frees. NULL: there is no memory. */
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
/* Put n bytes out without waiting. The result n: the stream has taken all. -1: an error is in errno. CH_STREAM_TAKEN:
 * somebody else has the stream, and nothing has happened. CH_STREAM_HELD: the stream is held (ch_stream_hold), and the
 * next bytes would have to wait. Then the caller calls ch_stream_put_on until the result is not -1 with EAGAIN, and
 * lets the stream go. CH_STREAM_TAKEN and CH_STREAM_HELD leave errno as it was. */
#define CH_STREAM_TAKEN (-2)
#define CH_STREAM_HELD (-3)
/* The caller of ch_stream_put_held holds the stream. It stays held only if the next bytes would have to wait. */
CH_HIDDEN long ch_stream_put_held(FILE *, const char *, size_t, struct ch_stream_progress *);
CH_HIDDEN long ch_stream_put(FILE *, const char *, size_t, struct ch_stream_progress *);
CH_HIDDEN long ch_stream_put_on(FILE *, const char *, size_t, struct ch_stream_progress *);
/* Takes the rest into the buffer without sending anything. The result is how much there was memory for. */
CH_HIDDEN size_t ch_stream_keep(FILE *, const char *, size_t);

/* Text that had to be made where nobody else can reach it. */
struct ch_text {
  size_t n;
  char bytes[];
};
struct ch_put {
  long taken;           /* as above */
  struct ch_text *text; /* the whole text if it was not taken, which the caller frees; else NULL */
  struct ch_stream_progress progress;
};
/* `flag` below 0: as printf; else as __printf_chk with this flag. */
CH_HIDDEN struct ch_put ch_stream_print(FILE *, int flag, const char *format, va_list);
CH_HIDDEN struct ch_put ch_stream_puts(FILE *, const char *);
CH_HIDDEN struct ch_put ch_stream_putc(FILE *, int c);
CH_HIDDEN struct ch_text *ch_text_print(int flag, const char *format, va_list); /* NULL with errno */
CH_HIDDEN struct ch_text *ch_text_of(const char *prefix, const char *text);     /* "prefix: text\n" */
/* Puts the text to a wide stream by the plain call, in wide characters. False: the stream is not wide. */
CH_HIDDEN bool ch_text_put_wide(FILE *, const struct ch_text *);
/* The stream is neither for bytes nor for wide characters yet, and could be opened once more for both directions. The C
 * library's perror opens it once more, so that this stays open. */
CH_HIDDEN bool ch_stream_is_passed_by_perror(FILE *);

/* How many bytes in the buffer wait to be sent. */
CH_HIDDEN size_t ch_stream_pending(const FILE *);
/* Sends them. 0: all have been sent. 1: the plain flush has to do it. -1: an error is in errno; with EAGAIN the caller
 * waits. */
CH_HIDDEN int ch_stream_flush(FILE *);
CH_HIDDEN void ch_stream_forget(FILE *); /* drops them */
/* Drops them after the error in errno, as the plain calls do, and marks the stream with an error. */
CH_HIDDEN void ch_stream_lose(FILE *);
/* Prepares for the close of its descriptor, which is about to come. */
CH_HIDDEN void ch_stream_closing(FILE *);
/* All streams that have bytes to be sent at this moment. The list ends with NULL, and the caller frees it. */
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
/* The flags with which fopen opens the file if it is a FIFO; else -1. */
CH_HIDDEN int ch_plain_fifo_flags(const char *path, const char *mode);
CH_HIDDEN FILE *ch_plain_freopen(const char *, const char *, FILE *);
CH_HIDDEN int ch_plain_setvbuf(FILE *, char *, int, size_t);
CH_HIDDEN int ch_plain_fseek(FILE *, off_t, int);
CH_HIDDEN int ch_plain_fsetpos(FILE *, const fpos_t *);
CH_HIDDEN void ch_plain_rewind(FILE *);
CH_HIDDEN void ch_plain_setbuffer(FILE *, char *, size_t);
/* What perror and psignal say. A text that is not constant lies in `room`, because the program may still use the ones
 * that strerror and strsignal have returned. */
CH_HIDDEN const char *ch_error_text(int, char *room, size_t n);
CH_HIDDEN const char *ch_signal_text(int, char *room, size_t n);

#endif
