/* Virtual time beside activities that ask again and again, instead of waiting. */
#include "simulated.h"
#include "charcoal/lowlevel.h"

enum { SECOND = 1000000000 };

TEST(time_moves_beside_an_activity_that_can_always_run) {
  STARTS
  int done = 0;
  activate {
    ch_sleep(1000 * (int64_t)SECOND);
    done++;
  }
  activate {
    for (int i = 0; i < 10; i++)
      ch_sleep(SECOND);
    done++;
  }
  while (done < 2)
    ch_sleep(0);
  AFTER(1000 * (int64_t)SECOND);
}

TEST(time_stands_still_while_activities_compute) {
  STARTS
  int done = 0;
  activate(done) { ch_sleep(SECOND); }
  for (; done < 100000; done++)
    ch_sleep(0);
  AFTER(0);
}
