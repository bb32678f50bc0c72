/* Functions that are optimized for size lie at any address. Calls through pointers find the interruptible version of
 * each, whatever lies beside it. */
// outcome: functions_at_any_address.expected
#include <charcoal.h>
#include <stdio.h>

#define SMALL __attribute__((minsize, noinline))
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4)

static ch_sem turn, back;

#define WAITS(n)                                                                                                       \
  SMALL static int waits##n(int x) {                                                                                   \
    ch_sem_wait(&turn);                                                                                                \
    return x * n + (n % 3 ? n : x);                                                                                    \
  }
ALL(WAITS)

#define NAME(n) waits##n,
static int (*volatile table[])(int) = {ALL(NAME)};
enum { N = sizeof table / sizeof *table };

static void answer(void) {
  for (int i = 0; i < 3 * N; i++) {
    ch_sem_wait(&back);
    ch_sem_post(&turn);
  }
}

int main(void) {
  activate answer();
  long sum = 0;
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < N; i++) {
      ch_sem_post(&back);
      sum = sum * 31 % 1000003 + table[i](i + round);
    }
  printf("%ld\n", sum);
  return 0;
}
