/* Interposed functions: functions of the runtime that have the names of C library functions, so that code which was not
 * recompiled calls them. They call the C library's definitions, which are looked up as the next ones of the same name.
 */
#ifndef CHARCOAL_FRAMES_INTERPOSED_H
#define CHARCOAL_FRAMES_INTERPOSED_H

#include "frames/attributes.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

/* Weak, so that a definition in the program or in a sanitizer comes first. */
#define CH_INTERPOSED __attribute__((weak, visibility("default")))

/* The function of that name in `library`, or the next one after this library (RTLD_NEXT). If there is none the program
 * ends with a message. */
CH_HIDDEN void *ch_next_definition(void *library, const char *name);

/* The C library's function of a name that the runtime interposes. `in_static`: a second name of the function that only
 * a static C library has (a weak declaration), because no function can be looked up by its name in a static program. */
#define CH_NEXT_DEFINITION(name, in_static)                                                                            \
  ({                                                                                                                   \
    static __typeof__(name) *_Atomic cached;                                                                           \
    __typeof__(name) *fn = cached;                                                                                     \
    if (CH_UNLIKELY(!fn))                                                                                              \
      cached = fn = in_static ? in_static : (__typeof__(name) *)(uintptr_t)ch_next_definition(RTLD_NEXT, #name);       \
    fn;                                                                                                                \
  })

/* The C library's pthread_once, which waits with its thread while another thread runs `init`. The runtime must not call
 * pthread_once by its name: that lets other activities of the domain go on meanwhile, and they would meet a wait that
 * is half registered, or a table that is being changed. */
CH_HIDDEN int ch_library_once(pthread_once_t *once, void (*init)(void));

#endif
