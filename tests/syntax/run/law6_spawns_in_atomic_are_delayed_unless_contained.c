// Law 6.
#include <charcoal.h>
#include <stdio.h>
int main(void) {
  ch_activity delayed, inside;
  atomic {
    activate [&delayed] { printf("delayed\n"); }
    activate contained [&inside] { printf("contained\n"); }
    ch_activity_wait(&inside);
    printf("end of the block\n");
  }
  ch_activity_wait(&delayed);
  return 0;
}
