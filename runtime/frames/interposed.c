/* Looks up the C library's definition of a function that the runtime interposes. See interposed.h. */
#define _GNU_SOURCE
#include "frames/interposed.h"
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

__typeof__(pthread_once) ___pthread_once __attribute__((weak)); /* of a static C library */

int ch_library_once(pthread_once_t *once, void (*init)(void)) {
  return CH_NEXT_DEFINITION(pthread_once, ___pthread_once)(once, init);
}
