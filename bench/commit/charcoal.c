/* The initiator of the two-phase commit, written in several ways. In one function each: one participant after the other
 * (seq), the same with `async` before each participant (async), and all messages followed by all answers (batch). As
 * events by hand, compiled by charcoal-cc (event). And among domains, which is in domains.h. */
#include "event.h"
#include "../common/blocking.h"
#include "domains.h"
#include <stdbool.h>

static struct blocking_end ends[MOST];
static int n;
static struct stopwatch watch;

/* Inlined, as all of the events by hand is. */
static inline __attribute__((always_inline)) bool ask(struct blocking_end *end, uint64_t number) {
  struct message m = {{PROPOSAL, number}};
  send_message(end, &m);
  receive(end, &m);
  return m.word[2] == 1;
}

static void tell(struct blocking_end *end, uint64_t number, bool commit) {
  struct message m = {{commit ? COMMIT : ABORT, number}};
  send_message(end, &m);
}

static void commit_seq(uint64_t number) {
  bool commit = true;
  for (int i = 0; i < n; i++)
    commit &= ask(&ends[i], number);
  for (int i = 0; i < n; i++)
    tell(&ends[i], number, commit);
}

static void commit_async(uint64_t number) {
  bool commit = true;
  do {
    for (int i = 0; i < n; i++)
      async if (!ask(&ends[i], number)) commit = false;
  }
  finish;
  do {
    for (int i = 0; i < n; i++)
      async tell(&ends[i], number, commit);
  }
  finish;
}

static void commit_batch(uint64_t number) {
  struct message m = {{PROPOSAL, number}}, vote;
  bool commit = true;
  for (int i = 0; i < n; i++)
    send_message(&ends[i], &m);
  for (int i = 0; i < n; i++) {
    receive(&ends[i], &vote);
    commit &= vote.word[2] == 1;
  }
  for (int i = 0; i < n; i++)
    tell(&ends[i], number, commit);
}

static uint64_t sum_of(struct blocking_end *end) {
  struct message m = {{END}};
  send_message(end, &m);
  receive(end, &m);
  return m.word[1];
}

/* Not a part of main, whose frame is large. */
__attribute__((noinline)) static uint64_t commit_by_blocking(void (*commit)(uint64_t number), unsigned long count) {
  struct bottom_half bottom = {ends, n};
  uint64_t sum = 0;
  begin_bottom_half(&bottom);
  lap(&watch, 0);
  for (unsigned long number = 1; number <= count; number++) {
    commit(number);
    lap(&watch, number);
  }
  for (int i = 0; i < n; i++)
    sum += sum_of(&ends[i]);
  end_bottom_half(&bottom);
  return sum;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  struct end plain[MOST];
  uint64_t sum = 0;
  int by_events = participants_of(name, "event"), seq = participants_of(name, "seq");
  int with_async = participants_of(name, "async"), batch = participants_of(name, "batch");
  int among_domains = participants_of(name, "domains");
  n = by_events + seq + with_async + batch + among_domains;
  if (!n)
    unknown_case(name);
  if (among_domains) {
    sum = run_among_domains(n, count, &watch);
    expect(sum, right_sum(count, n));
    report("time", watch.best / BATCH, "ns/operation", sum);
    return 0;
  }
  start_participants(plain, n);
  for (int i = 0; i < n; i++)
    ends[i].end = plain[i];
  if (by_events) {
    atomic sum = commit_by_events(plain, n, count, &watch); /* handlers never block */
  } else {
    sum = commit_by_blocking(seq ? commit_seq : with_async ? commit_async : commit_batch, count);
  }
  expect(sum, right_sum(count, n));
  report("time", watch.best / BATCH, "ns/operation", sum);
}
