// Old-style definitions, statement expressions, variable-length arrays, nested bodies, switch and computed goto.
#include <charcoal.h>
#include <stdio.h>
struct pair { int a, b; };
static int old(a, b) int a; int b; { ch_activity t; activate [&t] { a += b; } ch_activity_wait(&t); return a; }
struct odd { int x; } static odd_result(int n) { struct odd o = {n}; atomic { o.x++; } return o; }
static int computed(int n) {
  static void *table[] = {&&zero, &&one};
  ch_activity t;
  activate [&t] (n) { static int seen; seen += n; }
  ch_activity_wait(&t);
  goto *table[n];
zero:
  return 10;
one:
  atomic return 20;
}
static int vla(int n) {
  int a[n][2];
  ch_activity t[2];
  for (int i = 0; i < n; i++)
    a[i][0] = i, a[i][1] = 0;
  activate [&t[0]] { for (int i = 0; i < n; i++) a[i][1] += a[i][0] + (int)(sizeof a / sizeof *a); }
  activate [&t[1]] (n) { int own[n]; own[n - 1] = n; atomic { a[0][0] = own[n - 1]; } }
  ch_activity_wait(&t[0]), ch_activity_wait(&t[1]);
  return a[n - 1][1] * 100 + a[0][0];
}
static int nested(int depth) {
  int result = 0;
  ch_activity t;
  activate [&t] (depth) {
    ch_activity u;
    activate [&u] { result += depth; depth++; }
    ch_activity_wait(&u);
    result += 10 * depth;
  }
  ch_activity_wait(&t);
  return result;
}
static struct pair in_switch(int n) {
  struct pair p = {0, 0};
  switch (n) {
  case 1: atomic { p.a = 1; }
  case 2: atomic { p.b += 2; break; }
  default: { ch_activity t; activate [&t] { p.a = 7; } ch_activity_wait(&t); }
  }
  return p;
}
int main(void) {
  int e = ({ int x = 1; atomic { x++; } ch_activity t; activate [&t] { x *= 5; } ch_activity_wait(&t); x; });
  struct pair p = in_switch(1), q = in_switch(3);
  printf("%d %d %d %d %d %d %d %d %d %d\n", old(1, 2), odd_result(4).x, computed(0), computed(1), vla(3), nested(2), e, p.a, p.b, q.a);
  return 0;
}
