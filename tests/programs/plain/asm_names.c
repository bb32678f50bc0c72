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

int main(void) { printf("%d %ld\n", twice(4), gap(1)); }
