/* With main the program ends: activities that still use variables of main's run no more, so nothing is wrong. */
// outcome: main_returns_before_its_activities.expected
#include <charcoal.h>
#include <stdio.h>

int main(void) {
  int turns[2] = {0, 0};
  ch_sem first = CH_SEM_INIT(0), never = CH_SEM_INIT(0);
  activate {
    for (;;) {
      turns[1]++;
      ch_sem_post(&first);
      ch_sem_wait(&never);
    }
  }
  ch_sem_wait(&first);
  printf("turns: %d\n", turns[1]);
}
