#include <charcoal.h>
#include <stdio.h>
static void stop_here(int *p) { printf("%d\n", *p); }
int main(void) {
  int shared = 11, copied = 22;
  ch_activity a;
  activate [&a] (copied) {
    int own = 33;
    copied += own;
    stop_here(&shared);
  }
  ch_activity_wait(&a);
  return 0;
}
