// Scopes where functions are unusual: old-style definitions, variable arguments, structures, setjmp, computed goto,
// switch, statement expressions, variable-length arrays, many variables of every kind, atomic and plain code.
// In virtual time.
#include <charcoal.h>
#include <complex.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int nap(int us, int value) { return ch_sleep(1000LL * us) ? -1 : value; }

static int old(a, b) int a; int b; { do { async a = nap(2, a + 1); async b = nap(1, b + 1); } finish; return a * 10 + b; }

static int variadic(int n, ...) {
  int values[4] = {0}, sum = 0;
  va_list list;
  va_start(list, n);
  do
    for (int i = 0; i < n; i++)
      async { int k = i, v = va_arg(list, int); values[k] = nap(n - k, v); }
  finish;
  va_end(list);
  for (int i = 0; i < n; i++)
    sum = sum * 10 + values[i];
  return sum;
}

struct many { char text[40]; double d; int bits : 5; unsigned flag : 1; };
static struct many by_value(struct many in) {
  struct many out;
  do { async { nap(1, 0); out = in; out.bits += 3; out.flag = 1; strcat(out.text, "!"); } async in.d = nap(2, 4); } finish;
  out.d = in.d;
  return out;
}

static int with_setjmp(void) { // has only a plain version
  jmp_buf buffer;
  volatile int seen = 0;
  if (setjmp(buffer) == 0) {
    do { async seen = nap(1, 5); async seen += nap(1, 6); } finish;
    longjmp(buffer, 1);
  }
  return seen;
}

static int computed(int n) {
  static void *const table[] = {&&zero, &&one};
  int result = 0;
  do { async result = nap(1, n); } finish;
  goto *table[result];
zero:
  return 10;
one:
  do return nap(1, 20); finish;
}

static int switched(int n) {
  int result = 0;
  do {
    switch (n) {
    case 1: async result += nap(2, 1); // falls through
    case 2: async { switch (nap(1, n)) { case 1: result += 10; break; default: result += 20; } } break;
    default: do { async result = nap(1, 7); } finish;
    }
  } finish;
  return result;
}

static int gotos(int n) {
  int sum = 0;
again:
  do {
    async {
      int k = n;
    inner:
      sum += nap(1, 1);
      if (--k > 0)
        goto inner;
    }
    async { __label__ local; if (n > 2) goto local; sum += 100; local: sum += 1000; }
    if (--n > 0)
      goto again; // waits first
    sum += nap(1, 10000);
  } finish;
  return sum;
}

static int vla(int n) {
  int a[n][2], *p = a[0];
  memset(a, 0, sizeof a);
  do {
    for (int i = 0; i < n; i++)
      async { int k = i; int own[k + 1]; own[k] = nap(n - k, k); a[k][1] = own[k] + (int)(sizeof a / sizeof *a); }
    async { __typeof__(a) copy; memcpy(copy, a, sizeof a); nap(1, 0); p[0] = (int)sizeof copy == (int)sizeof a; }
  } finish;
  return a[n - 1][1] * 10 + a[0][0];
}

static _Thread_local int of_thread = 1;
static int kinds(const char *const s, register int in_register, int array[static 3]) {
  long long a = 1; unsigned char b = 2; float c = 3; long double d = 4; double complex e = 5 + 6 * I; _Bool f = 0;
  _Atomic int g = 7; volatile short h = 8; static int i = 9; int *j = &i; int (*k)(int, int) = nap; enum { L = 10 } l = L;
  struct { int x, y[2]; } m = {1, {2, 3}}; union { int u; char v[8]; } n = {.u = 12}; _Alignas(64) char o[64] = "o"; __int128 p = 13;
  int r = in_register;
  do {
    async { nap(1, 0); a += b; c += (float)d; e *= 2; f = !f; g++; h++; i++; (*j)++; l += k(1, L); m.y[1] += n.u; o[1] = (char)(o[0] + ((size_t)o % 64 != 0)); p <<= 70; of_thread++; array[2] = r; }
    async { nap(9, 0); d = a + c; b = (unsigned char)(creal(e) + g + h); n.v[0] = s[0]; r += (int)(p >> 70); }
  } finish;
  return (int)(a + b + c + d + cimag(e) + f + g + h + i + l + m.y[1] + n.v[0] + o[1] + r + of_thread + array[2]);
}

static int recursive(int n) {
  int a = 0, b = 0;
  if (n < 2)
    return nap(n, n);
  do { async a = recursive(n - 1); b = recursive(n - 2); } finish;
  return a + b;
}

static atomic int in_atomic(int n) { int a; do { async a = nap(1, n); } finish; return a; }
static int compare(const void *a, const void *b) { // called from foreign code: plain
  int x, y;
  do { async x = nap(1, *(const int *)a); async y = nap(1, *(const int *)b); } finish;
  return x - y;
}
static void end_of_scope(int *n) { *n = nap(1, *n) + 1; }

int main(void) {
  struct many m = {"text", 1, 2, 0}, r = by_value(m);
  int array[5] = {5, 3, 1, 4, 2}, order = 0, counted = 0;
  int e = ({ int x = 1; do { async x = nap(1, 41); } finish; x + 1; });
  printf("%d %d %s %g %d %d %d\n", old(1, 2), variadic(3, 4, 5, 6), r.text, r.d, r.bits, r.flag, e);
  int plain = with_setjmp(), zero = computed(0), one = computed(1), s1 = switched(1), s2 = switched(2), s3 = switched(3);
  printf("%d %d %d %d %d %d %d %d\n", plain, zero, one, s1, s2, s3, gotos(3), vla(4));
  qsort(array, 5, sizeof *array, compare);
  for (int i = 0; i < 5; i++)
    order = order * 10 + array[i];
  int fibonacci = recursive(9), inside = in_atomic(3);
  atomic { do { async inside += nap(1, 1); noncancellable inside++; cancel; } finish; }
  { int counter __attribute__((cleanup(end_of_scope))) = 1; do { async counter += nap(1, 1); } finish; counted = counter; }
  printf("%d %d %d %d %d\n", order, fibonacci, inside, counted, kinds("s", 3, array));
}
