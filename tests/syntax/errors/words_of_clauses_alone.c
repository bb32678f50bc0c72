#include <charcoal.h>
int f(int);
static ch_sem s, t;
void misspelt(int n) {
  wait_until (ch_sem_wait(&s)) { f(n); }
  wait_until (ch_sem_wait(&s)) f(n);
  waituntil (ch_sem_wait(&s)) { f(n); } or wait_until (ch_sem_wait(&t)) { f(2); }
  non_cancellable { f(n); }
  assert_noyield { f(n); }
}
void guards_alone(int n) {
  when (n) { f(n); }
  when (n) f(n);
  when { f(n); }
  when;
}
void operators_alone(int n) {
  or waituntil (ch_sem_wait(&s)) { f(n); }
  or waituntil;
  and { f(n); }
  or;
}
void joined_by_something_else(int n) {
  waituntil (ch_sem_wait(&s)) { f(n); } | waituntil (ch_sem_wait(&t)) { f(n); }
  waituntil (ch_sem_wait(&s)) { f(n); }, waituntil (ch_sem_wait(&t)) { f(n); }
}
