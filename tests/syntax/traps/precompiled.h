#include <charcoal.h>
#include <stdio.h>
static inline atomic int twice(int x) { atomic { x *= 2; } return x; }
static inline void in_header(ch_activity *a, int *n) { activate [a] (n) { *n = twice(*n); } }
static inline noncancellable int both(int a, int b) { q: do { async a = twice(a); async b = twice(b); if (a < 0) cancel q; } finish; return a + b; }
