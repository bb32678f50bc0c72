// protothreads by label addresses: the label lives across calls, and calls come from plain and interruptible code
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
struct pt {
  void *at;
  int i;
};
static int noisy(int x) {
  printf("n%d ", x);
  return x;
}
static int gen(struct pt *p) {
  if (p->at)
    goto * p->at;
  for (p->i = 0; p->i < 6; p->i++) {
    p->at = &&back;
    return noisy(p->i);
  back:
    noisy(100);
  }
  p->at = &&over;
over:
  return -1;
}
static int gen2(void) {
  static void *state = &&start;
  static int i;
  goto *state;
start:
  for (i = 0; i < 6; i++) {
    state = &&resume;
    return noisy(i * 2);
  resume:
    noisy(200);
  }
  state = &&done;
done:
  return -2;
}
static struct pt a;
static int cmp(const void *x, const void *y) {
  printf("<%d %d>", gen(&a), gen2());
  return *(int *)x - *(int *)y;
}
static jmp_buf b;
static void protected(void) {
  if (!setjmp(b)) {
    printf("{%d %d}", gen(&a), gen2());
    longjmp(b, 1);
  }
  printf("\n");
}
int main(void) {
  printf("%d %d\n", gen(&a), gen2());
  int v[] = {2, 1};
  qsort(v, 2, 4, cmp);
  protected();
  printf("%d %d\n", gen(&a), gen2());
  cmp(v, v + 1);
  puts("");
  return 0;
}
