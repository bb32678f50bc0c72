// OPTIONS: -O1 -g -Rcharcoal
// CHECK: remark_stands_at_the_function.c:[[#@LINE+2]]:1: remark: 'f' has only a plain version: it calls setjmp [-Rcharcoal]
#include <setjmp.h>
int f(jmp_buf *b) { return setjmp(*b); }
