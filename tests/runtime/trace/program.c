/* Activities, branches, waits on the native stack and a second domain: all that a trace has to keep apart. */
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>

static ch_sem gate;

static int compare(const void *a, const void *b) {
  ch_sleep(100000); /* from plain code: others run on top */
  return *(const int *)a - *(const int *)b;
}

static void other(void *unused) {
  (void)unused;
  do {
    for (int i = 0; i < 3; i++)
      async ch_sleep(200000);
  } finish;
}

int main(void) {
  ch_activity a[4];
  ch_thread second;
  int numbers[] = {3, 1, 2};
  if (ch_domain_start(&second, other, NULL))
    return 2;
  for (int i = 0; i < 4; i++)
    activate [&a[i]] (i) {
      do {
        async ch_sleep(300000 * i);
        async ch_sem_wait(&gate);
        ch_sem_post(&gate);
      } finish;
    }
  qsort(numbers, 3, sizeof *numbers, compare);
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&a[i]);
  ch_domain_join(&second);
  printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
  return 0;
}
