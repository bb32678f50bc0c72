/* See schedule.h. The numbers are those of splitmix64. */
#define _GNU_SOURCE
#include "sched/schedule.h"
#include "frames/forks.h"
#include "frames/runtime_calls.h"
#include "wait/link.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

bool ch_schedule_random;

static __thread __attribute__((tls_model("initial-exec"))) uint64_t state;
static char seed_line[96];

static uint64_t draw(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void ch_schedule_failed(void) {
  static int told;
  if (!ch_schedule_random || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
    return;
  ssize_t ignored = ch_runtime_write(2, seed_line, strlen(seed_line));
  (void)ignored;
}

static void at_exit(int status, void *unused) {
  (void)unused;
  if (status != 0)
    ch_schedule_failed();
}

static void at_signal(int number) {
  ch_schedule_failed();
  raise(number); /* SA_RESETHAND has restored the default action, which is taken when this handler returns */
}

static void begin(const char *text) {
  uint64_t seed;
  char *end = NULL;
  if (strcmp(text, "random") == 0) {
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
      seed = (uint64_t)getpid();
    seed %= 1000000000;
  } else {
    if (strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9')
      seed = strtoull(text + 7, &end, 10);
    if (!end || *end) {
      fprintf(stderr, "charcoal: CHARCOAL_SCHEDULE='%s' is unknown; use random, or random:SEED with a number\n", text);
      exit(CH_EXIT_MISUSE);
    }
  }
  snprintf(seed_line, sizeof seed_line, "charcoal: to get this schedule again set CHARCOAL_SCHEDULE=random:%llu\n",
           (unsigned long long)seed);
  state = seed;
  on_exit(at_exit, NULL);
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction old, ours = {.sa_handler = at_signal, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(signals[i], &ours, NULL);
  }
  ch_schedule_random = true;
}

CH_FORK_LOCK(lock, CH_INNER_LOCK)

void ch_schedule_start(void) {
  static uint64_t domains, first;
  static bool looked;
  pthread_mutex_lock(&lock);
  if (!looked) {
    const char *text = getenv("CHARCOAL_SCHEDULE");
    looked = true;
    if (text && *text)
      begin(text);
    first = state;
  }
  ch_domain.random = ch_domain.chooses = ch_schedule_random;
  state = first + ++domains * 0x632be59bd9b4e019u;
  pthread_mutex_unlock(&lock);
}

bool ch_schedule_gives_way(void) { return draw() % 2 == 0; }

void ch_schedule_choose(struct ch_group *g) {
  uint64_t length = 0;
  for (struct ch_branch *b = g->head; b; b = (struct ch_branch *)b->link.next)
    length++;
  struct ch_branch *before = NULL, *chosen = g->head;
  for (uint64_t i = draw() % length; i > 0; i--) {
    before = chosen;
    chosen = (struct ch_branch *)chosen->link.next;
  }
  if (!before)
    return;
  before->link.next = chosen->link.next;
  if (g->tail == chosen)
    g->tail = before;
  chosen->link.next = (struct ch_link *)g->head;
  g->head = chosen;
}
