/* Functions and variables with other names in the object file than in the source. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
int first(int) __asm__("second_name");
int second(int) __asm__("first_name");
NI int first(int x) { return t(x) + 1; }
NI int second(int x) { return t(x) + 2; }
int dotted(int) __asm__("name.with.dots");
NI int dotted(int x) { return t(x) * 5; }
int libc_name(const char *) __asm__("atoi");
extern int value __asm__("value$object");
int value = 9;
NI static int local(int) __asm__("a_local_label");
NI static int local(int x) { return t(x) * 7; }
int main(void) {
  int (*volatile p)(int) = first, (*volatile q)(int) = second, (*volatile r)(int) = dotted;
  printf("%d %d %d %d %d %d %d %d %d\n%u\n", first(1), second(2), p(3), q(4), dotted(5), r(6), libc_name("77"), value,
         local(3), e);
}
