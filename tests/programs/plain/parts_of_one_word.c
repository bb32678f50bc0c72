/* Locals that fill one word, and are stored in parts before a wait: each part keeps what it holds. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static int volatile zero, one = 1, seven = 7;
NI static int wait_for(int volatile *x) {
  usleep(1);
  return *x;
}
NI static int of_array(int *volatile *out, int x) {
  int v[2] = {3, 4};
  (void)out;
  v[0] = x;
  return v[wait_for(&one)];
}
NI static int of_bytes(int x) {
  char v[8];
  memset(v, 7, sizeof v);
  v[0] = (char)x;
  return v[wait_for(&seven)];
}
NI static int of_alloca(int x) {
  char *v = __builtin_alloca(8);
  memset(v, 7, 8);
  *v = (char)x;
  return v[wait_for(&seven)];
}
NI static int of_structure(int x) {
  struct {
    short a, b;
    int c;
  } s = {1, 2, 3}, *p = &s;
  p += zero;
  p->a = (short)x;
  short *all = &s.a;
  return all[wait_for(&one)];
}
NI static long of_union(int x) {
  union {
    long all;
    int half[2];
    char byte;
  } u = {0x0102030405060708L};
  u.byte = (char)x;
  return u.half[wait_for(&one)];
}
NI static int of_bool(int x) {
  _Bool seen = x & 1;
  wait_for(&zero);
  return seen + x;
}
NI static int of_short(short x) {
  wait_for(&zero);
  return x;
}
int main(void) {
  for (int i = 0; i < 3; i++)
    printf("%d %d %d %d %ld %d %d\n", of_array(0, i), of_bytes(i), of_alloca(i), of_structure(i), of_union(i),
           of_bool(i), of_short((short)(i - 1)));
}
