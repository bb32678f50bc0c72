/* __builtin_call_with_static_chain passes a pointer in a register of its own. A callee that does not read it takes its
 * arguments as in any other call: by name, through a pointer, with a struct by value, with variable arguments, and
 * as a tail call. */
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
#define WITH(chain, call) __builtin_call_with_static_chain(call, chain)
struct wide {
  long a[4];
};
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int two(int a, int b) { return t(a) * 100 + t(b); }
NI static struct wide turned(struct wide w, int k) {
  w.a[t(k)] += w.a[0];
  return w;
}
NI static int sum(int count, ...) {
  va_list ap;
  va_start(ap, count);
  int s = 0;
  while (count--)
    s = s * 10 + t(va_arg(ap, int));
  va_end(ap);
  return s;
}
NI static int nested(int depth, void *chain) {
  int (*volatile f)(int, void *) = nested;
  int mine = t(depth);
  return depth ? WITH(&mine, f(depth - 1, &mine)) + mine : *(int *)chain;
}
/* As a tail call. Clang takes the builtin's own parameters, the result's type and a pointer, for the callee's. */
static void *(*volatile tail)(void *);
NI static void *mark(void *a) { return t(3), (char *)a + 1; }
NI static void *tail_with(void *a, void *chain) {
  if (t(2)) __attribute__
    ((musttail)) return WITH(chain, tail(a));
  return chain;
}
int main(void) {
  int (*volatile p)(int, int) = two;
  struct wide (*volatile q)(struct wide, int) = turned;
  int (*volatile s)(int, ...) = sum;
  int chain = 5;
  struct wide w = {{1, 2, 3, 4}};
  printf("%d %d\n", WITH(&chain, two(t(1), t(2))), WITH(&chain, p(t(3), t(4))));
  w = WITH(&w, turned(w, 1));
  w = WITH(&w, q(w, t(2)));
  printf("%ld %ld %ld %ld\n", w.a[0], w.a[1], w.a[2], w.a[3]);
  printf("%d %d\n", WITH(&chain, sum(3, t(1), 2, 3)), WITH(&chain, s(8, 1, 2, 3, 4, 5, 6, t(7), 8)));
  tail = mark;
  char text[] = "abc";
  printf("%s\n", (char *)tail_with(text, &chain));
  printf("%d %u\n", nested(5, &chain), e);
}
