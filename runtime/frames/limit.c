/* Limits the memory of frames, so that an endless recursion ends whose activations are set aside one by one: such a
 * recursion never overflows the native stack. */
#include "frames/large.h"
#include "sched/domain.h"
#include "sched/overflow.h"

/* Frames are smaller than the activations that they hold: nothing that fits on a stack comes near. */
#define STACKS_OF_FRAMES 16
#define SMALLEST_STACK (UINT64_C(4) << 20)

/* Runs beyond the end of the native stack: the fault that handlers on alternate stacks, sanitizers and users know. */
__attribute__((noinline)) static int overflow(volatile char *before) {
  volatile char page[4096];
  page[0] = before ? *before : 1;
  return page[0] ? overflow(page) + page[0] : 0;
}

void ch_frames_limit(void) {
  uint64_t stack = ch_overflow_stack_size();
  if (stack == 0)
    return;
  uint64_t one = stack > SMALLEST_STACK ? stack : SMALLEST_STACK;
  if (ch_heap_mapped() / STACKS_OF_FRAMES / (ch_domain.live + ch_domain.branches + 1) <= one)
    return;
  ch_overflow_of_frames = ch_heap_mapped();
  overflow(NULL);
}
