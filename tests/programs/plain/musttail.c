/* Calls marked musttail, and tail calls that must not grow the stack at -O2. */
#include <stdio.h>
#define NI __attribute__((noinline))
#define TAIL __attribute__((musttail)) return
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static long odd(long n, long acc);
NI static long even(long n, long acc) {
  if (n == 0)
    return acc;
  t((int)n & 3);
  TAIL odd(n - 1, acc + 1);
}
NI static long odd(long n, long acc) {
  if (n == 0)
    return -acc;
  TAIL even(n - 1, acc * 3 % 1000003);
}
struct vm {
  const unsigned char *pc;
  long acc;
};
typedef long handler(struct vm *, int, long);
static handler h_add, h_mul, h_call, h_stop;
static handler *const table[] = {h_add, h_mul, h_call, h_stop};
#define NEXT TAIL table[*vm->pc++](vm, n + 1, x)
NI static long h_add(struct vm *vm, int n, long x) {
  vm->acc += x;
  x = x % 7 + 1;
  NEXT;
}
NI static long h_mul(struct vm *vm, int n, long x) {
  vm->acc = vm->acc * 5 % 10007;
  NEXT;
}
NI static long h_call(struct vm *vm, int n, long x) {
  x += t(n);
  vm->acc += t((int)x);
  NEXT;
}
NI static long h_stop(struct vm *vm, int n, long x) { return vm->acc * 1000 + n + x; }
NI static void walk(const int *p, int n, long *out) {
  if (n == 0)
    return;
  *out = *out * 3 + t(*p);
  TAIL walk(p + 1, n - 1, out);
}
int main(void) {
  unsigned char prog[2001];
  for (int i = 0; i < 2000; i++)
    prog[i] = (unsigned char)(i * 7 % 3);
  prog[2000] = 3;
  struct vm vm = {prog, 1};
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i;
  long out = 0;
  walk(a, 20, &out);
  long r = table[*vm.pc++](&vm, 0, 2);
  printf("%ld %ld %ld %ld\n%u\n", even(20000, 1), odd(3333, 2), r, out, e);
}
