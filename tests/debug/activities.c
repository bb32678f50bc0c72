// Activities that wait at several depths, and one that is resumed: what a debugger has to put together again.
#include <charcoal.h>
#include <stdlib.h>
#include <unistd.h>

static ch_sem gate, opened;
static int sum;

__attribute__((noinline)) static int innermost(int n) {
  int twice = n * 2;
  ch_sem_wait(&gate); // wait
  sum += twice;       // resumed
  return twice + 1;   // returns
}

__attribute__((noinline)) static int between(int n) {
  int before = n + 100;
  int result = innermost(before); // between
  sum += result;                  // after
  return result + before;
}

static int opener(int n) {
  int got = 0;
  do {
    async { got = between(n); } // async
    ch_sem_post(&opened);
  } finish; // finish
  return got;
}

static void all(void) {
  ch_set_name("waiting");
  int mine = 7;
  sum += opener(mine); // body
}

static ch_sem order;
static volatile int sorting;
static int by_waiting(const void *a, const void *b) {
  int compared = *(const int *)a - *(const int *)b;
  sorting = 1;
  ch_sem_wait(&order); // plain
  return compared;
}
static int sorter(void) {
  ch_set_name("sorting");
  int values[2] = {2, 1};
  qsort(values, 2, sizeof *values, by_waiting); // sort
  return values[0];
}

static void never(void) { ch_sem_wait(&gate); }

int main(void) {
  activate { all(); }
  ch_sem_wait(&opened);
  ch_activity second;
  activate [&second] { never(); }
  activate { ch_sem_wait(&gate); sum++; }
  activate { sum += sorter(); }
  while (!sorting)
    ch_reschedule();
  ch_sem_post(&gate); // parked
  ch_reschedule();
  if (getenv("ABORT"))
    abort();
  ch_sem_post(&order);
  ch_sem_post(&gate);
  ch_sem_post(&gate);
  ch_activity_wait(&second);
  return 0;
}
