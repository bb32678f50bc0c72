#include <stdio.h>

/* There is no such function, as in a program that was configured without what needs it. */
int left_out(int x);
void unoptimised(int x), without_optnone(int x);

static int is_configured(void) { return 0; }
__attribute__((noinline)) static int twice(int x) { return 2 * x; }
__attribute__((noinline)) static int call(int (*f)(int), int x) { return f(x); }

int main(int argc, char **argv) {
  int (*f)(int) = twice;
  (void)argv;
  if (argc > 0 && is_configured())
    f = left_out;
  printf("%d\n", call(f, 21));
  unoptimised(argc);
  without_optnone(argc);
}
