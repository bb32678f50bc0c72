/* Keeps the runtime's calls of the C library out of the program's own functions. See c_library.h.
 *
 * With a sanitizer that has functions of these names everything stays as it is: they lie in the executable, and have to
 * see the runtime's calls. A static program has nothing to look up. */
#include "frames/c_library.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern __typeof__(dlsym) dlsym __attribute__((weak));
void __asan_init(void) __attribute__((weak));
void __hwasan_init(void) __attribute__((weak));
void __msan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));
/* Defined by a program whose functions shall stand between the runtime and the C library, as tests do that have it see
 * faults. Then everything stays as it is, too. */
CH_HIDDEN extern const char ch_functions_beneath __attribute__((weak));
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
extern const char _end[] __attribute__((weak, visibility("hidden")));

struct ch_c_library ch_c_library = {
#define CH_POINTER(name) .name = name,
    CH_C_LIBRARY_CALLS(CH_POINTER) CH_INTERPOSED_CALLS(CH_POINTER)
#undef CH_POINTER
};

static bool is_in_executable(const void *function) {
  return (uintptr_t)function - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/* The function that the runtime calls instead of what it has found for the name. */
static void *instead_of(void *found, const char *name) {
  void *next = is_in_executable(found) ? dlsym(RTLD_NEXT, name) : NULL;
  return next ? next : found;
}

__attribute__((constructor(0))) static void leave_out_the_programs(void) {
  if (__asan_init || __hwasan_init || __msan_init || __tsan_init || &ch_functions_beneath)
    return;
#define CH_TAKE_INTERPOSED(name)                                                                                       \
  extern __typeof__(name) ch_interposed_##name;                                                                        \
  ch_c_library.name = ch_interposed_##name;
  CH_INTERPOSED_CALLS(CH_TAKE_INTERPOSED)
#undef CH_TAKE_INTERPOSED
  if (!dlsym || !__ehdr_start)
    return;
#define CH_LOOK_UP(name) ch_c_library.name = (__typeof__(name) *)(uintptr_t)instead_of((void *)name, #name);
  CH_C_LIBRARY_CALLS(CH_LOOK_UP)
#undef CH_LOOK_UP
}
