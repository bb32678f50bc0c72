/* Functions that call setjmp, inlined where their arguments leave no call of setjmp: into themselves, into another that
 * calls setjmp, and into one that does not. */
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))

static unsigned sum;
NI static unsigned note(unsigned x) {
  sched_yield();
  return sum = sum * 31 + x;
}

/* Into itself: only the outermost activation calls setjmp, and the next one jumps to it. */
static void descend(jmp_buf **to, int level) {
  jmp_buf buffer;
  note(1);
  if (level == 0) {
    *to = &buffer;
    if (setjmp(**to) == 0) {
      note(2);
      descend(to, level + 1);
    } else {
      note(3);
    }
  } else {
    note(4);
    longjmp(**to, 1);
  }
  note(5);
}

static jmp_buf outer;
static unsigned guarded(int safe, unsigned x) {
  if (safe) {
    jmp_buf buffer;
    volatile unsigned times = 0;
    if (setjmp(buffer) == 0) {
      times = note(x);
      longjmp(buffer, 1);
    }
    return times + note(7);
  }
  unsigned char bytes[64];
  memset(bytes, (int)x, sizeof bytes);
  note(bytes[note(x) % 64]);
  if (x % 3 == 0)
    longjmp(outer, (int)x + 1);
  return note(bytes[x % 64]);
}

/* Into another that calls setjmp: the jumps out of what was inlined lead to that one. */
NI static unsigned protects(unsigned x) {
  volatile unsigned before = note(x);
  int came = setjmp(outer);
  if (came)
    return before + note((unsigned)came);
  unsigned r = guarded(0, x);
  unsigned char others[64];
  memset(others, (int)r, sizeof others);
  note(others[r % 64]);
  return r + guarded(0, x + 2);
}

/* Into one that does not. */
NI static unsigned calls(unsigned x) { return guarded(0, x * 3 + 1) + note(x) + guarded(0, 2); }

int main(void) {
  jmp_buf *to;
  descend(&to, 0);
  printf("%u\n", sum);
  for (unsigned i = 0; i < 7; i++)
    printf("%u %u %u\n", protects(i), calls(i), guarded(i % 2, i * 3 + 1));
}
