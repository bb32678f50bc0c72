/* Signal handlers that are compiled functions: raise, sigaction with siginfo, from a timer, siglongjmp out of a
 * handler. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static volatile sig_atomic_t hits, last, ticks;
static sigjmp_buf out;
NI static int t(int x) {
  last = x;
  return x;
}
static void simple(int s) { hits += t(s == SIGUSR1 ? 1 : 100); }
static void info(int s, siginfo_t *i, void *c) {
  (void)c;
  hits += t(i->si_pid == getpid()) * 1000 + (s == SIGUSR2);
}
static void escape(int s) {
  hits += t(5);
  siglongjmp(out, s);
}
static void tick(int s) {
  (void)s;
  ticks = ticks + 1;
  t(1);
}
NI static long busy(int want) {
  long n = 0;
  while (ticks < want) {
    n += t(1);
  }
  return n > 0;
}
NI static int deep(int d) {
  int here = t(d);
  if (d == 0) {
    raise(SIGUSR1);
    return 0;
  }
  return deep(d - 1) + here;
}
int main(void) {
  signal(SIGUSR1, simple);
  struct sigaction a = {0};
  a.sa_sigaction = info;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &a, 0);
  raise(SIGUSR1);
  printf("%d\n", (int)hits);
  kill(getpid(), SIGUSR2);
  printf("%d\n", (int)hits);
  printf("%d %d\n", deep(10), (int)hits);
  signal(SIGSEGV, escape);
  volatile int tries = 0;
  int r = sigsetjmp(out, 1);
  if (r == 0) {
    tries = tries + 1;
    raise(SIGSEGV);
    printf("not reached\n");
  }
  printf("%d %d %d\n", r == SIGSEGV, tries, (int)hits);
  signal(SIGALRM, tick);
  struct itimerval iv = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &iv, 0);
  printf("%ld\n", busy(5));
  iv.it_value.tv_usec = iv.it_interval.tv_usec = 0;
  setitimer(ITIMER_REAL, &iv, 0);
  printf("%d\n", ticks >= 5);
  fflush(stdout);
  signal(SIGTERM, SIG_DFL);
  raise(SIGTERM);
  return 3;
}
