/* Output to a connection, in large pieces and with a time limit.
 *
 *   char room[16384];
 *   struct ch_output out = {.fd = connection, .timeout = 10 * second, .bytes = room, .size = sizeof room};
 *   ch_output_format(&out, "Content-Length: %d\r\n\r\n", n);
 *   ch_output_file(&out, file, 0, n);
 *   ch_output_flush(&out);
 *   if (out.error) ...
 *
 * What is added is gathered in the program's memory and sent when that is full, by ch_output_flush, and before a file.
 * The first error is kept, and from then on nothing is sent, so a program may look for it once, at the end.
 *
 * The functions wait until the other side takes the bytes, and belong to one activity at a time. A cancel of the
 * scope is an error as others are. The program must ignore or block SIGPIPE, which the kernel sends for a file. */
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
  int64_t timeout; /* ns that the other side may need to take something; CH_FOREVER: any time */
  char *bytes;     /* where the output is gathered, */
  size_t size;     /* and how much has room there */
  /* How bytes are sent if not by send(fd, ...): a function as write(2), which is called with `to`; for connections that
   * are encrypted. NULL: by send. */
  ssize_t (*write)(void *to, const void *from, size_t n);
  void *to;

  size_t used; /* bytes that were added and not sent */
  int error; /* 0; ETIMEDOUT: the other side has taken nothing for too long; ECANCELED; EIO: a file has ended too early;
              * or what the call that failed has said */
};

/* Private: adds what has no room. */
void ch_output_add_more(struct ch_output *, const void *bytes, size_t n);

/* Adds n bytes. */
static inline void ch_output_add(struct ch_output *o, const void *bytes, size_t n) {
  if (n > o->size - o->used) {
    ch_output_add_more(o, bytes, n);
  } else {
    __builtin_memcpy(o->bytes + o->used, bytes, n);
    o->used += n;
  }
}
/* Adds a text. */
static inline void ch_output_text(struct ch_output *o, const char *text) {
  ch_output_add(o, text, __builtin_strlen(text));
}
/* Adds what printf would make of it. It must have room in `bytes`, or the error is EMSGSIZE. */
void ch_output_format(struct ch_output *, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
/* Sends what was added. */
void ch_output_flush(struct ch_output *);
/* Sends what was added, and then the bytes of the file from one place until before another one. Without `write` the
 * kernel copies them (sendfile). */
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
