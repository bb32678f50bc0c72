#include <stdio.h>

/* There are no such functions, so that the linker reports a constant that is too large. Without optimisation nothing
   counts as a constant, and only the code generator knows that. */
void constant_is_too_large(void);
int other_handler(int x);

static inline __attribute__((always_inline)) int checked(int x) {
  if (__builtin_constant_p(x) && x > 100)
    constant_is_too_large();
  return x;
}

static int handler(int x) { return x + 1; }

__attribute__((noinline)) static int call(int x) {
  int (*f)(int) = handler;
  if (__builtin_constant_p(x))
    f = other_handler;
  return f(x);
}

/* Inlined nowhere, too. */
__attribute__((always_inline)) inline int is_known(int x) {
  if (__builtin_constant_p(x))
    constant_is_too_large();
  return x;
}
extern int is_known(int x);

void unoptimised(int x) { printf("%d %d\n", checked(x + 41), call(x)); }
