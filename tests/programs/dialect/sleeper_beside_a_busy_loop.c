/* One activity computes and calls; the other only sleeps: it is woken all the same, at a yield point of the first. */
// outcome: sleeper_beside_a_busy_loop.expected
#include <charcoal.h>
#include <stdio.h>
#include <unistd.h>
static unsigned long ticks;
static void tick(void) { ticks++; }
int main(void) {
  ch_activity busy;
  volatile int stop = 0;
  int stopped = 0;
  activate [&busy] {
    while (!stop)
      tick();
    stopped = 1;
  }
  for (int i = 0; i < 3 || ticks <= 1000; i++) /* the machine may have held the busy one up */
    usleep(2000);
  stop = 1;
  ch_activity_wait(&busy);
  printf("%d %d\n", stopped, ticks > 1000);
}
