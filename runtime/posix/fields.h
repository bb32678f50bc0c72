/* The flags and functions of glibc's FILE that its headers keep to themselves (libio.h; all are a part of its ABI). */
#ifndef CHARCOAL_POSIX_FIELDS_H
#define CHARCOAL_POSIX_FIELDS_H

#include "posix/streams.h"

#define IS_UNBUFFERED 0x2
#define NO_READS 0x4
#define NO_WRITES 0x8
#define IN_BACKUP 0x100
#define IS_LINE_BUFFERED 0x200
#define IS_PUTTING 0x800
#define IS_APPENDING 0x1000

extern void _IO_setb(FILE *, char *base, char *end, int ours);
extern void _IO_doallocbuf(FILE *);
extern int _IO_switch_to_get_mode(FILE *);
extern int __overflow(FILE *, int);

static inline size_t buffer_size(const FILE *f) { return (size_t)(f->_IO_buf_end - f->_IO_buf_base); }

/* What stdio chose for it is small enough to be kept. */
enum { MOST = 65536 };
/* An empty buffer that had to grow is given back. */
static inline void shrink(FILE *f) {
  if (f->_flags & IS_UNBUFFERED && f->_IO_buf_base && f->_IO_buf_base != f->_shortbuf) {
    _IO_setb(f, f->_shortbuf, f->_shortbuf + 1, 0);
  } else if (buffer_size(f) > MOST && !(f->_flags & 1)) {
    _IO_setb(f, NULL, NULL, 0);
    _IO_doallocbuf(f);
  }
}

#endif
