/* Locals and values that are never needed at the same time, of several types and sizes, in loops, branches and blocks:
 * they may lie at one place in a frame. */
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))

static unsigned mixed;
NI static int mix(int x) {
  mixed = mixed * 31 + (unsigned)x;
  return x;
}
static void *kept;
NI static void lend(void *p) { kept = p; }
NI static int first_of(void *p, int n) {
  memset(p, n, sizeof(int));
  return *(int *)p & 0xff;
}

/* Groups of values, each needed only until the next begins. */
NI static int groups(int n) {
  int a = mix(n), b = mix(n + 1), c = mix(n + 2);
  int s = mix(a + b) + mix(c) + a * b - c;
  long d = mix(s), e = mix(n + 3), f = mix(n + 4);
  s += mix((int)(d - e)) + mix((int)f) + (int)(d * 3 - e + f);
  double g = mix(s) * 0.5, h = mix(n + 5) * 0.25;
  s += mix(n) + (int)(g + h);
  char i = (char)mix(n + 6), j = (char)mix(n + 7);
  return s + mix(i) + mix(j) + i - j;
}

/* Blocks whose locals others know, of different types, one after the other and beside one that outlives them. */
NI static int blocks(int n) {
  long outer = n, r = 0;
  lend(&outer);
  for (int k = 0; k < 3; k++) {
    {
      int x = mix(k);
      lend(&x);
      r += mix(2) + *(int *)kept;
      x = mix(k + 1);
      r += x;
    }
    {
      double y[2] = {k, n};
      lend(y);
      r += mix(3) + (long)(((double *)kept)[1] * 2);
      y[0] = mix(k);
      r += (long)(y[0] + y[1]);
    }
    if (k == 1) {
      short z[5] = {1, 2, 3, 4, (short)n};
      lend(&z[2]);
      r += mix(4) + ((short *)kept)[2] + z[1];
    }
    outer += r;
  }
  return (int)(r + outer);
}

/* A local that ends on one way and lives on on the other. */
NI static int ways(int n) {
  int r = 0;
  for (int k = 0; k < 4; k++) {
    int left[3] = {k, n, k + n};
    lend(left);
    mix(k);
    if (k & 1) {
      r += left[1];
      continue;
    }
    float right = (float)mix(k + 2);
    lend(&right);
    r += mix(7) + (int)right + left[2];
  }
  return r;
}

/* Locals that only this function touches, as a whole and in parts. */
struct part {
  int v[4];
  char text[9];
};
NI static int parts(int n) {
  int r = 0;
  struct part p = {{n, 2, 3, 4}, "abc"};
  mix(1);
  r += p.v[mix(n) & 3] + p.text[1];
  struct part q = p;
  q.v[1] = mix(9);
  p.v[2] = mix(q.v[1]);
  r = r * 7 + p.v[mix(2) & 3];
  memset(&q, n, sizeof q);
  mix(5);
  r += q.text[mix(8) & 7];
  float w[4] = {1, 2, 3, 4};
  mix(6);
  r += (int)w[mix(3) & 3];
  return r;
}

/* What is written before it is read on every way round a loop, but not before the loop. */
NI static int rounds(int n) {
  int last = 0, r = 0, odd;
  for (int k = 0; k < n; k++) {
    if (k > 0)
      r += mix(last) * odd;
    odd = mix(k) & 1;
    int now = mix(k * 3);
    r += mix(now) + now;
    last = now + mix(1);
  }
  return r;
}

NI static int temporaries(int n) {
  return first_of(&(int){mix(n)}, n) + first_of(&(int[2]){mix(1), mix(2)}, n + 1) + first_of(&(long){mix(3)}, n + 2);
}

int main(void) {
  for (int n = 1; n < 4; n++)
    printf("%d %d %d %d %d %d\n", groups(n), blocks(n), ways(n), parts(n), rounds(n + 3), temporaries(n));
  printf("%u\n", mixed);
}
