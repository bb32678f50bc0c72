// Law 11: a program that does not depend on overlap prints the same when any compiler elides the dialect.
#include <charcoal.h>
#include <stdio.h>
static int sum;
static void add(int n) { sum += n; }
static atomic int twice(int n) { return 2 * n; }
atomic int twice(int n);
int main(void) {
  ch_activity act[4];
  for (int i = 0; i < 3; i++)
    activate ch_handle(&act[i]) ch_copy(i) { i *= 10; add(i); yield; add(1); }
  activate ch_handle(&act[3]) add(1000);
  if (sum < 0) activate { printf("never\n"); } else yield;
  int array[3] = {1, 2, 3}, k = 4, l = 5;
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&act[i]);
  activate ch_handle(&act[0]) ch_copy(array, k, l) { array[0] = 50; k += l; sum += array[0] + k + (int)sizeof array; }
  ch_activity_wait(&act[0]);
  atomic { sum = twice(sum); }
  atomic sum++;
  printf("%d %d %d %d\n", sum, array[0], k, atomic (sum + 1));
  return 0;
}
