// Law 1: at a yield point the whole activity may be set aside, and goes on exactly there: no branch of its own comes in
// between. Only what cannot complete now lets another branch run.
#include <charcoal.h>
#include <stdio.h>

static ch_sem gate;
static int step, others;

static int work(int n) { // calls, so yield points
  for (int i = 0; i < 3; i++) {
    yield;
    ch_reschedule();
    n += i;
  }
  return n;
}

int main(void) {
  ch_activity other;
  int first = 0, second = 0;
  ch_sem_init(&gate, 0);
  activate [&other] {
    while (step < 100) {
      others++;
      yield;
    }
  }
  do {
    async {
      ch_sem_wait(&gate); // the first branch is ready from here on, as soon as the gate opens
      first = ++step;
    }
    async {
      ch_sem_post(&gate);
      int before = step;
      work(1);
      if (step != before)
        printf("a sibling ran at a yield point\n");
      second = ++step;
    }
    int before = step; // nothing blocked in the second branch, so it has ended: serial elision
    work(2);
    printf("%d %d\n", second, step == before);
  } finish;
  printf("%d %d %d\n", first, second, others > 0);
  step = 100;
  ch_activity_wait(&other);

  // Serial elision: nothing blocks, so `async S` is S, in every nesting.
  int log = 0;
  do {
    for (int i = 1; i < 4; i++) {
      async log = log * 10 + work(i) % 10;
      async do { async log++; async { async log *= 2; } } finish;
    }
  } finish;
  printf("%d\n", log);
}
