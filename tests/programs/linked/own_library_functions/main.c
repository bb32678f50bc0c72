#include <err.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
extern unsigned slept, warned;
int main(void) {
  for (int i = 0; i < 3; i++) {
    struct timespec time = {30, 0};
    sleep(60);
    warn("not printed");
    int a = usleep(1), b = nanosleep(&time, NULL);
    printf("%u %u %d %d\n", slept, warned, a, b);
  }
}
