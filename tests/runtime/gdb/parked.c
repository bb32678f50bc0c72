/* A program with activities that wait at several depths, for the tests of the gdb commands. */
#include <charcoal.h>
#include <stdlib.h>
#include <unistd.h>

static ch_sem gate;

static int inner(int depth) {
  if (depth > 0)
    return inner(depth - 1) + 1;
  ch_sem_wait(&gate);
  return 0;
}

static int sum;

static void query(int number) {
  do {
    async inner(1);
    sum += ch_sem_wait(&gate) + number;
  } finish;
}

int main(void) {
  int p[2];
  char byte;
  if (pipe(p) < 0)
    return 1;
  activate {
    ch_set_name("server");
    sum += inner(2);
  }
  activate[&(ch_activity){0}] { sum += (int)read(p[0], &byte, 1); }
  activate {
    ch_sleep(INT64_C(1000000000000));
    sum++;
  }
  activate {
    ch_set_name("asking");
    queries: do {
      async query(1);
      async query(2);
      noncancellable { ch_sem_wait(&gate); }
    } finish;
  }
  ch_reschedule();
  activate { sum++; }
  if (getenv("ABORT"))
    abort();
  return 0;
}
