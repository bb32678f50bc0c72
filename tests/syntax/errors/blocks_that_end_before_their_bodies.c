#include <charcoal.h>
#include <stdlib.h>
#include <unistd.h>
int g(int);
void wait_for_all(void);
static void silent(int n) { table: if (n) goto table; }
void f(int n) {
  int local = n;
  activate { g(local); }
  silent(n);
}
void parameter(int n) {
  activate { g(n); }
}
void waited(int n) {
  activate { g(n); }
  wait_for_all();
}
void ended(int n) {
  activate { g(n); }
  exit(1);
}
void inner(int n) {
  if (n) {
    int local = n;
    activate { g(local); }
  }
  wait_for_all();
}
void contained(int n) {
  atomic { int own = n; activate contained { g(own); } }
  activate (n) { g(n); }
}
void branches(int n) {
  do {
    int whole = n;
    { char b[16]; async read(0, b, 16); }
    { int sum = 0; async sum = g(n); }
    { int early = n; async g(early); }
    { int own = n; do async own = g(n); finish; }
    async { int mine = 0; mine = g(mine); }
    async whole = g(n);
  } finish;
}
struct pair { int a, b[2]; };
void use(int *, int);
void lent(int n) {
  int local = n, values[3] = {n};
  struct pair pair = {n, {n}};
  static int kept;
  activate use(&local, local);
  activate use(values, 1);
  activate use(&pair.b[1], 2);
  activate use(&kept, 3);
  activate free use(&local, 4);
}
void lent_and_waited(int n) {
  atomic { activate contained use(&n, 1); }
  activate use(&n, n);
  wait_for_all();
}
void member(int n, ch_scope *other) {
  do
    activate [ch_in(ch_scope_here())] { g(n); }
  finish;
  do {
    int own = n;
    activate [ch_in(ch_scope_here())] { g(own); }
    activate [ch_in(ch_scope_here())] use(&own, n);
    { int inner = n; activate [ch_in(ch_scope_here())] { g(inner); } }
    activate { g(n); }
  } finish;
  activate [ch_in(other)] { g(n); }
}
int main(void) {
  int n = 1;
  activate { g(n); }
}
