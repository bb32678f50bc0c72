/* The result of `main`, from before its last wait, when the frame is so large that giving it back unmaps it. */
#include <sched.h>

__attribute__((noinline)) static int wait_for(int x) {
  static volatile int turns;
  sched_yield();
  return x + ++turns;
}

int main(void) {
  char large[1 << 20];
  int result = wait_for(1), at = wait_for(result);
  for (int i = 0; i < 1 << 20; i++)
    large[i] = i * result;
  wait_for(3);
  wait_for(large[at * 1000]);
  wait_for(4);
  return result;
}
