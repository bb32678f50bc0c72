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
int main(void) {
  int n = 1;
  activate { g(n); }
}
