/* More long vectors than there are registers for arguments. The others lie in memory, aligned as each of them asks for,
 * and a function may load them before it looks where it goes on. Each recursion has the stack at another place. */
#include <stdio.h>
#include <string.h>
typedef int wide __attribute__((vector_size(32)));
#define NI __attribute__((noinline))

NI static int touch(int x) {
  static volatile int k;
  k += x;
  return k;
}
NI static wide vector(int x) { return (wide){x, x + 1, 2, 3, 4, x + 5, 6, touch(x)}; }
NI static int sum(wide a, wide b, wide c, wide d, wide e, wide f, wide g, wide h, wide i, int n, wide j) {
  int s = touch(a[0]) + b[1];
  wide all = c + d + e + f;
  for (int k = 0; k < n; k++) {
    s += touch(i[k]) + all[k];
    all += g * h;
  }
  touch(s);
  return s + j[7] + all[5] + i[0];
}
NI static int deeper(int depth, int x) {
  volatile char room[24];
  memset((char *)room, x, sizeof room);
  if (depth > 0)
    x += deeper(depth - 1, x + room[depth]);
  wide a = vector(x), b = vector(x + 1);
  return sum(a, b, a + b, a * b, a - b, b, a, b, a, 1 + (depth & 3), b + 1) + room[0] % 7;
}

int main(void) {
  for (int i = 0; i < 4; i++)
    printf("%d\n", deeper(i, i));
}
