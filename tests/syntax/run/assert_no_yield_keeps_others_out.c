// In the block nobody else runs, in stress mode neither; behind it everybody does. What waits in it ends the program,
// with both places.
#include <charcoal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int others;
static ch_sem full = CH_SEM_INIT(1), empty = CH_SEM_INIT(0);

static int step(int n) { return n + 1; }

static int leaves(int n) {
  for (;;)
    assert_no_yield {
      if (n > 3)
        return n;
      if (n > 2)
        break;
      n = step(n);
      continue;
    }
  return -n;
}

static void (*volatile what)(void);

static void waits(void) { ch_sem_wait(&empty); }
static void takes(void) { ch_sem_wait(&full), ch_sem_post(&full); }
static void reads(void) {
  int ends[2];
  char c;
  if (pipe(ends) == 0)
    (void)!read(ends[0], &c, 1);
}
static void gives(void) { ch_reschedule(); }
static void naps(void) { ch_sleep(0); }
static void branches(void) {
  do {
    async ch_sem_wait(&empty);
    ch_sem_post(&empty);
  } finish;
}
static void atomically(void) { atomic what = waits, ch_sem_wait(&empty); }
static void contains(void) {
  atomic activate contained { others++; }
}
static void loops(void) {
  for (int i = 0; i < 50; i++)
    others += step(i);
}
static void ends(void) {
  what = loops;
  activate { assert_no_yield { what(); } }
  ch_reschedule();
}

static void checked(const char *name, void (*body)(void)) {
  int told[2], status;
  char text[1000] = "";
  fflush(stdout);
  if (pipe(told) < 0)
    return;
  pid_t child = fork();
  if (child == 0) {
    dup2(told[1], 2);
    what = body;
    activate { others = 1; }
    assert_no_yield { what(); }
    _exit(0);
  }
  close(told[1]);
  for (size_t n = 0; n + 1 < sizeof text;) {
    ssize_t r = read(told[0], text + n, sizeof text - 1 - n);
    if (r <= 0)
      break;
    n += (size_t)r;
  }
  close(told[0]);
  waitpid(child, &status, 0);
  printf("%s: %d%s\n", name, WEXITSTATUS(status),
         strstr(text, "set aside inside the assert_no_yield at") && strstr(text, "keeps_others_out.c:") ? ", told" : "");
}

int main(void) {
  int before = 0, same = 1;
  activate {
    for (int i = 0; i < 100; i++) {
      others = step(others);
      yield;
    }
  }
  for (int i = 0; i < 100; i++) {
    assert_no_yield {
      before = others;
      assert_no_yield { loops(); }
      others = before;
      for (int k = 0; k < 100; k++)
        same &= step(others) == before + 1;
    }
    ch_reschedule();
  }
  while (others < 100)
    ch_reschedule();
  printf("%d %d, left: %d\n", same, others, leaves(0));
  checked("waits", waits);
  checked("takes", takes);
  checked("reads", reads);
  checked("gives", gives);
  checked("naps", naps);
  checked("branches", branches);
  checked("atomically", atomically);
  checked("contains", contains);
  checked("loops", loops);
  ends();
  printf("and waits again: %d\n", ch_sleep(1000));
  return 0;
}
