#include <charcoal.h>
#include <charcoal/events.h>
struct pair {
  int *one;
  int n;
};
void g(int *), h(const void *), by_value(struct pair);
int *id(int *);
#define POINTER(n) (&(int){n})
void f(int n, event(int) e) {
  int own = n, all[2] = {n};
  struct pair pair = {&own, n};
  activate g(&(int){n});
  activate g((int[]){1, n} + 1);
  activate h(n ? &(struct pair){&own, n}.n : (const int *)0);
  activate by_value((struct pair){.one = POINTER(n)});
  activate ch_trigger(e, n);
  do {
    async { activate h((const void *)POINTER(1)); }
  } finish;

  activate g(&own);
  activate g(all);
  activate by_value((struct pair){.one = &own});
  activate by_value(*&(struct pair){.one = &own});
  activate g((int *[1]){&own}[0]);
  activate g(&*id(POINTER(n)) + (int[]){1}[0]);
  activate g(pair.one);
  activate h("text");
  activate (e, n) { ch_trigger(e, n); }
  do {
    async g(&(int){n});
    async ch_trigger(e, n);
  } finish;
}
