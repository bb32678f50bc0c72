#include <charcoal.h>
int plain(int);
static ch_sem s;
struct job;
void wait_for(int n) {
  int r;
  char *text;
  waituntil (r = plain(n)) {}
  waituntil (ch_sem_wait(undeclared)) {}
  waituntil (nowhere = ch_sem_wait(&s)) {}
  waituntil (text = ch_sem_wait(&s)) {}
  waituntil (ch_sem_wait(&s) || ch_sleep(n)) {}
  waituntil (ch_sem_wait(&s)) {}
  or (ch_sleep(n)) {}
  waituntl (ch_sem_wait(&s)) {}
  waituntil (ch_sem_wait(&s)) break;
}
