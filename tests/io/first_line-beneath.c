/* A malloc that signals a condition, as that of jemalloc does to wake a thread of its own. Linked under first_line.c,
 * with --wrap=malloc. */
#include <pthread.h>
#include <stddef.h>

int signals;
static pthread_cond_t nobodys = PTHREAD_COND_INITIALIZER;

void *__real_malloc(size_t);
void *__wrap_malloc(size_t n) {
  if (signals)
    pthread_cond_signal(&nobodys);
  return __real_malloc(n);
}
