#include <charcoal.h>

void work(int);

void f(int i) {
  activate [=] { work(i); }
  activate [&] (i) { work(i); }
  activate atomic { work(i); }
  activate async work(i);
  int x = 1;
  activate { work(x); }
}
