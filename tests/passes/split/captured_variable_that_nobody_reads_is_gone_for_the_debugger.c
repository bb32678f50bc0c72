// Nothing of the record is read, so no code names it where the body runs in its frame; only the debugger was told of it.
// OPTIONS: -g -O2 -w
// CHECK: define {{.*}} @caller.activity.int.framed(
// CHECK: #dbg_value(ptr poison
#include <charcoal.h>

void outside(void);
__attribute__((noinline)) static void ignores(long value) {
  (void)value;
  outside();
}

void caller(long value) {
  activate {
    ignores(value);
    ch_sleep(1);
    outside();
  }
}
