/* goto: forward, backward, out of nests, into loops, an irreducible graph, a state machine. */
#include <stdio.h>
static int calls;
__attribute__((noinline)) static int c(int x) {
  calls++;
  return x;
}
__attribute__((noinline)) static int irreducible(int n, int which) {
  int a = 0, b = 1;
  if (c(which))
    goto right;
left:
  a += c(b);
  if (c(--n) <= 0)
    return a * 10 + b;
right:
  b += c(a) + 1;
  if (c(n) % 3 == 0) {
    n--;
    goto right;
  }
  if (n > 0)
    goto left;
  return a + b;
}
__attribute__((noinline)) static int into_loop(int start) {
  int i = start, s = 0;
  goto middle;
  for (i = 0; i < 10; i++) {
    s += c(1);
  middle:
    s += c(i) * 2;
    if (c(s) > 60)
      goto out;
  }
  s += 1000;
out:
  return s;
}
__attribute__((noinline)) static int out_of_nest(int k) {
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int l = 0; l < 5; l++)
        if (c(i * 25 + j * 5 + l) == k) {
          k = i + j + l;
          goto found;
        }
  return -1;
found:
  return k;
}
__attribute__((noinline)) static int machine(const char *p) {
  int n = 0, sign = 1, total = 0;
start:
  switch (c(*p)) {
  case 0:
    goto done;
  case '-':
    sign = -1;
    p++;
    goto digits;
  case ' ':
    p++;
    goto start;
  default:
    goto digits;
  }
digits:
  if (*p >= '0' && c(*p) <= '9') {
    n = n * 10 + (*p++ - '0');
    goto digits;
  }
  total += c(sign * n);
  n = 0;
  sign = 1;
  if (*p && c(*p) != ' ')
    p++;
  goto start;
done:
  return total;
}
__attribute__((noinline)) static int past_declaration(int n) {
  int r = 0;
again:;
  int x = c(n), y = x * 2;
  r += y;
  if (--n > 0)
    goto again;
  return r + x;
}
int main(void) {
  for (int n = 0; n < 8; n++)
    printf("%d,%d ", irreducible(n, 0), irreducible(n, 1));
  printf("\n%d %d %d\n", into_loop(3), into_loop(8), into_loop(0));
  printf("%d %d %d\n", out_of_nest(0), out_of_nest(88), out_of_nest(1000));
  printf("%d %d\n", machine("12 -7 30x-5 "), machine("-1-1-1"));
  printf("%d\n%d\n", past_declaration(9), calls);
}
