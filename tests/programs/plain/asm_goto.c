/* asm goto with a result that is needed after calls, on both ways out. x86-64 only; elsewhere it prints the same. */
#include <stdio.h>
#define NI __attribute__((noinline))
NI static int touch(int x) {
  static volatile int k;
  k += x;
  return k;
}
#if defined __x86_64__
#define PLUS3(y, x, odd) __asm__ goto("leal 3(%1), %0; testl $1, %1; jnz %l2" : "=&r"(y) : "r"(x) : "cc" : odd)
#else
#define PLUS3(y, x, odd)                                                                                               \
  y = x + 3;                                                                                                           \
  if (x & 1)                                                                                                           \
  goto odd
#endif
__attribute__((always_inline)) static inline int inlined(int x) {
  int y;
  PLUS3(y, x, odd);
  return y;
odd:
  return -1;
}
__attribute__((always_inline)) static inline int inlined_calls(int x) {
  int y;
  PLUS3(y, x, odd);
  touch(y);
  return y + touch(y);
odd:
  return touch(y) - y;
}
NI static int one(int n) {
  int y = inlined(n);
  if (y < 0)
    return touch(9);
  touch(n);
  return y * 3 + touch(y) + y;
}
NI static int two(int n) {
  touch(n);
  return inlined_calls(n);
}
NI static int own(int n) {
  int r = touch(n), y;
  PLUS3(y, n, odd);
  r += touch(y) + y;
  touch(r);
  return r ^ y;
odd:
  r += touch(y) - y;
  touch(r);
  return r + y;
}
NI static int loop(int n) {
  int r = 0, y;
  for (int i = 0; i < n; i++) {
    PLUS3(y, i, odd);
    r += touch(i) * y;
    continue;
  odd:
    r -= touch(y) + y;
  }
  return r;
}
/* The result takes the register of a value that is old, and more values are alive than there are registers. Clang's own
   optimizer makes programs of this that print something else, so for clang it is plain C. The second function asks
   where its frame is, so it has only a plain version. */
#if defined __x86_64__ && defined __CHARCOAL__
#define INCREMENT(y, odd) __asm__ goto("addl $1, %0; testl $1, %0; jnz %l[" #odd "]" : "+r"(y) : : "cc" : odd)
#else
#define INCREMENT(y, odd)                                                                                              \
  y++;                                                                                                                 \
  if (y & 1)                                                                                                           \
  goto odd
#endif
#define OLD(name, has_frame)                                                                                           \
  NI static int name(int n) {                                                                                          \
    int y = touch(n), a = touch(1), b = touch(2), c = touch(3), d = touch(4), e = touch(5), f = touch(has_frame);      \
    for (int i = 0; i < n; i++) {                                                                                      \
      a += touch(b);                                                                                                   \
      b ^= touch(c + d);                                                                                               \
      INCREMENT(y, odd);                                                                                               \
      c += touch(e) + y;                                                                                               \
      continue;                                                                                                        \
    odd:                                                                                                               \
      d += touch(y + 3) + y + f;                                                                                       \
      f ^= touch(e);                                                                                                   \
    }                                                                                                                  \
    return a + b * 3 + c * 5 + d * 7 + e * 9 + f + y;                                                                  \
  }
OLD(old, 1)
OLD(old_and_plain, __builtin_frame_address(0) != NULL)
int main(void) {
  for (int i = 0; i < 9; i++)
    printf("%d %d %d %d %d %d\n", one(i), two(i), own(i), loop(i), old(i), old_and_plain(i));
}
