// Two activities that never wait, and lose updates at the ends of their slices. Ends when one has been lost.
#include <charcoal.h>
#include <unistd.h>

static long counter, added[2];

static void wait_if(const long *p) { // could wait, never does
  if (*p < 0)
    usleep(1);
}

static void add(int i) {
  long v = counter;
  wait_if(&counter);
  counter = v + 1;
  added[i]++;
}

int main(void) {
  ch_activity a[2];
  for (int i = 0; i < 2; i++)
    activate[&a[i]](i) {
      while (counter == added[0] + added[1] && added[i] < 1000000000)
        for (int n = 0; n < 1000; n++)
          add(i);
    }
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&a[i]);
  return 0;
}
