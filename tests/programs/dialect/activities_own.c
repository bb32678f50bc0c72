/* What belongs to an activity: errno, jump buffers, interpreters with computed goto, static and thread-local objects
 * shared by all. */
// outcome: activities_own.expected
#include <charcoal.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 8
static int pass(int x) {
  yield;
  return x;
}
static __thread int per_thread;
static int total;
static void own_errno(int i, int *bad) {
  errno = 100 + i;
  for (int k = 0; k < 10; k++) {
    pass(k);
    if (errno != 100 + i + k)
      ++*bad;
    errno = errno + 1;
    yield;
    int *p = &errno;
    pass(k);
    if (*p != 101 + i + k)
      ++*bad;
  }
}
static void hop(jmp_buf *b, int d, int v) {
  if (d == 0) {
    pass(v);
    longjmp(*b, v);
  }
  yield;
  hop(b, d - 1, v);
  pass(d);
}
static int jumps(int i) {
  jmp_buf b;
  volatile int count = 0;
  int r = setjmp(b);
  count = count + 1;
  yield;
  if (r < 3)
    hop(&b, i % 4, r + 1);
  pass(i);
  return count * 10 + r;
}
static long interpret(const unsigned char *code, long x) {
  static const void *const labels[] = {&&add, &&dbl, &&call, &&loop, &&stop};
  const unsigned char *ip = code;
  int rounds = 0;
  goto *labels[*ip];
add:
  x += 3;
  goto *labels[*++ip];
dbl:
  x = x * 2 % 10007;
  goto *labels[*++ip];
call:
  x += pass((int)x & 7);
  goto *labels[*++ip];
loop:
  if (++rounds < 6)
    ip = code;
  else
    ip++;
  yield;
  goto *labels[*ip];
stop:
  return x;
}
static long sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    yield;
    s = s * 3 + va_arg(ap, int) + (long)va_arg(ap, double);
    pass(i);
  }
  va_end(ap);
  return s;
}
static int text(int i) {
  char a[32], b[32];
  snprintf(a, sizeof a, "activity %d", i);
  yield;
  strcpy(b, a);
  pass(i);
  char *copy = strdup(b);
  yield;
  int ok = strcmp(copy, a) == 0 && atoi(copy + 9) == i;
  free(copy);
  return ok;
}
static void drop(int *p) {
  yield;
  *p += 1;
}
static int cleaned(int i) {
  static int count;
  for (int k = 0; k < 3; k++) {
    __attribute__((cleanup(drop))) int v = k;
    yield;
    if (pass(k) == i % 3)
      continue;
    atomic count += v * 0;
  }
  return count;
}
int main(void) {
  ch_activity h[N] = {0};
  int bad = 0;
  long result[N];
  for (int i = 0; i < N; i++)
    activate [&h[i]] (i) {
      own_errno(i, &bad);
      static const unsigned char code[] = {0, 2, 1, 2, 3, 4};
      long r = jumps(i) * 1000;
      r += interpret(code, i);
      yield;
      r = r * 3 + sum(4, i, 1.5, 2, 2.5, 3, 3.5, i, 4.5);
      r += text(i) + cleaned(i);
      atomic {
        per_thread += i;
        total += pass(i);
      }
      result[i] = r;
    }
  long s = 0;
  for (int i = 0; i < N; i++) {
    ch_activity_wait(&h[i]);
    s = (s * 31 + result[i]) % 1000000007;
  }
  printf("%d %ld %d %d\n", bad, s, per_thread, total);
}
