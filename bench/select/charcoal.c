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

/* The clauses CLAUSE(0) to CLAUSE(N-1), joined by `or`. */
#define OF_2(CLAUSE) CLAUSE(0) or CLAUSE(1)
#define OF_4(CLAUSE) OF_2(CLAUSE) or CLAUSE(2) or CLAUSE(3)
#define OF_8(CLAUSE) OF_4(CLAUSE) or CLAUSE(4) or CLAUSE(5) or CLAUSE(6) or CLAUSE(7)
#define SEND(k) waituntil (ch_send(&channels[k], &i)) {}
#define RECEIVE(k) waituntil (ch_recv(&channels[k], &x)) {}
#define TRY_SEND(k) waituntil (ch_send(&channels[k], &i)) return 1;
#define TRY_RECEIVE(k) waituntil (ch_recv(&channels[k], to)) return 1;

#define BOTH_SIDES(N)                                                                                                  \
  static void send_##N(long i) { OF_##N(SEND) }                                                                        \
  static long receive_##N(void) {                                                                                      \
    long x = 0;                                                                                                        \
    OF_##N(RECEIVE)                                                                                                    \
    return x;                                                                                                          \
  }                                                                                                                    \
  static int try_send_##N(long i) {                                                                                    \
    OF_##N(TRY_SEND) else return 0;                                                                                    \
    return -1;                                                                                                         \
  }                                                                                                                    \
  static int try_receive_##N(long *to) {                                                                               \
    OF_##N(TRY_RECEIVE) else return 0;                                                                                 \
    return -1;                                                                                                         \
  }
BOTH_SIDES(2)
BOTH_SIDES(4)
BOTH_SIDES(8)

static void produce(void *unused) {
  (void)unused;
  for (long i = 0; i < (long)count; i++)
    if (with_else)
      while (!(clauses == 2 ? try_send_2(i) : clauses == 4 ? try_send_4(i) : try_send_8(i)))
        ch_reschedule();
    else if (clauses == 2)
      send_2(i);
    else if (clauses == 4)
      send_4(i);
    else
      send_8(i);
}

static unsigned long long consume(void) {
  unsigned long long sum = 0;
  long x = 0;
  for (unsigned long i = 0; i < count; i++) {
    if (with_else)
      while (!(clauses == 2 ? try_receive_2(&x) : clauses == 4 ? try_receive_4(&x) : try_receive_8(&x)))
        ch_reschedule();
    else
      x = clauses == 2 ? receive_2() : clauses == 4 ? receive_4() : receive_8();
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
  if ((clauses != 2 && clauses != 4 && clauses != 8) || (*kind && !with_else && !domains))
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
