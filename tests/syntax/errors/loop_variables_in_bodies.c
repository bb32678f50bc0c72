#include <charcoal.h>
int g(int), *table;
int next(void);
void f(ch_activity *a) {
  for (int i = 0; i < 3; i++)
    activate [&a[i]] { g(i); }
  for (int i = 0; i < 3; i++)
    activate [&a[i]] (i) { g(i); }
  int n = 3, c;
  while (n--)
    activate { g(n); }
  while ((c = next()) > 0)
    activate g(c);
  for (;;) {
    c = next();
    activate { g(c); }
  }
}
void branches(int *r) {
  do {
    for (int i = 0; i < 3; i++)
      async r[i] = g(i);
    for (int i = 0; i < 3; i++) {
      async g(i);
      async { int own = i; r[own] = g(own); }
      async { r[0] = i; g(1); }
      async (i) { g(1); r[i] = 2; }
      async { for (;;) { r[0] += i; g(1); } }
      async { atomic { g(1); } r[0] = i; }
      async { if (r[0]) g(1); else r[1] = i; g(i); }
    }
  } finish;
  for (int i = 0; i < 3; i++) // the branches end in each turn
    do async { g(1); r[i] = 3; } finish;
  ch_activity one;
  for (int i = 0; i < 3; i++) { // and so does the activity
    activate [&one] { g(i); }
    ch_activity_wait(&one);
  }
  for (int i = 0; i < 3; i++) // a member of a scope that ends in each turn
    do activate [ch_in(ch_scope_here())] { g(i); } finish;
  do {
    for (int i = 0; i < 3; i++)
      activate [ch_in(ch_scope_here())] { g(i); }
  } finish;
}
