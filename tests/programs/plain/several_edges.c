/* The address of a local goes into one place by several edges of a switch, and is needed after calls. */
#include <stdio.h>
#define NI __attribute__((noinline))
NI static int touch(int x) {
  static volatile int k;
  k += x;
  return k;
}
NI static void fill(int *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = i + touch(0);
}
NI static int address(int k, int n) {
  int v[8];
  fill(v, 8);
  int *q = v + 3, *p = v;
  *q += n;
  touch(n);
  switch (k) {
  case 0:
  case 3:
  case 7:
    touch(1);
    p = q;
    break;
  case 1:
  case 5:
  case 9:
  case 12:
    p = q;
    break;
  case 2:
    touch(5);
    break;
  default:
    touch(4);
  }
  touch(*p);
  (*p)++;
  touch(*q);
  fill(p, 1);
  return *q + *p;
}
NI static long offset(int k, long n) {
  long q = n * 8 + touch(1), p = n;
  touch((int)q);
  long r = q + 40;
  touch((int)r);
  switch (k) {
  case 0:
  case 3:
  case 7:
    p = r;
    break;
  case 1:
  case 5:
  case 9:
  case 12:
    touch(2);
    p = r;
    break;
  case 2:
    p = q;
    break;
  }
  touch((int)p);
  return p * 3 + q + r;
}
int main(void) {
  for (int i = 0; i < 14; i++)
    printf("%d %ld\n", address(i, i * 3), offset(i, i * 5));
}
