#include <charcoal.h>
int g(int);
noncancellable int f(a, b) int a; char *b; { return g(a); }
noncancellable int h(int (*p)(int), int n) __attribute__((noinline));
noncancellable __attribute__((noinline)) int h(int (*p)(int), int n) { return p(n); }
typedef int number;
noncancellable number k(a) number a; { return g(a); }
