/* Replacements of pthread_create and thrd_create: see posix/thread_start.h. */
#include "posix/thread_start.h"
#include "posix/replacements/replacement.h"

CH_REPLACES(pthread_create)
int ch_posix_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                            void *argument) {
  return ch_pthread_create(thread, attributes, start, argument);
}
CH_REPLACES(thrd_create) int ch_posix_thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  return ch_thrd_create(thread, start, argument);
}
