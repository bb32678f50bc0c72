/* Overwrites the native stack below its caller. A value that a suspended call forgot to save could otherwise still
 * happen to be intact there. */
#include <string.h>

__attribute__((noinline)) static void scribble(int depth) {
  volatile unsigned char waste[6000];
  memset((void *)waste, 0xa5, sizeof waste);
  if (depth > 0)
    scribble(depth - 1);
  waste[depth] = 0;
}
