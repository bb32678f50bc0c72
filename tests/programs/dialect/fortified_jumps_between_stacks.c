// A comparison that qsort calls jumps to functions whose stacks have been set aside, at higher and at lower addresses.
// The C library's longjmp of -D_FORTIFY_SOURCE takes a jump to a lower address for a mistake.
// flags: -D_FORTIFY_SOURCE=2
// outcome: fortified_jumps_between_stacks.expected
// skip: address (AddressSanitizer puts a function of its own before the runtime's)
#include <charcoal.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf *innermost;

static int jump(const void *a, const void *b) {
  (void)a, (void)b;
  longjmp(*innermost, 1);
}

__attribute__((noinline)) static void sort_after(jmp_buf *back, int naps, int seed) {
  for (int i = 0; i < naps; i++)
    ch_sleep(1000000 * (1 + (seed * 7 + i * 5) % 11));
  innermost = back;
  int values[2] = {2, 1};
  qsort(values, 2, sizeof *values, jump);
}

__attribute__((noinline)) static int guarded(int seed, int depth) {
  jmp_buf outer, inner;
  if (setjmp(outer))
    return 1;
  if (depth == 0)
    sort_after(&outer, seed % 4, seed);
  if (setjmp(inner)) {
    ch_sleep(1000000);
    return 1 + guarded(seed + 1, depth - 1);
  }
  sort_after(&inner, 1 + seed % 3, seed);
  return 1000;
}

int main(void) {
  int sum = 0, *total = &sum;
  do {
    for (int i = 0; i < 60; i++)
      async(i, total) {
        int jumps = 0;
        for (int k = 0; k < 5; k++)
          jumps += guarded(i + k, (i + k) % 3);
        *total += jumps;
      }
  }
  finish;
  printf("%d jumps\n", sum);
}
