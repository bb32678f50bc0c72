// Law 6: the policy `free`, of a block and of a spawn. Semaphores alone say who runs when.
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>

static ch_sem begun, go_on;
static int steps;

static void in_steps(void) {
  steps++;
  ch_sem_post(&begun);
  ch_sem_wait(&go_on);
  steps++;
}

static void outlives_its_block(void) {
  ch_activity delayed, free_one;
  int ran = 0;
  activate [&delayed] { ran = 1; }
  atomic free {
    activate [&free_one] in_steps();
    ch_sem_wait(&begun);
    printf("in the block: %d, others %d\n", steps, ran);
  }
  printf("behind it: %d\n", steps);
  ch_sem_post(&go_on);
  ch_activity_wait(&free_one);
  ch_activity_wait(&delayed);
  printf("in the end: %d\n", steps);
}

static void begins_behind_a_block_that_never_waits(void) {
  ch_activity a;
  int ran = 0;
  atomic { activate free [&a] { ran = 1; } }
  printf("not begun: %d\n", ran);
  ch_activity_wait(&a);
  printf("begun: %d\n", ran);
}

static void only_contained_ones_are_waited_for(void) {
  ch_activity a;
  int contained_ran = 0;
  steps = 0;
  atomic free {
    activate [&a] in_steps();
    activate contained { contained_ran = 1; }
  }
  printf("contained: %d\n", contained_ran);
  ch_sem_wait(&begun);
  ch_sem_post(&go_on);
  ch_activity_wait(&a);
}

static void is_free_in_the_block_around(void) {
  ch_activity a;
  steps = 0;
  atomic {
    atomic { activate free [&a] in_steps(); }
    ch_sem_wait(&begun); // nobody but the activity of the inner block can end this
    ch_sem_post(&go_on);
    printf("in the outer block: %d\n", steps);
  }
  ch_activity_wait(&a);
  printf("behind both: %d\n", steps);
}

static void waits_of_all_kinds_go_on_behind_the_block(void) {
  ch_activity in_scope, in_plain_code;
  ch_sem never;
  int cancelled = 0, inner = 0;
  ch_sem_init(&never, 0);
  atomic {
    activate free [&in_scope] {
      within (1000000) do { cancelled = ch_sem_wait(&never) != 0; } finish;
    }
    activate free [&in_plain_code] {
      atomic {
        activate contained { inner = 1; }
        ch_reschedule();
      }
      ch_sem_post(&begun);
      ch_sem_wait(&go_on);
    }
    ch_sem_wait(&begun);
  }
  ch_sem_post(&go_on);
  ch_activity_wait(&in_scope);
  ch_activity_wait(&in_plain_code);
  printf("cancelled: %d, inner block: %d\n", cancelled, inner);
}

int main(void) {
  ch_activity last;
  ch_sem_init(&begun, 0);
  ch_sem_init(&go_on, 0);
  outlives_its_block();
  begins_behind_a_block_that_never_waits();
  only_contained_ones_are_waited_for();
  is_free_in_the_block_around();
  waits_of_all_kinds_go_on_behind_the_block();
  activate free(malloc(1)); // the C library's function
  activate [&last] {}
  ch_activity_wait(&last);
  return 0;
}
