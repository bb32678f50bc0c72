// What functions that are declared to never wait do when they run, each in a process of its own. A wait through a
// pointer is nothing that the compiler sees.
#include <charcoal.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ch_sem full = CH_SEM_INIT(1), empty = CH_SEM_INIT(0);
static jmp_buf out;
static int turns;

static void waits(void) { ch_sem_wait(&empty); }
static void takes(void) { ch_sem_wait(&full), ch_sem_post(&full); }
static void gives(void) {
  yield;
  ch_reschedule();
}
static void leaves(void) { longjmp(out, 1); }
static void spawns(void) {
  activate { waits(); }
}
static void reads(void) {
  int ends[2];
  char c;
  if (pipe(ends) == 0)
    (void)!read(ends[0], &c, 1);
}
static int step(int n) { return n + 1; }
static void computes(void) {
  for (int i = 0; i < 1000; i++)
    turns = step(turns);
}
static void branches(void) {
  do {
    async waits();
    ch_sem_post(&empty);
  }
  finish;
}

static ch_never_waits void promises(void (*volatile what)(void)) { what(); }
static inline __attribute__((always_inline)) ch_never_waits int promises_inline(void (*volatile what)(void)) {
  int keeps = turns;
  what();
  return keeps;
}
static void (*volatile what)(void);
static void in_plain_caller(void) { promises(waits); }
static void in_inline(void) { promises_inline(waits); }
static void gives_then_waits(void) { promises(gives), promises(in_plain_caller); }
static void in_a_branch(void) {
  do {
    async promises(waits);
    ch_sem_post(&empty);
  }
  finish;
}
static ch_never_waits void sets_a_jump(void (*volatile what)(void)) {
  jmp_buf back;
  if (setjmp(back) == 0)
    what();
}
static void waits_below_setjmp(void) { sets_a_jump(waits); }
static void gives_below_setjmp(void) { sets_a_jump(gives); }
static void around(void (*volatile what)(void)) {
  jmp_buf back;
  if (setjmp(back) == 0)
    what();
}
static void waits_above_setjmp(void) { around(in_plain_caller); }
static void calls_setjmp(void) { around(waits); }
static void waits_behind_it(void) {
  if (setjmp(out) == 0)
    promises(leaves);
  activate { ch_sem_post(&empty); }
  waits();
}

static void told(const char *name, void (*body)(void), int promise) {
  int ends[2], status;
  char text[1000] = "";
  fflush(stdout);
  if (pipe(ends) < 0)
    return;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    activate computes();
    if (promise)
      promises(body);
    else
      body();
    _exit(0);
  }
  close(ends[1]);
  for (ssize_t n = 0, r; (r = read(ends[0], text + n, sizeof text - 1 - (size_t)n)) > 0;)
    n += r;
  close(ends[0]);
  waitpid(child, &status, 0);
  printf("%s: %d%s\n", name, WEXITSTATUS(status),
         strstr(text, "is declared 'ch_never_waits', and it waited at") ? ", told" : "");
}

int main(void) {
  told("waits", waits, 1);
  told("reads", reads, 1);
  told("branches", branches, 1);
  told("in_a_branch", in_a_branch, 0);
  told("in_inline", in_inline, 0);
  told("gives_then_waits", gives_then_waits, 0);
  told("waits_below_setjmp", waits_below_setjmp, 0);
  told("waits_above_setjmp", waits_above_setjmp, 0);
  told("calls_setjmp", calls_setjmp, 1);
  told("takes", takes, 1);
  told("gives", gives, 1);
  told("gives_below_setjmp", gives_below_setjmp, 0);
  told("spawns", spawns, 1);
  told("computes", computes, 1);
  told("waits_behind_it", waits_behind_it, 0);
  return 0;
}
