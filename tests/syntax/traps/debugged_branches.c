#include <charcoal.h>
#include <stdio.h>
static void stop_here(int *p) { printf("%d\n", *p); }
int main(void) {
  int shared = 11, other = 22;
  do {
    async {
      int own = 33;
      ch_sleep(1000);
      other += own;
      stop_here(&shared);
    }
    other++;
  } finish;
  return 0;
}
