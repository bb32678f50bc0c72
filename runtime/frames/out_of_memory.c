/* The message at the end of a program that has no memory (out_of_memory.h). Standard error has no buffer, so it is
 * written without any. */
#include "frames/out_of_memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ch_out_of_memory(const char *what, ...) {
  va_list arguments;
  va_start(arguments, what);
  fprintf(stderr, "charcoal: out of memory: no room for ");
  vfprintf(stderr, what, arguments);
  fprintf(stderr, "; let fewer activities wait at a time, or raise the limit (ulimit -v, or that of the container)\n");
  va_end(arguments);
  abort();
}
