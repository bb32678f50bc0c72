<<<<<<< HEAD
/* The name of the function that contains an address, without the C library's help: so that a signal handler may ask,
 * also when memory or the dynamic linker's lock is not to be had. */
=======
/* Names of functions and objects by their addresses, from the symbol tables of the program's files: also those of static
 * ones, which the dynamic linker does not know. Takes no memory but mappings of the files. */
>>>>>>> 8f1d98b (report: a dump says which call and descriptor, which semaphore, since when, and tells equal activities once)
#ifndef CHARCOAL_REPORT_SYMBOLS_H
#define CHARCOAL_REPORT_SYMBOLS_H

#include "frames/allocator.h"

<<<<<<< HEAD
struct ch_place {
  uintptr_t begin, end; /* the mapping of its module that contains the address */
  uintptr_t offset;     /* the address as the module's own file has it, which addr2line takes */
  char module[256];     /* the file's path; "" if there is none */
  char function[128];   /* "" if the file does not say; that of an interruptible version is the function's own */
};
/* False: nothing is mapped there. */
CH_HIDDEN bool ch_place_of(const void *address, struct ch_place *);
=======
struct ch_symbol {
  const char *name;   /* NULL: not known */
  uint64_t offset;    /* of the address in it */
  const char *module; /* the file's name without its folder; NULL: not known */
  uint64_t in_module; /* the address as tools that read the file count (addr2line) */
};
CH_HIDDEN struct ch_symbol ch_symbol_of(const void *address);
>>>>>>> 8f1d98b (report: a dump says which call and descriptor, which semaphore, since when, and tells equal activities once)

#endif
