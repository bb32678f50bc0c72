/* Activities that spawn activities: a tree of waits, spawning in loops, from functions, from macros, inside atomic, of
 * single calls. */
// outcome: spawn_tree.expected
#include <charcoal.h>
#include <stdio.h>
static int pass(int x) {
  yield;
  return x;
}
static long tree(int depth) {
  if (depth == 0)
    return pass(1);
  long a = 0, b = 0;
  ch_activity l = {0}, r = {0};
  activate [&l] (depth) { a = tree(depth - 1); }
  activate [&r] (depth) { b = tree(pass(depth) - 1); }
  ch_activity_wait(&l);
  ch_activity_wait(&r);
  return a + b + pass(depth);
}
static int started, order_ok = 1, done;
static void work(int *slot, int x, int y) {
  yield;
  started++;
  *slot = pass(x) * 100 + y;
  done++;
}
#define SPAWN(h, slot, x) activate [h] work(slot, x, x + 1)
static void calls(void) {
  int slot[6] = {0};
  ch_activity h[6] = {0};
  int x = 1;
  for (int i = 0; i < 3; i++) {
    activate [&h[i]] work(&slot[i], x, x++ * 2);
  }
  for (int i = 3; i < 6; i++)
    SPAWN(&h[i], &slot[i], i);
  x = 1000;
  for (int i = 0; i < 6; i++)
    ch_activity_wait(&h[i]);
  int s = 0;
  for (int i = 3; i < 6; i++)
    s = s * 1009 + slot[i];
  printf("calls %d %d\n", s, slot[0] > 0 && slot[2] < 1000);
}
static void delayed(void) {
  int ran = 0, in_block = 0, early = 0;
  ch_activity h[4] = {0};
  atomic {
    in_block = 1;
    for (int i = 0; i < 4; i++) {
      activate [&h[i]] {
        if (in_block)
          early++;
        yield;
        ran++;
      }
      yield;
      pass(i);
      if (ran)
        early++;
    }
    atomic {
      yield;
      if (ran)
        early++;
    }
    in_block = 0;
  }
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&h[i]);
  printf("delayed %d %d\n", ran, early);
}
static int early_return(int k) {
  int r = 0;
  ch_activity h = {0};
  activate [&h] {
    for (int i = 0; i < 10; i++) {
      if (pass(i) == k)
        return;
      if (i == 7)
        break;
      if (i & 1)
        continue;
      switch (i) {
      case 2:
        r += 10;
      case 4:
        r += 100;
        break;
      default:
        r++;
      }
    }
    if (k > 20)
      goto end;
    r += 1000;
  end:;
  }
  ch_activity_wait(&h);
  return r;
}
static void thousands(void) {
  enum { COUNT = 3000 };
  static ch_activity h[COUNT];
  static int v[COUNT];
  for (int i = 0; i < COUNT; i++)
    activate [&h[i]] (i) {
      yield;
      v[i] = pass(i) + 1;
    }
  long s = 0;
  for (int i = 0; i < COUNT; i++) {
    ch_activity_wait(&h[i]);
    s += v[i];
  }
  printf("thousands %ld\n", s);
}
static void handles(void) {
  ch_activity a = {0}, b = {0};
  int r = 0;
  activate [&a] {
    yield;
    r += 1;
  }
  activate [&b] {
    yield;
    ch_activity_wait(&a);
    r = r * 10 + 2;
  }
  int w = ch_activity_wait(&b) + ch_activity_wait(&a) + ch_activity_wait(&a);
  printf("handles %d %d %d\n", r, w, ch_activity_finished(&a) && ch_activity_finished(&b));
}
int main(void) {
  printf("tree %ld\n", tree(7));
  calls();
  delayed();
  printf("return %d %d %d %d\n", early_return(3), early_return(5), early_return(20), early_return(30));
  thousands();
  handles();
  (void)order_ok;
}
