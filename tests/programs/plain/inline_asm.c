/* Inline assembly: operands, clobbers, memory, tied and register variables, asm goto. x86-64 only; elsewhere it prints
 * the same. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
#if defined __x86_64__
NI static long add(long a, long b) {
  long r;
  __asm__("leaq (%1,%2), %0" : "=r"(r) : "r"(a), "r"(b));
  t((int)r);
  return r;
}
NI static unsigned swap(unsigned v) {
  __asm__ volatile("bswap %0" : "+r"(v));
  t(1);
  return v;
}
NI static void store(int *p, int v) { __asm__ volatile("movl %1, %0" : "=m"(*p) : "r"(v) : "memory"); }
NI static long div(long a, long b, long *rem) {
  long q;
  __asm__("cqto; idivq %3" : "=a"(q), "=&d"(*rem) : "0"(a), "r"(b) : "cc");
  return q;
}
NI static int jumps(int n) {
  int r = 0;
again:
  r += t(n);
  __asm__ goto("testl %0, %0; je %l1; cmpl $1, %0; je %l2" : : "r"(n) : "cc" : zero, one);
  n--;
  r += t(100);
  goto again;
zero:
  return r;
one:
  n = t(0);
  r += 1000;
  goto again;
}
NI static long fixed(long x) {
  register long v __asm__("r12") = x;
  __asm__ volatile("addq $5, %0" : "+r"(v));
  long w = v;
  t(2);
  return w;
}
#else
NI static long add(long a, long b) {
  t((int)(a + b));
  return a + b;
}
NI static unsigned swap(unsigned v) {
  t(1);
  return __builtin_bswap32(v);
}
NI static void store(int *p, int v) { *p = v; }
NI static long div(long a, long b, long *rem) {
  *rem = a % b;
  return a / b;
}
NI static int jumps(int n) {
  int r = 0;
  for (;;) {
    r += t(n);
    if (n == 0)
      return r;
    if (n == 1) {
      n = t(0);
      r += 1000;
      continue;
    }
    n--;
    r += t(100);
  }
}
NI static long fixed(long x) {
  t(2);
  return x + 5;
}
#endif
NI static int barrier(int n) {
  int s = 0, local = 1;
  for (int i = 0; i < n; i++) {
    __asm__ volatile("" : "+r"(s) : : "memory");
    s += t(i) + local;
    __asm__ volatile("" : : "r"(&local) : "memory");
    store(&local, t(i));
  }
  return s;
}
int main(void) {
  long rem;
  long q = div(add(1000, t(7)), 10, &rem);
  printf("%ld %ld %x %d %d %ld\n%u\n", q, rem, swap((unsigned)t(0x01020304)), jumps(5), barrier(10), fixed(t(37)), e);
}
