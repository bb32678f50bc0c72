/* Three flags, a mutex and a condition variable: the waiter evaluates its condition whenever a flag has been set. */
#include "../common/measure.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_set = PTHREAD_COND_INITIALIZER, wanted = PTHREAD_COND_INITIALIZER;
static int a, b, c, wants;
static unsigned long rounds;

static void set(int *flag) {
  pthread_mutex_lock(&lock);
  *flag = 1;
  pthread_cond_signal(&was_set);
  pthread_mutex_unlock(&lock);
}

static void *set_all(void *unused) {
  for (unsigned long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    while (!wants)
      pthread_cond_wait(&wanted, &lock);
    wants = 0;
    pthread_mutex_unlock(&lock);
    set(&a);
    set(&b);
    set(&c);
  }
  return unused;
}

static int is_satisfied(const char *name) {
  if (!strcmp(name, "or"))
    return a || b || c;
  if (!strcmp(name, "and"))
    return a && b && c;
  return !strcmp(name, "andor") ? (a && b) || c : (a || b) && c;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  rounds = strtoul(argv[2], NULL, 10);
  unsigned long satisfied = 0;
  pthread_t setter;
  if (!strstr("or and andor orand", name))
    unknown_case(name);
  if (pthread_create(&setter, NULL, set_all, NULL))
    return 1;
  double start = now_ns();
  for (unsigned long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    wants = 1;
    pthread_cond_signal(&wanted);
    while (!is_satisfied(name))
      pthread_cond_wait(&was_set, &lock);
    satisfied++;
    while (!(a && b && c)) /* they are all set before they are set again */
      pthread_cond_wait(&was_set, &lock);
    a = b = c = 0;
    pthread_mutex_unlock(&lock);
  }
  double elapsed = now_ns() - start;
  pthread_join(setter, NULL);
  expect(satisfied, rounds);
  report("time", elapsed / (double)rounds, "ns/wait", satisfied);
}
