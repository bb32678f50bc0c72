// Inline assembly with names that may be defined only once in a file: a macro, and symbols for places.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int twice(int n) {
  usleep(1);
  __asm__(".macro two r\nadd \\r, \\r\n.endm\ntwo %0" : "+r"(n));
  return n;
}

__attribute__((noinline)) static long gap(long n) {
  usleep(1);
  __asm__("jmp 1f\nbegin_of_gap = .\n.zero 5\n1: lea begin_of_gap(%%rip), %%rax\nlea 1b(%%rip), %0\nsub %%rax, %0"
          : "=&r"(n)::"rax");
  return n;
}

__attribute__((noinline)) static int ways(int n) {
  usleep(1);
  __asm__ volatile("\"a name with blanks\": nop\n$dollar: nop\n.local own\n.comm own, 4, 4\n.weakref weak_main, main"
                   : "+r"(n));
  return n;
}

/* Each of these is inlined, so the names are where they are called. */
static int once(int n) {
  __asm__ volatile("called_once: nop");
  return n + 1;
}

static inline __attribute__((always_inline)) int always(int n) {
  __asm__ volatile("always_inlined: nop");
  return n + 2;
}

__attribute__((noinline)) static int calls_once(int n) {
  usleep(1);
  n = once(n);
  usleep(1);
  return n;
}

__attribute__((noinline)) static int calls_always(int n) {
  usleep(1);
  n = always(n);
  usleep(1);
  return n;
}

int main(void) { printf("%d %ld %d %d %d\n", twice(4), gap(1), ways(3), calls_once(5), calls_always(6)); }
