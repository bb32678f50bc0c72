/* Measures a call, an `async` call that does not block, and one that blocks and is at once made ready again (paper 002,
 * section 5.1).
 *
 * The function could block, though it does not in the first two cases, because `async` is meant for such functions. In
 * plain C the words of the dialect are defined away before this file is included, so `async` is the call itself. The
 * calls are timed in pieces, of which the fastest counts. */
#include "../common/measure.h"
#include <unistd.h>

enum { PIECE = 10000 };

static unsigned long sum, never; /* never: a number that `add` does not get, which the compiler cannot know */

__attribute__((noinline)) static void add(unsigned long i) {
  if (i == never)
    usleep(1);
  sum += i;
}

__attribute__((noinline)) static void add_later(unsigned long i) {
  block();
  sum += i;
}

static void call_piece(unsigned long from) {
  for (unsigned long i = from; i < from + PIECE; i++)
    add(i);
}

static void async_piece(unsigned long from) {
  do {
    for (unsigned long i = from; i < from + PIECE; i++)
      async add(i);
  }
  finish;
}

/* So many at a time: the frames of a batch stay in the cache. */
static void yield_piece(unsigned long from) {
  for (unsigned long batch = from; batch < from + PIECE; batch += 100) {
    do {
      for (unsigned long i = batch; i < batch + 100; i++) {
        async add_later(i);
        unblock();
      }
    }
    finish;
  }
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10) / PIECE * PIECE;
  double best = 0;
  never = count + 1;
  for (unsigned long from = 0; from < count; from += PIECE) {
    double start = now_ns();
    if (!strcmp(name, "call"))
      call_piece(from);
    else if (!strcmp(name, "async"))
      async_piece(from);
    else if (!strcmp(name, "async-yield"))
      yield_piece(from);
    else
      unknown_case(name);
    double elapsed = now_ns() - start;
    if (from == 0 || elapsed < best)
      best = elapsed;
  }
  expect(sum, count * (count - 1) / 2);
  report("time", best / PIECE, "ns/call", sum);
}
