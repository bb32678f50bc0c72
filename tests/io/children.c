/* Tests the options of waitpid and waitid that say which children count, beside other activities: a tracer, and who
 * made a child by clone; what popen has begun; and the signal mask of children. */
#include "harness.h"
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int go[2]; /* what a child reads before it goes on */
static void wait_to_go(void) {
  char byte;
  EXPECT(read(go[0], &byte, 1) == 1);
}
static void let_go(void) { EXPECT(write(go[1], "g", 1) == 1); }

/* ---- tracers ---- */

static pid_t start_traced(void) {
  EXPECT(pipe(go) == 0);
  pid_t child = fork();
  if (child == 0) {
    wait_to_go();
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(3);
  }
  return child;
}
static void gets_the_stop(pid_t child, pid_t which, int options) {
  int status = 0;
  EXPECT(waitpid(which, &status, options) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  EXPECT(ptrace(PTRACE_CONT, child, NULL, NULL) == 0);
  EXPECT(waitpid(which, &status, options) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}
static void traces(int any, int options) {
  alarm(100);
  pid_t child = start_traced();
  activate {
    ch_sleep(1000000); /* the tracer waits before the child is traced */
    let_go();
  }
  gets_the_stop(child, any ? -1 : child, options);
}
TEST(a_tracer_that_waits_for_one_child_gets_its_stops) { traces(0, __WALL); }
TEST(a_tracer_that_asks_for_stops_of_one_child_gets_them) { traces(0, WUNTRACED); }
TEST(a_tracer_that_waits_for_any_child_gets_their_stops) { traces(1, 0); }
TEST(a_clause_does_not_wait_for_the_stops_of_a_child) {
  int r = 0, status;
  pid_t child = start_traced();
  waituntil(r = waitpid(child, &status, __WALL)) EXPECT(r == -1 && errno == ENOSYS);
  let_go();
  gets_the_stop(child, child, __WALL);
}

/* ---- commands ---- */

/* The command ends only after another activity has run. What closes a stream is not refused when it is cancelled. */
TEST(others_run_while_a_stream_of_popen_is_closed) {
  for (int way = 0; way < 4; way++) {
    char command[100];
    int status = -1;
    alarm(100);
    EXPECT(pipe(go) == 0);
    snprintf(command, sizeof command, "head -c 1 <&%d; exit 4", go[0]);
    FILE *f = popen(command, "r");
    activate let_go();
    do {
      if (way & 1)
        cancel;
      status = way & 2 ? pclose(f) : fclose(f);
    }
    finish;
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    close(go[0]);
    close(go[1]);
  }
}

/* ---- children that do not send SIGCHLD ---- */

static int ends(void *unused) {
  close(go[1]); /* if the test fails, this process ends, too */
  wait_to_go();
  _exit(7);
}
static pid_t clone_child(void) {
  static char stack[1 << 16] __attribute__((aligned(16)));
  alarm(100);
  EXPECT(pipe(go) == 0);
  return clone(ends, stack + sizeof stack, 0, NULL);
}
/* The switches of 50 turns of the caller's, and of whoever else runs meanwhile. */
static uint64_t switches_of_a_while(void) {
  struct ch_stats before, after;
  ch_stats(&before);
  for (int i = 0; i < 50; i++)
    ch_sleep(1000000);
  ch_stats(&after);
  return after.switches - before.switches;
}
/* Lets the child end after a while, in which who waits for it has had no turns. */
static void is_waited_for_quietly(int (*wait_for)(pid_t), pid_t child) {
  enum { FEW = 20 };
  uint64_t alone = switches_of_a_while();
  activate {
    EXPECT(switches_of_a_while() < alone + FEW);
    let_go();
  }
  EXPECT(wait_for(child) == 7);
}
static int by_number(pid_t child) {
  int status;
  EXPECT(waitpid(child, &status, __WCLONE) == child);
  return WEXITSTATUS(status);
}
static int any_child(pid_t child) {
  int status;
  EXPECT(waitpid(-1, &status, __WALL) == child);
  return WEXITSTATUS(status);
}
static int any_such_child(pid_t child) {
  siginfo_t info = {0};
  EXPECT(waitid(P_ALL, 0, &info, WEXITED | __WCLONE) == 0 && info.si_pid == child);
  return info.si_status;
}
static int by_clause(pid_t child) {
  int status, r = 0;
  waituntil(r = waitpid(child, &status, __WCLONE)) EXPECT(r == child);
  or waituntil(ch_sleep(100000 * (int64_t)1000000)) EXPECT(!"too late");
  return WEXITSTATUS(status);
}
TEST(who_waits_for_a_cloned_child_sleeps_until_it_ends) {
  is_waited_for_quietly(by_number, clone_child());
  is_waited_for_quietly(any_child, clone_child());
  is_waited_for_quietly(any_such_child, clone_child());
  is_waited_for_quietly(by_clause, clone_child());
}

/* ---- the signal mask ---- */

static void nothing(int signal) { (void)signal; }
/* A process that runs no shell, which might set its mask right. */
static int blocks_a_signal(pid_t (*start)(char *const arguments[])) {
  char *grep[] = {"grep", "-q", "^SigBlk:.*[1-9a-f]", "/proc/self/status", NULL};
  int status;
  EXPECT(waitpid(start(grep), &status, 0) > 0 && WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}
static pid_t by_fork(char *const arguments[]) {
  pid_t child = fork();
  if (child == 0)
    _exit((execvp(*arguments, arguments), 2));
  return child;
}
static pid_t by_spawn(char *const arguments[]) {
  pid_t child;
  EXPECT(posix_spawnp(&child, *arguments, NULL, NULL, arguments, environ) == 0);
  return child;
}
static pid_t by_spawn_in_a_group(char *const arguments[]) {
  pid_t child;
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  EXPECT(posix_spawn(&child, "/bin/grep", NULL, &how, arguments, environ) == 0);
  return child;
}
static void handle(int number) { signal(number, nothing); }
TEST(a_child_does_not_block_the_signals_that_another_activity_pauses_for) {
  sigset_t mask, none;
  int paused = 0;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  handle(SIGTERM);
  handle(SIGUSR1);
  ch_activity pauses[2];
  activate [&pauses[0]] {
    pause();
    paused++;
  }
  activate [&pauses[1]] {
    sigsuspend(&none);
    paused++;
  }
  ch_sleep(10000000);
  EXPECT(!blocks_a_signal(by_fork) && !blocks_a_signal(by_spawn) && !blocks_a_signal(by_spawn_in_a_group));
  int status;
  pid_t child = fork();
  if (child == 0)
    _exit(sigprocmask(SIG_BLOCK, NULL, &mask) < 0 || sigismember(&mask, SIGTERM));
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  for (int i = 1; i <= 2; i++) { /* whoever pauses longer is not forgotten */
    kill(getpid(), SIGTERM);
    for (int tries = 0; paused < i && tries < 1000; tries++)
      ch_sleep(1000000);
    EXPECT(paused == i);
  }
  EXPECT(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && !sigismember(&mask, SIGTERM) && !sigismember(&mask, SIGUSR1));
}
