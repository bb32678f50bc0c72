#include <charcoal.h>
#include <stdio.h>
#define SPAWN(h, body) activate [&h] { body; }
#define LOCK atomic {
#define UNLOCK }
#define EACH(v, n) for (int v = 0; v < (n); v++) activate (v)
#define GIVE_WAY yield
#define WORD atomic
static int total;
int main(void) {
  ch_activity a;
  SPAWN(a, total += 1; GIVE_WAY; total += 1)
  ch_activity_wait(&a);
  LOCK total *= 10; UNLOCK
  WORD total++;
  EACH(i, 3) { total += i; }
  while (total < 24) GIVE_WAY;
  printf("%d\n", total);
  return 0;
}
