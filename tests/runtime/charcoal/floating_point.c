/* The modes of the floating-point unit belong to the activity. Virtual time. */
#include "simulated.h"
#include <fenv.h>
#include <stdbool.h>

static volatile double one = 1, three = 3;

/* The third that this activity's rounding gives is that which a thread of its own would get. */
static bool rounds(int mode) {
  static double up, down;
  if (down == 0) {
    int before = fegetround();
    fesetround(FE_UPWARD);
    up = one / three;
    fesetround(FE_DOWNWARD);
    down = one / three;
    fesetround(before);
  }
  return fegetround() == mode && (one / three == up) == (mode == FE_UPWARD) && up > down;
}

TEST(activities_round_as_each_has_asked_for) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int right = 0;
  do {
    for (int i = 0; i < 40; i++)
      async(i) {
        ch_activity a;
        activate[&a](i) {
          fesetround(modes[i % 4]);
          for (int k = 0; k < 10; k++) {
            if (k % 2)
              ch_sleep((40 - i) * 1000);
            else
              ch_reschedule();
            right += rounds(modes[i % 4]);
          }
        }
        ch_activity_wait(&a);
      }
  }
  finish;
  EXPECT(right == 400);
  EXPECT(rounds(FE_TONEAREST));
}

TEST(an_activity_that_ends_takes_its_modes_with_it) {
  activate { fesetround(FE_UPWARD); }
  activate {
    fesetround(FE_DOWNWARD);
    ch_sleep(1000);
  }
  int seen = -1;
  activate { seen = fegetround(); }
  ch_sleep(2000);
  EXPECT(seen == FE_TONEAREST);
  EXPECT(rounds(FE_TONEAREST));
}

TEST(modes_that_were_set_back_are_the_common_ones_again) {
  ch_activity a;
  activate[&a] {
    for (int i = 0; i < 5; i++) {
      fesetround(FE_UPWARD);
      ch_sleep(1000);
      EXPECT(rounds(FE_UPWARD));
      fesetround(FE_TONEAREST);
      ch_sleep(1000);
      EXPECT(rounds(FE_TONEAREST));
    }
  }
  for (int i = 0; i < 10; i++) {
    EXPECT(rounds(FE_TONEAREST));
    ch_sleep(500);
  }
  ch_activity_wait(&a);
}

static int seen_outside;
static int wait_and_compare(const void *a, const void *b) {
  ch_sleep(1000);
  EXPECT(rounds(FE_UPWARD));
  return *(const int *)a - *(const int *)b;
}

TEST(a_wait_in_plain_code_keeps_them_too) {
  ch_activity a;
  activate[&a] {
    for (int i = 0; i < 4; i++) {
      seen_outside += rounds(FE_TONEAREST);
      ch_sleep(1000);
    }
  }
  fesetround(FE_UPWARD);
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, wait_and_compare);
  EXPECT(rounds(FE_UPWARD));
  ch_activity_wait(&a);
  EXPECT(rounds(FE_UPWARD));
  EXPECT(seen_outside == 4);
}

TEST(branches_share_those_of_their_activity) {
  do {
    async {
      fesetround(FE_UPWARD);
      ch_sleep(1000);
      EXPECT(rounds(FE_DOWNWARD));
    }
    EXPECT(rounds(FE_UPWARD));
    fesetround(FE_DOWNWARD);
  }
  finish;
  EXPECT(rounds(FE_DOWNWARD));
}
