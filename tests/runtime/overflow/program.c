/* Runs into the end of a stack, or into something else; usage: program CASE. */
#define _GNU_SOURCE
#include <charcoal.h>
#include <charcoal/lowlevel.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile long limit = 1L << 40;

NOINLINE static long goes_down(long n, volatile char *before) {
  volatile char room[64];
  room[0] = before ? *before : 1;
  if (n >= limit)
    usleep(1);
  return n >= limit ? 0 : goes_down(n + 1, room) + room[0];
}

NOINLINE static long ch_schedule_goes_down(long n, volatile char *before) {
  volatile char room[64];
  room[0] = before ? *before : 1;
  return n >= limit ? 0 : ch_schedule_goes_down(n + 1, room) + room[0];
}

static int goes_down_in_a_comparison(const void *a, const void *b) {
  atomic goes_down(0, NULL);
  return *(const int *)a - *(const int *)b;
}

static int waits_in_a_comparison(const void *a, const void *b) {
  ch_sleep(60000000000); // the program ends before
  return *(const int *)a - *(const int *)b;
}

NOINLINE static void with_a_large_local(int n) {
  volatile char large[200000];
  large[n] = 1;
  with_a_large_local(n + 1);
  large[n] = 2;
}

NOINLINE static long goes_down_through_setjmp(long n) {
  jmp_buf buffer;
  volatile long here = n;
  if (n >= limit)
    usleep(1);
  if (setjmp(buffer) || n >= limit)
    return 0;
  return goes_down_through_setjmp(n + 1) + (here == n);
}

static void in_domain(void *unused) {
  (void)unused;
  ch_set_name("in another domain");
  goes_down(0, NULL);
}

static void *goes_down_and_returns(void *result) {
  *(long *)result = goes_down(0, NULL);
  return NULL;
}

static void in_large_thread(long *result) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
  if (pthread_create(&thread, &attributes, goes_down_and_returns, result) == 0)
    pthread_join(thread, NULL);
}

static sigjmp_buf back;
static void handle(int number) {
  (void)number;
  siglongjmp(back, 1);
}

static void set_handler(void) {
  stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaltstack(&own, NULL);
  sigaction(SIGSEGV, &action, NULL);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  ch_activity a;
  ch_thread thread;
  if (strcmp(name, "main") == 0) {
    goes_down(0, NULL);
  } else if (strcmp(name, "prefix") == 0) {
    ch_schedule_goes_down(0, NULL);
  } else if (strcmp(name, "activity") == 0) {
    activate[&a] {
      ch_set_name("the digger");
      usleep(1);
      goes_down(0, NULL);
    }
    ch_activity_wait(&a);
  } else if (strcmp(name, "large") == 0) {
    with_a_large_local(0);
  } else if (strcmp(name, "domain") == 0) {
    ch_domain_start(&thread, in_domain, NULL);
    ch_domain_join(&thread);
  } else if (strcmp(name, "plain") == 0) {
    int numbers[] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, goes_down_in_a_comparison);
  } else if (strcmp(name, "elsewhere") == 0) { // what waits below the comparison keeps the thread's stack
    activate {
      ch_set_name("on another stack");
      goes_down(0, NULL);
    }
    int numbers[] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, waits_in_a_comparison);
  } else if (strcmp(name, "enough") == 0) {
    limit = argc > 2 ? atol(argv[2]) : 1000;
    printf("%d\n", goes_down(0, NULL) == limit);
  } else if (strcmp(name, "thread") == 0) { // its stack is much larger than that of the main thread
    limit = atol(argv[2]);
    long depth = 0;
    activate[&a] { in_large_thread(&depth); } // main runs plain, and so would the thread
    ch_activity_wait(&a);
    printf("%d\n", depth == limit);
  } else if (strcmp(name, "setjmp") == 0) {
    if (argc > 2)
      limit = atol(argv[2]);
    activate[&a] {
      ch_set_name("below setjmp");
      printf("%d\n", goes_down_through_setjmp(0) == limit);
    }
    ch_activity_wait(&a);
  } else if (strcmp(name, "handler") == 0) {
    set_handler();
    if (sigsetjmp(back, 1) == 0)
      goes_down(0, NULL);
    else
      puts("handled");
  } else if (strcmp(name, "null") == 0) {
    *(volatile int *)NULL = 1;
  } else if (strcmp(name, "wild") == 0) {
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char *)page = 1;
  } else if (strcmp(name, "sent") == 0) {
    kill(getpid(), SIGSEGV);
    usleep(1000000);
  }
  return 0;
}
