// Variables of loops that take each other's values across calls, keep an older value alive, or change on rare ways
// only: which of them may share a place of the frame is easily got wrong.
#include <stdio.h>

static unsigned calls;
__attribute__((noinline)) static unsigned next(unsigned x) { return x * 1664525u + 1013904223u + ++calls; }
static unsigned (*volatile pointer)(unsigned) = next;
#define ask(x) pointer(x)

__attribute__((noinline)) static unsigned rotate(unsigned n) {
  unsigned a = 1, b = 2, c = 3;
  for (unsigned i = 0; i < n; i++) {
    unsigned t = a;
    a = b, b = c, c = t;
    if (ask(i) & 1) {
      t = a, a = c, c = t;
    } else if (ask(a) & 4) {
      b = ask(c);
    }
  }
  return a + 31 * b + 977 * c;
}

__attribute__((noinline)) static unsigned older(unsigned n) {
  unsigned now = 1, before = 0, before_that = 7, rarely = 5;
  do {
    unsigned fresh = ask(now ^ rarely);
    if ((fresh & 7) == 3)
      rarely = before_that;
    before_that = before;
    before = now;
    now = (fresh & 16) ? now : fresh;
    if ((fresh & 15) == 9)
      continue;
    rarely += ask(before) & 1;
  } while (--n);
  return now + 3 * before + 5 * before_that + 7 * rarely;
}

/* An interpreter: most instructions leave most of its state alone. */
__attribute__((noinline)) static unsigned interpret(const unsigned char *code, unsigned n) {
  unsigned mode = 3, rc = 0, sum = 1, base = 10, limit = 100;
  const unsigned char *end = code + n, *back = code;
  while (code < end) {
    switch (*code++ % 9) {
    case 0:
      sum += ask(sum);
      break;
    case 1:
      mode = ask(mode) & 7;
      break;
    case 2:
      if (mode > 2)
        rc = ask(rc);
      break;
    case 3: {
      unsigned t = base;
      base = limit;
      limit = ask(t) % 1000;
      break;
    }
    case 4:
      if (rc & 1)
        goto leave;
      sum ^= base;
      break;
    case 5:
      back = code;
      break;
    case 6:
      if (limit && ask(limit--) % 3 == 0)
        code = back;
      break;
    case 7:
      while (ask(sum) & 3)
        sum += mode, mode++;
      break;
    default:
      sum = sum * 3 + 1;
      continue;
    }
    if (rc > 0xf0000000u)
      break;
    rc += sum & 1;
    continue;
  leave:
    rc = ask(rc + base) & ~1u;
  }
  return sum + 3 * mode + 5 * rc + 7 * base + 11 * limit;
}

int main(void) {
  unsigned char code[400];
  unsigned seed = 12345;
  for (unsigned i = 0; i < sizeof code; i++)
    code[i] = (seed = seed * 1103515245u + 12345u) >> 16;
  printf("%u %u %u\n", rotate(200), older(200), interpret(code, sizeof code));
  return 0;
}
