// Three calls deep; in a stress build each is suspended before and after its call. The lines and values are noted
// below.
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
  int first;
  char second[8];
};

__attribute__((noinline)) int leaf(int depth) {
  int squared = depth * depth;
  return squared; // leaf
}

__attribute__((noinline)) static void touch(int *p) { *p += 1; }

__attribute__((noinline)) int middle(int n, struct pair by_value) {
  int simple = n + 1;
  int fixed = n + 2;
  int *pointer = &fixed;
  double real = n / 2.0;
  struct pair whole = {n + 3, "whole"};
  touch(&fixed); // before
  int result = leaf(simple);
  result += simple + by_value.first; // after
  for (int i = 0; i < 2; ++i) {
    int inner = i * 10 + n;
    result += leaf(inner); // loop
  }
  touch(pointer);
  return result + fixed + (int)real + whole.first; // end
}

__attribute__((noinline)) int outer(int n) {
  int length = n + 1;
  int array[length];
  for (int i = 0; i < length; ++i)
    array[i] = i * 100;
  struct pair passed = {n * 2, "passed"};
  int sum = middle(n, passed);
  sum += array[1]; // outer
  return sum;
}

int main(void) {
  int captured = 7, copied = 40;
  ch_activity a;
  activate [&a] (copied) {
    int own = outer(captured);
    captured = own; // body
    copied += own;
    printf("copied %d\n", copied); // copy
  }
  int local = 11;
  ch_activity_wait(&a);
#ifdef BOTH
  atomic { outer(7); }
#endif
  printf("captured %d\n", captured + local); // main
  return 0;
}
