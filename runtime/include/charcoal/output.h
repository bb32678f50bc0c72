/* Output to a connection, in large pieces and with a time limit.
 *
 *   char room[16384];
 *   struct ch_output out = {.fd = connection, .timeout = 10 * second, .bytes = room, .size = sizeof room};
 *   ch_output_format(&out, "Content-Length: %d\r\n\r\n", n);
 *   ch_output_file(&out, file, 0, n);
 *   ch_output_flush(&out);
 *   if (out.error) ...
 *
 * Output is gathered in the program's memory. It is sent when that is full, by ch_output_flush, and before a file. The
 * functions wait until the other side takes the bytes. Only one activity at a time may use an output. A connection that
 * the other side has closed is an error; SIGPIPE comes only if `write` raises it.
 *
 * Result: nothing. The first error is kept in the member `error`, and from then on nothing is sent; so a program may
 * look at it once, at the end.
 * Cancel: ends the wait; `error` is ECANCELED, and a part of the output may have been sent.
 * Threads: any thread with a domain. */
#ifndef CHARCOAL_OUTPUT_H
#define CHARCOAL_OUTPUT_H

#include <charcoal.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program sets the first group before the first call, and gives the rest as zeros. */
struct ch_output {
  int fd;
  int64_t timeout; /* how long, in ns, the other side may take nothing; CH_FOREVER: without limit */
  char *bytes;     /* where the output is gathered; the caller owns this memory */
  size_t size;     /* the size of that memory in bytes */
  /* A function that sends bytes as write(2) does, but gets `to` in place of a descriptor; for connections that are
   * encrypted. NULL: bytes are sent by send(fd, ...). */
  ssize_t (*write)(void *to, const void *from, size_t n);
  void *to;

  size_t used; /* bytes that were added and not sent */
  int error; /* 0; ETIMEDOUT: the other side has taken nothing for too long; ECANCELED; EIO: a file has ended too early;
              * or what the call that failed has said */
};

/* Private: adds bytes for which there is no room. */
void ch_output_add_more(struct ch_output *, const void *bytes, size_t n);

/* Adds n bytes, which are copied. Waits if there is no room for them. */
CH_INLINE void ch_output_add(struct ch_output *o, const void *bytes, size_t n) {
  if (n > o->size - o->used) {
    ch_output_add_more(o, bytes, n);
  } else {
    __builtin_memcpy(o->bytes + o->used, bytes, n);
    o->used += n;
  }
}
/* Adds a string, without its final zero. Waits as ch_output_add does. */
CH_INLINE void ch_output_text(struct ch_output *o, const char *text) { ch_output_add(o, text, __builtin_strlen(text)); }
/* Adds formatted text, as printf makes it. Waits as ch_output_add does. If the text does not fit into `bytes`, the
 * error is EMSGSIZE. */
void ch_output_format(struct ch_output *, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* Sends all that was added, and waits as long as the kernel has no room for it. */
void ch_output_flush(struct ch_output *);
/* Sends all that was added, and then the bytes of the file from offset `from` up to, but not including, offset `to`;
 * waits as long as the kernel has no room for them.
 * Without `write` they are copied in pieces of 96 KiB, and no memory is held while the other side takes nothing. If the
 * file ends before `to`, the error is EIO. */
void ch_output_file(struct ch_output *, int file, off_t from, off_t to);

#if defined(__CHARCOAL__)
CH_MAY_BLOCK(ch_output_flush);
CH_MAY_BLOCK(ch_output_file);
#endif

#ifdef __cplusplus
}
#endif

#endif
#endif
