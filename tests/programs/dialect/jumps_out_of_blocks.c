/* longjmp leaves blocks that set something for what runs inside: behind setjmp it is again as it was there, whether the
 * function that calls setjmp is interruptible or plain. And below setjmp a yield point in assert_no_yield is void, as
 * everywhere. */
// outcome: jumps_out_of_blocks.expected
#include <charcoal.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
#define NI __attribute__((noinline))

static int spawned, switches;

NI static int busy(int n) { return n ? busy(n - 1) + 1 : 0; }

/* ---- who calls setjmp: an interruptible function, and plain ones ---- */

static enum { WITHOUT_MASK, WITH_MASK, BUILT_IN } kind;
static const char *const kinds[] = {"without a mask", "with a mask", "built in"};
static sigjmp_buf buffer;
static void *built_in[5];

NI static void jump(void) {
  if (kind == BUILT_IN)
    __builtin_longjmp(built_in, 1);
  siglongjmp(buffer, 1);
}
NI static void set_without_mask(void (*block)(void)) {
  if (sigsetjmp(buffer, 0) == 0)
    block();
}
NI static void set_with_mask(void (*block)(void)) {
  if (sigsetjmp(buffer, 1) == 0)
    block();
}
NI static void set_built_in(void (*block)(void)) {
  if (__builtin_setjmp(built_in) == 0)
    block();
}
static void (*const set[])(void (*)(void)) = {set_without_mask, set_with_mask, set_built_in};

/* ---- each leaves its block by a jump ---- */

NI static void no_yield(void) {
  assert_no_yield {
    busy(3);
    jump();
  }
}
NI static void in_atomic(void) {
  atomic { jump(); }
}
NI static void error(void) {
  atomic error { jump(); }
}
NI static void contained(void) {
  usleep(1);
  atomic contained {
    activate { spawned += 10; }
    jump();
  }
}
NI static void nested(void) {
  atomic error {
    atomic free {
      assert_no_yield { jump(); }
    }
  }
}

/* Waits and spawns as one may behind the blocks. */
NI static void look_around(const char *name) {
  int before = spawned;
  usleep(1);
  atomic {
    activate { spawned++; }
    printf("%s: %d at once, ", name, spawned - before);
  }
  usleep(1);
  printf("%d later\n", spawned - before);
}

NI static void leave(const char *name, void (*block)(void)) {
  for (kind = WITHOUT_MASK; kind <= BUILT_IN; kind++) {
    spawned = 0;
    set[kind](block);
    printf("%s: %d inside; ", kinds[kind], spawned);
    look_around(name);
  }
}

/* In the function itself; and inside a block, which goes on behind the jump. */
NI static void leave_own(void) {
  jmp_buf back;
  if (setjmp(back) == 0)
    assert_no_yield {
      busy(3);
      longjmp(back, 1);
    }
  look_around("own");
}
NI static void stay_inside(void) {
  jmp_buf back;
  assert_no_yield {
    int before = switches;
    if (setjmp(back) == 0)
      assert_no_yield { longjmp(back, busy(4)); }
    busy(1000);
    printf("inside: %d switches\n", switches - before);
  }
  look_around("inside");
}

int main(void) {
  volatile int stop = 0;
  ch_activity other;
  activate[&other] {
    while (!stop) {
      switches++;
      ch_reschedule();
    }
  }
  leave("no_yield", no_yield);
  leave("atomic", in_atomic);
  leave("error", error);
  leave("contained", contained);
  leave("nested", nested);
  leave_own();
  stay_inside();
  stop = 1;
  ch_activity_wait(&other);
}
