/* A pipeline whose stages run in domains of their own, and so on several cores. The first one makes numbers, some
 * compute how many steps each number takes to come to 1 (Collatz), and the last one, main, looks for the longest way.
 * The channels between them hold a few batches, so a stage that is faster than the next one waits for it.
 *
 *   pipeline [NUMBERS [WORKERS]] */
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/domains.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 256 };
struct batch {
  long first, last; /* numbers */
  long longest, steps;
};
static channel(struct batch) todo, done;
static long numbers = 100000;

static intptr_t make(void *unused) {
  (void)unused;
  for (long n = 1; n <= numbers; n += BATCH) {
    struct batch b = {.first = n, .last = n + BATCH > numbers ? numbers : n + BATCH - 1};
    ch_send(&todo, &b);
  }
  ch_close(&todo);
  return 0;
}

static long way(long n) {
  long steps = 0;
  for (; n != 1; steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

static intptr_t compute(void *unused) {
  intptr_t batches = 0;
  struct batch b;
  (void)unused;
  for (; ch_recv(&todo, &b) == 0; batches++) {
    for (long n = b.first; n <= b.last; n++) {
      long steps = way(n);
      if (steps > b.steps)
        b.longest = n, b.steps = steps;
    }
    ch_send(&done, &b);
  }
  return batches;
}

int main(int argc, char **argv) {
  unsigned workers = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
  struct batch b, best = {0};
  intptr_t each, all = 0, expected;
  numbers = argc > 1 ? atol(argv[1]) : numbers;
  expected = (numbers + BATCH - 1) / BATCH;
  if (numbers < 1 || workers < 1 || workers > 64 || ch_channel_init_shared(&todo, 8) ||
      ch_channel_init_shared(&done, 8))
    return fputs("usage: pipeline [NUMBERS [WORKERS]]\n", stderr), 2;
  ch_domains *stages = ch_domains_start(1 + workers, &(struct ch_domains_how){.name = "stage"});
  ch_task *tasks[1 + 64];
  if (!stages)
    return perror("pipeline"), 1;
  for (unsigned i = 0; i <= workers; i++)
    if (!(tasks[i] = ch_domain_spawn(stages, i, i == 0 ? make : compute, NULL)))
      return perror("pipeline"), 1;
  for (intptr_t i = 0; i < expected && ch_recv(&done, &b) == 0; i++)
    if (b.steps > best.steps || (b.steps == best.steps && b.longest < best.longest))
      best = b;
  for (unsigned i = 0; i <= workers; i++, all += each)
    ch_task_join(tasks[i], &each);
  ch_domains_end(stages, 0);
  ch_channel_destroy(&todo);
  ch_channel_destroy(&done);
  printf("of %ld numbers %ld has the longest way: %ld steps (%ld batches)\n", numbers, best.longest, best.steps,
         (long)all);
  return all != expected;
}
