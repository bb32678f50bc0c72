// Law 7: the body runs after the statement, first in first out; arguments and copies are the spawner's.
#include <charcoal.h>
#include <stdio.h>
static int counter;
static int next(void) { return ++counter; }
static void show(const char *what, int n, int m) { printf("%s %d %d\n", what, n, m); }
static void other(const char *what, int n, int m) { printf("other %s %d %d\n", what, n, m); }
int main(void) {
  ch_activity a[5];
  int n = 1, array[2] = {1, 2};
  void (*f)(const char *, int, int) = show;
  atomic { // so that stress cannot start a body between the statements
    activate [&a[0]] show("call", next(), n);
    activate [&a[1]] f("pointer", n, counter);
    activate [&a[2]] (n, array) { n += 10; array[0]++; show("copies", n, (int)(array[0] + sizeof array)); }
    activate [&a[3]] { n++; show("reference", n, 0); }
    activate [&a[4]] { if (n) return; show("never", 0, 0); }
    f = other;
    n = 5;
    array[0] = 100;
    show("spawner", counter, n);
  }
  for (int i = 0; i < 5; i++)
    ch_activity_wait(&a[i]);
  show("after", n, array[0]);
  return 0;
}
