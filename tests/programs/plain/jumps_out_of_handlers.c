/* A time limit in the old way: a signal handler jumps out of a call that waits, and out of a loop that does not. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static sigjmp_buf back;
static void on_alarm(int number) {
  (void)number;
  siglongjmp(back, 1);
}
static void set_alarm(void) {
  struct itimerval in = {.it_value = {.tv_usec = 20000}};
  setitimer(ITIMER_REAL, &in, NULL);
}
int main(void) {
  int ends[2];
  char byte;
  if (pipe(ends))
    return 2;
  signal(SIGALRM, on_alarm);
  for (volatile int i = 0; i < 2; i++) {
    if (sigsetjmp(back, 1) == 0) {
      set_alarm();
      printf("%ld bytes\n", (long)read(ends[0], &byte, 1));
    } else {
      printf("nothing came\n");
    }
    if (sigsetjmp(back, 1) == 0) {
      set_alarm();
      sleep(60);
      printf("slept\n");
    } else {
      printf("woken\n");
    }
    if (sigsetjmp(back, 1) == 0) {
      set_alarm();
      for (;;)
        getppid();
    }
    printf("out of the loop\n");
  }
}
