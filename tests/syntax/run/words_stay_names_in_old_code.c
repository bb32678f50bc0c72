#include <charcoal.h>
#include <stdio.h>
/* old code: the words as ordinary names */
struct s { int yield, atomic, activate, finish, async, cancel; };
static int yield_total(int yield) { int total = 0; total += yield; return total; }
static int locals(void) { int yield = 3, atomic = 4; yield; atomic++; atomic = atomic + 1; { int *activate = &atomic; activate[0] = 7; *activate += 1; } return yield * atomic; }
typedef int cancel; 
static cancel or(cancel and) { return and; }
enum { finish = 3, async = 4 };
static int labels(int x) { yield: if (x > 3) return x; x++; goto yield; }
static int lab2(int x) { atomic: activate: if (x-- > 0) goto atomic; if (x == -100) goto activate; return x; }
int main(void) {
  struct s v = { .yield = 1, .atomic = 2, .activate = 3 };
  struct s *p = &v;
  p->yield = 4; v.atomic++;
  printf("%d %d %d %d %d %d %d %d %d\n", p->yield, v.atomic, v.activate, yield_total(3), locals(), or(finish), async, labels(1), lab2(3));
  return 0;
}
