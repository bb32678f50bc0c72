/* atomic as statement, expression, declaration and definition, nested, left in every way: no update is lost, and
 * outside it there is interleaving. */
// outcome: atomic_forms.expected
#include <charcoal.h>
#include <stdio.h>
#define N 6
#define ROUNDS 20
static long shared, entered;
static int inside, overlaps, last = -1, changes;
static int pass(int x) {
  yield;
  return x;
}
static void mark(int who) {
  if (last != who) {
    changes++;
    last = who;
  }
}
static void critical(int who) {
  entered++;
  if (inside)
    overlaps++;
  inside = 1;
  long old = shared;
  yield;
  pass(who);
  shared = old + 1;
  yield;
  if (inside != 1)
    overlaps++;
  inside = 0;
}
atomic static void whole(int who) { critical(who); }
static int expression(int who) { return atomic(critical(who), pass(who)); }
static int by_return(int who) {
  atomic {
    critical(who);
    if (pass(who) & 1)
      return 1;
  }
  return 2;
}
static int by_break(int who) {
  int r = 0;
  for (;;)
    atomic {
      critical(who);
      if (pass(++r) == 2)
        break;
    }
  return r;
}
static int by_continue(int who) {
  int r = 0;
  for (int i = 0; i < 3; i++) {
    atomic {
      critical(who);
      if (pass(i) == 1)
        continue;
      r += i;
    }
    r += 10;
  }
  return r;
}
static int by_goto(int who) {
  int r = 0;
again:
  atomic {
    critical(who);
    if (pass(++r) < 3)
      goto again;
    goto out;
  }
out:
  return r;
}
static int nested(int who) {
  atomic {
    critical(who);
    atomic {
      critical(who);
      atomic critical(who);
      yield;
    }
    pass(who);
    critical(who);
  }
  return who;
}
int main(void) {
  ch_activity h[N] = {0};
  int result[N] = {0};
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) {
      for (int k = 0; k < ROUNDS; k++) {
        mark(i);
        ch_reschedule();
        atomic critical(i);
        yield;
        whole(i);
        yield;
        mark(i);
        result[i] += expression(i) + by_return(i) + by_break(i);
        yield;
        result[i] += by_continue(i) + by_goto(i) + nested(i);
        mark(i);
        yield;
      }
    }
  int sum = 0;
  for (int i = 0; i < N; i++) {
    ch_activity_wait(&h[i]);
    sum = sum * 7 % 10007 + result[i];
  }
  printf("%ld %ld %d %d %s\n", shared, entered, overlaps, sum, changes > N ? "interleaved" : "not interleaved");
}
