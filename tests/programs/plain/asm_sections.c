// Inline assembly that puts something into another section and then returns to .text, where clang puts every function.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int word(void) {
  int result;
  __asm__ volatile(".data\n.p2align 2\n0: .int 42\n.text\nmovl 0b(%%rip), %0" : "=r"(result));
  return result;
}

static inline int table(int i) {
  const int *address;
  __asm__ volatile(".section .rodata\n.p2align 2\n0: .int 3, 5, 7\n.section .text\nleaq 0b(%%rip), %0" : "=r"(address));
  return address[i];
}

int main(void) {
  int sum = word();
  for (int i = 0; i < 3; i++) {
    usleep(1);
    sum = sum * 10 + table(i);
  }
  printf("%d\n", sum);
}
