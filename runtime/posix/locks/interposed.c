/* Looks up the C library's definition of a function that the runtime interposes. See interposed.h. */
#define _GNU_SOURCE
#include "posix/locks/interposed.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

extern __typeof__(dlsym) dlsym __attribute__((weak));

void *ch_next_definition(void *library, const char *name) {
  void *found = library && dlsym ? dlsym(library, name) : NULL;
  if (!found) {
    fprintf(stderr, "charcoal: the C library's function '%s' was not found; link with charcoal-cc\n", name);
    abort();
  }
  return found;
}
