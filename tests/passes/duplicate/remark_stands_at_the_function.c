// OPTIONS: -O1 -g -Rcharcoal
// CHECK: remark_stands_at_the_function.c:[[#@LINE+2]]:1: remark: 'f' has only a plain version: it calls a function
#include <unistd.h>
int f(void) { return vfork() ? pause() : 0; }
