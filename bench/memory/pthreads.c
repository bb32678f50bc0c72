/* COUNT threads wait, all for one semaphore (parked) or each for its own (ring). The kernel's memory is not counted. */
#include "../common/measure.h"
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static unsigned long count, passed;
static sem_t parked, waiting, *link_of;

static void *park(void *unused) {
  sem_post(&waiting);
  sem_wait(&parked);
  __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
  return unused;
}

static void *pass_on(void *index) {
  unsigned long i = (unsigned long)index;
  sem_post(&waiting);
  sem_wait(&link_of[i]);
  passed++; /* whoever holds the token is alone */
  if (i + 1 < count)
    sem_post(&link_of[i + 1]);
  return NULL;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  int ring = !strcmp(name, "ring");
  if (!ring && strcmp(name, "parked"))
    unknown_case(name);
  count = strtoul(argv[2], NULL, 10);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN < 32768 ? 32768 : PTHREAD_STACK_MIN);
  sem_init(&waiting, 0, 0);
  double before = resident_bytes();
  sem_init(&parked, 0, 0);
  pthread_t *thread = calloc(count, sizeof *thread);
  if (ring)
    link_of = calloc(count, sizeof *link_of);
  for (unsigned long i = 0; ring && i < count; i++)
    sem_init(&link_of[i], 0, 0);
  for (unsigned long i = 0; i < count; i++) {
    int error = pthread_create(&thread[i], &small, ring ? pass_on : park, (void *)i);
    if (error)
      return fprintf(stderr, "thread %lu: %s\n", i, strerror(error)), 1;
  }
  for (unsigned long i = 0; i < count; i++)
    sem_wait(&waiting);
  double bytes = resident_bytes() - before;
  if (ring)
    sem_post(&link_of[0]);
  for (unsigned long i = 0; !ring && i < count; i++)
    sem_post(&parked);
  for (unsigned long i = 0; i < count; i++)
    pthread_join(thread[i], NULL);
  expect(passed, count);
  report("memory", bytes / (double)count, "bytes/activity", passed);
  free(thread);
  free(link_of);
}
