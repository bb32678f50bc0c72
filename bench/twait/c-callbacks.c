/* The loop with callbacks by hand: a closure on the heap for each turn, and timers in a heap by their time. Each turn
 * passes through the core of an event loop, as in the paper: it reads the clock and calls what was due when it began.
 * It looks at descriptors in every 64th pass, and when nothing is due. */
#include "pieces.h"
#include <stdint.h>
#include <sys/epoll.h>

enum { MOST = 1024, TURNS = 100 };

struct timer {
  int64_t due;
  void (*function)(void *);
  void *argument;
};

static struct timer *timers[MOST];
static int number_of_timers, epoll;
static int64_t now;

static int64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void timer(int64_t ns, void (*function)(void *), void *argument) {
  struct timer *t = malloc(sizeof *t);
  *t = (struct timer){now + ns, function, argument};
  int i = number_of_timers++;
  for (; i > 0 && timers[(i - 1) / 2]->due > t->due; i = (i - 1) / 2)
    timers[i] = timers[(i - 1) / 2];
  timers[i] = t;
}

static struct timer *take_first(void) {
  struct timer *first = timers[0], *last = timers[--number_of_timers];
  int i = 0;
  for (int child; (child = 2 * i + 1) < number_of_timers; i = child) {
    child += child + 1 < number_of_timers && timers[child + 1]->due < timers[child]->due;
    if (timers[child]->due >= last->due)
      break;
    timers[i] = timers[child];
  }
  timers[i] = last;
  return first;
}

static void look_at_descriptors(int timeout) {
  struct epoll_event ready[16];
  epoll_wait(epoll, ready, 16, timeout);
}

static void loop(const int *stop) {
  for (unsigned pass = 1; !*stop; pass++) {
    now = clock_ns();
    if (number_of_timers == 0 || pass % 64 == 0)
      look_at_descriptors(number_of_timers == 0 ? -1 : 0);
    for (int left = number_of_timers; left > 0 && timers[0]->due <= now; left--) {
      struct timer *t = take_first();
      t->function(t->argument);
      free(t);
    }
  }
}

struct benchfn {
  unsigned long i, n;
  int finished;
};
static unsigned long done;

static void turn(void *argument) {
  struct benchfn *b = argument;
  done++;
  if (++b->i < b->n)
    timer(0, turn, b);
  else
    b->finished = 1;
}

static void benchfn(unsigned long n) {
  struct benchfn b = {.n = n};
  timer(0, turn, &b);
  loop(&b.finished);
}

int main(int argc, char **argv) {
  static const struct work works[] = {
      {"implicit", benchfn, TURNS},
      {"explicit", benchfn, TURNS},
      {0},
  };
  epoll = epoll_create1(0);
  now = clock_ns();
  run_work(argc, argv, works, &done);
}
