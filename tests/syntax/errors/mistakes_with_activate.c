#include <charcoal.h>
int g(int);
void f(int n, ch_activity *h) {
  activate;
  activate [h];
  activate (n);
  activate [h] (n);
  activate (n) if (n) g(n);
  activate (n) [h] { g(n); }
  activate [h] contained { g(n); }
  contained activate { g(n); }
  activate h { g(n); }
  activate &h[1] { g(n); }
  activate [h] noncancellable { g(n); }
  activate g(n)
  g(n);
  activate (n, n) { g(n); }
  activate (int n) { g(n); }
  activate (&n) { g(n); }
  activate [] { g(n); }
  activate contained;
  if (n) { activate g(n) }
  if (n) { activate }
}
