#include <charcoal.h>
int f(int);
static ch_sem s;
int used_as_values(int n) {
  n = atomic { f(n); };
  if (waituntil (ch_sem_wait(&s))) n++;
  return n;
}
void with_too_much(int n) {
  ch_activity a;
  yield (n);
  assert_no_yield (n) { f(n); }
  contained { f(n); }
  atomic contained activate { f(1); }
  activate [&a { f(1); }
  do { async n { f(n); } cancel 3; cancel (f(n)); } finish;
}
struct when { int or, and; };
int names_of_the_program(struct when when, int contained) {
  int or = when.or, fair = 1, wait_until = or;
  when.and = contained;
  { int and = fair; or = and; }
  return or + wait_until;
}
