/* Tests that sched_yield and its like give the thread's processor away where no other activity can run: a loop around
 * them may wait for another thread, which needs that processor. giving_way-beneath.c counts. */
#include "harness.h"
#include <pthread.h>
#include <sched.h>
#include <threads.h>

int times_given(void);

static void *gives_its_processor(void *unused) {
  int before = times_given();
  EXPECT(sched_yield() == 0);
  EXPECT(times_given() == before + 1);
  thrd_yield();
  EXPECT(times_given() == before + 2);
  return unused;
}
TEST(alone_it_gives_its_processor) { gives_its_processor(NULL); }
TEST(so_does_a_thread_of_the_program) {
  pthread_t t;
  EXPECT(pthread_create(&t, NULL, gives_its_processor, NULL) == 0 && pthread_join(t, NULL) == 0);
}
TEST(so_does_an_activity_while_all_others_wait) {
  ch_activity sleeper;
  activate[&sleeper] { ch_sleep(CH_FOREVER); }
  ch_sleep(1); /* it has begun */
  gives_its_processor(NULL);
  ch_activity_cancel(&sleeper);
  ch_activity_wait(&sleeper);
}
TEST(an_activity_that_can_run_runs_instead) {
  ch_activity other;
  int turns = 0, before = times_given();
  activate[&other] {
    for (int i = 0; i < 3; i++, sched_yield())
      turns++;
  }
  while (!ch_activity_finished(&other))
    sched_yield();
  EXPECT(turns == 3 && times_given() <= before + 1);
}
