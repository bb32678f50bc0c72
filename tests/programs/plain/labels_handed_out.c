// labels compared, differences, labels handed out by one call and used in the next
#include <stdio.h>
#include <stdlib.h>
struct op {
  void *h;
  int a;
};
static int cnt;
static int noisy(int x) {
  printf("n%d ", x);
  return x;
}
static void *const *handlers;
static int interp(struct op *code) {
  static void *const tab[] = {&&add, &&mul, &&out, &&stop};
  if (!code) {
    handlers = tab;
    return 0;
  }
  int acc = 0;
  goto * code->h;
add:
  acc = noisy(acc + code->a);
  code++;
  goto * code->h;
mul:
  acc = noisy(acc * code->a);
  code++;
  goto * code->h;
out:
  printf("=%d\n", acc);
  code++;
  goto * code->h;
stop:
  return acc;
}
static int cmp(const void *a, const void *b) {
  struct op p[] = {{handlers[0], *(int *)a}, {handlers[2]}, {handlers[3]}};
  int x = interp(p);
  struct op q[] = {{handlers[0], *(int *)b}, {handlers[2]}, {handlers[3]}};
  return x - interp(q);
}
static int rel(int k) {
  static const int off[] = {&&x - &&x, &&y - &&x, &&z - &&x};
  goto *(&&x + off[k]);
x:
  noisy(1);
y:
  noisy(2);
z:
  return noisy(3);
}
int main(void) {
  interp(0);
  struct op p[] = {{handlers[0], 5}, {handlers[1], 7}, {handlers[2]}, {handlers[3]}};
  printf("%d\n", interp(p));
  int v[] = {3, 1, 2};
  qsort(v, 3, 4, cmp);
  printf("%d %d %d\n", v[0], v[1], v[2]);
  interp(0);
  printf("%d\n", interp((struct op[]){{handlers[0], 1}, {handlers[3]}}));
  for (int i = 0; i < 3; i++)
    printf("%d\n", rel(i));
  return 0;
}
