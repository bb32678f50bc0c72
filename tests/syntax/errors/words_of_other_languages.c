#include <charcoal.h>

int get(int n);
void work(void);

void f(void) {
  int a = await get(1);
  go work();
  spawn work();
  select { work(); }
  int b = await get(2); // explained once
}

void names_of_the_program(int await, int go) { get(await + go); }
