/* A mutex guards a counter. charcoal.c describes the cases. */
#include "../common/measure.h"
#include <pthread.h>
#include <sched.h>

enum { MOST = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long each, counter;
static int gives_way;

static void *count_up(void *unused) {
  for (unsigned long i = 0; i < each; i++) {
    pthread_mutex_lock(&lock);
    unsigned long was = counter;
    if (gives_way)
      sched_yield();
    counter = was + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  pthread_t threads[MOST];
  unsigned many = !strcmp(name, "free") ? 1 : !strcmp(name, "contended-2dom") ? 2 : MOST;
  gives_way = !strcmp(name, "contended");
  if (many == MOST && !gives_way)
    unknown_case(name);
  each = count / many;
  double start = now_ns();
  for (unsigned i = 0; i < many; i++)
    if (pthread_create(&threads[i], NULL, count_up, NULL))
      return 1;
  for (unsigned i = 0; i < many; i++)
    pthread_join(threads[i], NULL);
  double elapsed = now_ns() - start;
  expect(counter, count);
  report("time", elapsed / (double)count, "ns/lock", counter);
}
