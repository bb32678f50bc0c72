/* A producer and a consumer wait for N channels each, so both sides select (paper 003, section 5.8). CASE is N: in one
 * domain, over channels without room; N-else: with room for 128, and a side that finds no channel ready gives way;
 * N-2dom: as N, with the producer in another domain. others.h describes overlap, overlap-fair and mixed. */
#include "../common/measure.h"
#include <charcoal.h>
#include <charcoal/channel.h>
#include "others.h"

enum { MOST = 8 };
static channel(long) channels[MOST];
static int clauses, with_else;
static unsigned long count;

static void one_of(struct ch_wait *w) {
  if (!with_else) {
    if (ch_wait_any(w) < 0)
      exit(1);
    return;
  }
  while (ch_wait_try(w) < 0) ch_reschedule();
}

static void produce(void *unused) {
  struct ch_channel_send__clause c[MOST];
  struct ch_wait w;
  (void)unused;
  for (long i = 0; i < (long)count; i++) {
    ch_wait_enter(&w, 0, NULL);
    for (int k = 0; k < clauses; k++) {
      ch_channel_send__clause(&c[k], CH_CHANNEL(&channels[k]), &i, sizeof i);
      ch_wait_add(&w, &c[k].clause, (unsigned)k);
    }
    one_of(&w);
  }
}

static unsigned long long consume(void) {
  struct ch_channel_recv__clause c[MOST];
  struct ch_wait w;
  unsigned long long sum = 0;
  long x;
  for (unsigned long i = 0; i < count; i++) {
    ch_wait_enter(&w, 0, NULL);
    for (int k = 0; k < clauses; k++) {
      ch_channel_recv__clause(&c[k], CH_CHANNEL(&channels[k]), &x, sizeof x);
      ch_wait_add(&w, &c[k].clause, (unsigned)k);
    }
    one_of(&w);
    sum += (unsigned long long)x;
  }
  return sum;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  char *kind;
  ch_thread other;
  count = strtoul(argv[2], NULL, 10);
  if (measure_another(name, count))
    return 0;
  clauses = (int)strtol(name, &kind, 10);
  with_else = !strcmp(kind, "-else");
  int domains = !strcmp(kind, "-2dom");
  if (clauses < 1 || clauses > MOST || (*kind && !with_else && !domains))
    unknown_case(name);
  for (int k = 0; k < clauses; k++)
    if (domains ? ch_channel_init_shared(&channels[k], 0) : ch_channel_init(&channels[k], with_else ? 128 : 0))
      return 1;
  double start = now_ns();
  if (domains) {
    if (ch_domain_start(&other, produce, NULL))
      return 1;
  } else {
    activate produce(NULL);
  }
  unsigned long long sum = consume();
  double elapsed = now_ns() - start;
  if (domains)
    ch_domain_join(&other);
  expect(sum, (unsigned long long)count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns/message", sum);
}
