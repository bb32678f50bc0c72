/* Recursion: direct, mutual, tail, through pointers, with arrays, 10,000 deep. */
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static int even(unsigned n);
__attribute__((noinline)) static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
__attribute__((noinline)) static long tail(long n, long acc) {
  if (n == 0)
    return acc;
  return tail(n - 1, acc * 3 + n % 7 & 0xffffff);
}
__attribute__((noinline)) static long deep(int n) {
  if (!n)
    return 1;
  long r = deep(n - 1);
  return (r * 7 + n) % 1000003;
}
__attribute__((noinline)) static long deep_local(int n, int *up) {
  int mine = n;
  if (n == 0)
    return *up;
  long r = deep_local(n - 1, &mine);
  *up += mine & 3;
  return r + mine;
}
static int solutions;
__attribute__((noinline)) static int safe(const char *q, int row) {
  for (int i = 0; i < row; i++) {
    int d = q[i] - q[row];
    if (d == 0 || d == row - i || d == i - row)
      return 0;
  }
  return 1;
}
__attribute__((noinline)) static void queens(char *q, int row, int n) {
  if (row == n) {
    solutions++;
    return;
  }
  for (int c = 0; c < n; c++) {
    q[row] = (char)c;
    if (safe(q, row))
      queens(q, row + 1, n);
  }
}
static void permute(char *s, int k, int n, unsigned *hash) {
  if (k == n) {
    for (int i = 0; i < n; i++)
      *hash = *hash * 33 + (unsigned char)s[i];
    return;
  }
  for (int i = k; i < n; i++) {
    char t = s[k];
    s[k] = s[i];
    s[i] = t;
    permute(s, k + 1, n, hash);
    t = s[k];
    s[k] = s[i];
    s[i] = t;
  }
}
static int hanoi(int n, int a, int b, int c, unsigned *h) {
  if (n == 0)
    return 0;
  int left = hanoi(n - 1, a, c, b, h);
  *h = *h * 5 + (unsigned)(a * 3 + b);
  return left + 1 + hanoi(n - 1, c, b, a, h);
}
int main(void) {
  printf("%ld %d %d %d\n", fib(16), even(1001), odd(777), ack(2, 5));
  printf("%ld %ld\n", tail(5000, 1), deep(10000));
  int top = 3;
  printf("%ld %d\n", deep_local(10000, &top), top);
  char q[8];
  queens(q, 0, 6);
  unsigned h = 1;
  char s[] = "abcde";
  permute(s, 0, 5, &h);
  printf("%d %u %s\n", solutions, h, s);
  h = 0;
  int m = hanoi(8, 0, 1, 2, &h);
  printf("%d %u\n", m, h);
}
