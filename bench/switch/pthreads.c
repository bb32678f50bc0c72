/* CASE threads on one core give way with sched_yield, COUNT times in all, after the gate at which they wait has opened.
 */
#define _GNU_SOURCE
#include "../common/measure.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static unsigned long threads, rounds;
static atomic_ulong switches;
static pthread_barrier_t gate;

static void *body(void *unused) {
  pthread_barrier_wait(&gate);
  unsigned long mine = 1;
  for (unsigned long i = 0; i < rounds; i++) {
    sched_yield();
    mine++;
  }
  atomic_fetch_add(&switches, mine);
  return unused;
}

int main(int argc, char **argv) {
  threads = strtoul(argument_case(argc, argv), NULL, 10);
  rounds = strtoul(argv[2], NULL, 10) / threads;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  pthread_barrier_init(&gate, NULL, (unsigned)threads + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN < 32768 ? 32768 : PTHREAD_STACK_MIN);
  pthread_t *thread = calloc(threads, sizeof *thread);
  for (unsigned long i = 0; i < threads; i++) {
    int error = pthread_create(&thread[i], &small, body, NULL);
    if (error)
      return fprintf(stderr, "thread %lu: %s\n", i, strerror(error)), 1;
  }
  double start = now_ns();
  pthread_barrier_wait(&gate);
  for (unsigned long i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  double elapsed = now_ns() - start;
  expect(switches, threads * (rounds + 1));
  report("time", elapsed / (double)(threads * (rounds + 1)), "ns/switch", switches);
  free(thread);
}
