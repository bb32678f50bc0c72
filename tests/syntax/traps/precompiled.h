#include <charcoal.h>
#include <stdio.h>
static inline atomic int twice(int x) { atomic { x *= 2; } return x; }
static inline void in_header(ch_activity *a, int *n) { activate [a] (n) { *n = twice(*n); } }
