/* The linker puts these in place of the runtime's allocations (--wrap). FAIL_AT=n: the n-th fails; FAIL_AT=n+: all from
 * the n-th on. A byte to FAIL_TO, if there was an n-th. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t),
    *__real_aligned_alloc(size_t, size_t), *__real_mmap(void *, size_t, int, int, int, off_t);

static long begins;
static int to, goes_on, had;

/* Called when the program starts, and by each allocation before. */
__attribute__((constructor)) static void prepare(void) {
  const char *at = getenv("FAIL_AT"), *descriptor = getenv("FAIL_TO");
  begins = at ? atol(at) : -1;
  goes_on = at && strchr(at, '+') != NULL;
  to = descriptor ? atoi(descriptor) : -1;
}

static int fails(void) {
  static long count;
  if (begins == 0)
    prepare();
  if (begins < 0)
    return 0;
  long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (n != begins && !(goes_on && n > begins))
    return 0;
  if (!__atomic_load_n(&had, __ATOMIC_ACQUIRE)) { /* perhaps in several threads at once; nobody fails untold */
    if (write(to, "x", 1) != 1)
      _exit(99);
    __atomic_store_n(&had, 1, __ATOMIC_RELEASE);
  }
  errno = ENOMEM;
  return 1;
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *old, size_t n) { return fails() ? NULL : __real_realloc(old, n); }
void *__wrap_aligned_alloc(size_t align, size_t n) { return fails() ? NULL : __real_aligned_alloc(align, n); }
void *__wrap_mmap(void *at, size_t n, int how, int flags, int fd, off_t offset) {
  return fails() ? MAP_FAILED : __real_mmap(at, n, how, flags, fd, offset);
}
