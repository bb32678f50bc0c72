/* The modes of the floating-point unit belong to the activity. Virtual time. */
#include "simulated.h"
#include <fenv.h>
#include <stdbool.h>
#ifdef __x86_64__
#include <fpu_control.h>
#include <xmmintrin.h>
#endif

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

#ifdef __x86_64__
/* x87's modes alone. */
TEST(long_double_rounds_as_its_activity_has_asked_for) {
  ch_activity a;
  fpu_control_t usual, seen;
  _FPU_GETCW(usual);
  activate[&a] {
    fpu_control_t shorter = (usual & ~_FPU_EXTENDED) | _FPU_DOUBLE;
    _FPU_SETCW(shorter);
    ch_sleep(1000);
    fpu_control_t own;
    _FPU_GETCW(own);
    EXPECT(own == shorter);
  }
  ch_sleep(500);
  _FPU_GETCW(seen);
  EXPECT(seen == usual);
  ch_activity_wait(&a);
  _FPU_GETCW(seen);
  EXPECT(seen == usual);
}

/* What stands for a library of plain code that changes MXCSR alone: the compiler does not look into it. */
void plain_set_mxcsr(const unsigned *);
__asm__(".text\n"
        ".type plain_set_mxcsr, @function\n"
        "plain_set_mxcsr: ldmxcsr (%rdi)\n"
        "ret\n"
        ".size plain_set_mxcsr, . - plain_set_mxcsr\n");

TEST(what_a_library_leaves_in_mxcsr_is_gone_when_the_loop_has_turned) {
  enum { MANY = 1000 };
  const unsigned usual = _mm_getcsr() & ~_MM_EXCEPT_MASK, flushing = usual | _MM_FLUSH_ZERO_ON;
  unsigned others = 0, own = 0;
  ch_activity a;
  activate[&a] {
    plain_set_mxcsr(&flushing);
    for (int i = 0; i < MANY; i++)
      ch_reschedule();
    own = _mm_getcsr() & ~_MM_EXCEPT_MASK;
    plain_set_mxcsr(&flushing);
    ch_reschedule(); /* by now each switch looks */
    EXPECT(_mm_getcsr() & _MM_FLUSH_ZERO_ON);
  }
  for (int i = 0; i < MANY; i++) {
    ch_reschedule();
    others += (_mm_getcsr() & _MM_FLUSH_ZERO_ON) != 0;
  }
  EXPECT(others <= 64);
  ch_activity_wait(&a);
  EXPECT(own == usual);
  EXPECT((_mm_getcsr() & ~_MM_EXCEPT_MASK) == usual);
}

static unsigned flushes(void) { return _MM_GET_FLUSH_ZERO_MODE(); }

TEST(flushing_of_denormals_belongs_to_the_activity) {
  ch_activity a;
  activate[&a] {
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    for (int i = 0; i < 5; i++) {
      ch_reschedule();
      EXPECT(flushes() == _MM_FLUSH_ZERO_ON);
    }
    ch_sleep(1000);
    EXPECT(flushes() == _MM_FLUSH_ZERO_ON);
  }
  for (int i = 0; i < 10; i++) {
    ch_reschedule();
    EXPECT(flushes() == _MM_FLUSH_ZERO_OFF);
  }
  ch_activity_wait(&a);
  EXPECT(flushes() == _MM_FLUSH_ZERO_OFF);
}
#endif
