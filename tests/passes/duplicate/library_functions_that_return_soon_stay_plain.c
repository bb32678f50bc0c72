// glibc says of its functions which call nothing back and are no cancellation points; LLVM knows of others.
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int f(const char *text, char *to) { return (int)strlen(text) + abs(*text) + (memcpy(to, text, 4) != 0) + snprintf(to, 4, "%s", text); }
// CHECK-NOT: .int
