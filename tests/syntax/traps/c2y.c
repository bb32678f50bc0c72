// Named loops and _Defer, of C2y, together with the statements of the dialect.
#include <charcoal.h>
#include <stdio.h>

#define defer _Defer // as <stddefer.h> has it

static int leaves_finish(void) {
  int n = 0;
outer:
  for (int i = 0; i < 4; i++) {
    do {
      async {
        ch_sleep(1000);
        n++;
      }
      if (i == 0)
        continue outer;
      for (;;)
        if (i < 3)
          continue outer;
        else
          break outer;
    } finish;
    n += 100;
  }
  return n; // each finish has waited for its branch
}

static int leaves_atomic(void) {
  int n = 0;
outer:
  for (int i = 0; i < 3; i++)
    for (;;)
      atomic {
        n++;
        if (i == 2)
          break outer;
        continue outer;
      }
  ch_sleep(0); // no deadlock: nothing is atomic any more
  return n;
}

static int in_an_activity(void) {
  ch_activity a;
  int n = 0;
  activate [&a] {
  loop:
    for (int i = 0; i < 10; i++)
      for (;;) {
        ch_sleep(1000);
        if (i == 4)
          break loop;
        n++;
        continue loop;
      }
  }
  ch_activity_wait(&a);
  return n;
}

static int defers(int *n) {
  do {
    _Defer {
      do {
        async {
          ch_sleep(1000);
          *n += 1;
        }
      } finish;
      *n *= 2;
    }
    defer atomic *n += 10;
    if (*n == 5)
      _Defer async *n += 100;
    for (int i = 0; i < 3; i++) {
      defer async {
        ch_sleep(1000);
        *n += 1000;
      }
      if (i == 1)
        break;
    }
    return *n;
  } finish;
}

int main(void) {
  int n = 5;
  printf("%d %d %d\n", leaves_finish(), leaves_atomic(), in_an_activity());
  int before = defers(&n);
  printf("%d %d\n", before, n);
}
