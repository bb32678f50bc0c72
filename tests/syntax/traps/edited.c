#include <charcoal/channel.h> // charcoal.h, and functions whose bodies clangd leaves out
int callee(int x);
int caller(int counted) {
  ch_activity a;
  activate [&a] (counted) {
    counted += callee(counted);
  }
  atomic { counted++; }
  yield;
  do { async counted = callee(counted); } finish;
  return counted;
}
static channel(int) answers;
static int gathered;
ch_never_waits int settled(int n) {
  ch_channel_length((struct ch_channel *)&answers);
  return n;
}
void gather(void) {
  struct ch_channel_recv__clause clause;
  ch_activity a;
  activate [&a] { atomic { gathered = gathered + settled(1); } }
  for (int n, i = 0; i < 3; i++) {
    ch_channel_recv__clause(&clause, CH_CHANNEL(&answers), &n, sizeof n);
    waituntil (ch_recv(&answers, &n)) { atomic { gathered += n; } }
  }
  ch_activity_wait(&a);
}
