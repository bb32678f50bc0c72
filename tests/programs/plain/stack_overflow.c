/* Recursion without end: the fault comes where a stack of 1 MiB ends, or where an activity's frames have become many
 * times as large, to a handler on a stack of its own. */
// skip: address (its own handler of the fault)
// noise: no (the fault is at the stack's end, which others share)
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static void handler(int number) {
  static const char text[] = "overflow\n";
  (void)number;
  _exit(write(1, text, sizeof text - 1) < 0);
}
__attribute__((noinline)) static volatile int *descend(volatile int n, volatile int *p) {
  volatile char ballast[512];
  ballast[0] = (char)n;
  if (n >= 0)
    *descend(n + 1, p) += n + ballast[0];
  return p;
}
int main(void) {
  static char alternate[65536];
  int x = 0;
  struct rlimit limit = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_STACK, &limit);
  sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL);
  sigaction(SIGSEGV, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
  printf("%d\n", *descend(0, &x));
  return 1;
}
