/* longjmp leaves blocks that set something for what runs inside: behind setjmp it is again as it was there. And below
 * setjmp a yield point in assert_no_yield is void, as everywhere. */
// outcome: jumps_out_of_blocks.expected
#include <charcoal.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
#define NI __attribute__((noinline))

static int spawned, switches;

NI static int busy(int n) { return n ? busy(n - 1) + 1 : 0; }

/* ---- each leaves its block by a jump ---- */

NI static void no_yield(jmp_buf *back) {
  assert_no_yield {
    busy(3);
    longjmp(*back, 1);
  }
}
NI static void error(jmp_buf *back) {
  atomic error { longjmp(*back, 1); }
}
NI static void contained(jmp_buf *back) {
  usleep(1);
  atomic contained { longjmp(*back, 1); }
}
NI static void nested(jmp_buf *back) {
  atomic error {
    atomic free {
      assert_no_yield { longjmp(*back, 1); }
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

NI static void leave(const char *name, void (*block)(jmp_buf *)) {
  jmp_buf back;
  if (setjmp(back) == 0)
    block(&back);
  look_around(name);
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
  leave("error", error);
  leave("contained", contained);
  leave("nested", nested);
  leave_own();
  stay_inside();
  stop = 1;
  ch_activity_wait(&other);
}
