/* Finds the name of the function or object that contains an address, in the symbol tables of the program's files. So it
 * also finds static functions, which the dynamic linker does not know. */
#ifndef CHARCOAL_REPORT_SYMBOLS_H
#define CHARCOAL_REPORT_SYMBOLS_H

#include "frames/allocator.h"

struct ch_place {
  uintptr_t begin, end; /* the mapping of its module that contains the address */
  uintptr_t offset;     /* the address as the module's own file has it, which addr2line takes */
  char module[256];     /* the file's path; "" if there is none */
  char function[128];   /* "" if the file does not say; that of an interruptible version is the function's own */
};
/* A function, without the C library's help: so that a signal handler may ask, also when memory or the dynamic linker's
 * lock is not to be had. False: nothing is mapped there. */
CH_HIDDEN bool ch_place_of(const void *address, struct ch_place *);
/* An object, whose name is in `function` then; "begin" and "end" mean nothing. False: it is in no module, or the file
 * does not say. */
CH_HIDDEN bool ch_object_of(const void *address, struct ch_place *);
/* Makes the name of an interruptible version that of its function. */
CH_HIDDEN void ch_name_as_written(char *symbol);

#endif
