/* Variable-length arrays and alloca: in loops, across calls, left by goto, as parameters, nested. */
#include <stdio.h>
#include <string.h>
#include <stdint.h>
#include <alloca.h>
#define NI __attribute__((noinline))
static unsigned hash;
NI static int t(int x) {
  hash = hash * 37 + (unsigned)x;
  return x;
}
NI static long sum(int n, const int a[n]) {
  long s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + t(a[i]);
  return s;
}
NI static long simple(int n) {
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = t(i * i);
  return sum(n, a);
}
NI static long matrix(int n, int m) {
  int a[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = t(i * 10 + j);
  int (*row)[m] = a;
  long s = 0;
  for (int i = 0; i < n; i++, row++)
    s += sum(m, *row) * (i + 1) + (long)sizeof *row;
  return s;
}
NI static long in_loop(int n) {
  long s = 0;
  for (int i = 1; i <= n; i++) {
    int a[i];
    memset(a, 0, sizeof a);
    if (t(i) == 3)
      continue;
    for (int j = 0; j < i; j++) {
      a[j] = t(j);
      if (t(i + j) == 9)
        goto next;
    }
    {
      char b[t(i) * 2];
      memset(b, i, sizeof b);
      s += b[i] + (long)sizeof b;
    }
    s += sum(i, a);
    if (i == 7)
      break;
  next:;
  }
  return s;
}
NI static int again(int n) {
  int r = 0;
again:;
  char buf[n + 1];
  for (int i = 0; i <= n; i++)
    buf[i] = (char)t(i);
  r += buf[n] + buf[n / 2];
  if (--n > 0)
    goto again;
  return r;
}
NI static char *fill(char *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = (char)t('a' + i % 26);
  return p;
}
struct node {
  struct node *next;
  int v;
};
NI static int alloca_list(int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *x = alloca(sizeof *x);
    x->next = head;
    x->v = t(i * 3);
    head = x;
  }
  int s = 0;
  for (struct node *x = head; x; x = x->next)
    s = s * 5 % 100003 + t(x->v);
  return s;
}
NI static int alloca_cond(int n) {
  char *p = 0, *q = alloca((size_t)n);
  fill(q, n);
  if (t(n) & 1) {
    p = alloca((size_t)t(n) * 2);
    fill(p, 2 * n);
  }
  int s = q[n - 1];
  if (p)
    s = s * 256 + p[2 * n - 1];
  return s + (q[0] == 'a');
}
NI static int aligned(int n) {
  int bad = 0;
  for (int i = 0; i < n; i++) {
    long double v[i + 1];
    v[i] = t(i);
    bad += ((uintptr_t)v & 15) != 0;
    bad += v[i] != i;
    char *w = __builtin_alloca_with_align((size_t)(i + 1), 512);
    bad += ((uintptr_t)w & 63) != 0;
    w[i] = 1;
    t(w[i]);
  }
  return bad;
}
NI static int recursive(int n) {
  if (n == 0)
    return 0;
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = t(n);
  int r = recursive(n - 1);
  for (int i = 0; i < n; i++)
    r += a[i];
  return r;
}
NI static long ptr_vla(int n, long (*a)[n]) {
  long s = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < n; j++)
      s += (long)t((int)a[i][j]) * (j + 1);
  return s;
}
NI static size_t side(int n) {
  int k = n;
  typedef int arr[t(k++)];
  arr a, b;
  a[0] = 1;
  b[0] = t(2);
  return sizeof a + sizeof(arr) * (size_t)(a[0] + b[0]) + (size_t)k + sizeof(int[t(k)]);
}
int main(void) {
  printf("%ld %ld %ld\n", simple(1), simple(6), matrix(3, 4));
  printf("%ld %d\n", in_loop(10), again(12));
  printf("%d %d %d\n", alloca_list(50), alloca_cond(5), alloca_cond(6));
  printf("%d %d\n", aligned(6), recursive(12));
  long m[2][3] = {{1, 2, 3}, {4, 5, 6}};
  printf("%ld %zu\n", ptr_vla(3, m), side(5));
  printf("%u\n", hash);
}
