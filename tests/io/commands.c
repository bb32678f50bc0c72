/* Tests system() beside other activities: its status is its own, whoever waits for any child meanwhile, and signals are
 * as POSIX says. */
#include "harness.h"
#include <fcntl.h>
#include <signal.h>

static int runs;
static void others_run(void) {
  alarm(100);
  activate { for (;; runs++) usleep(500); }
  usleep(1000);
}

static volatile int signals;
#if !__has_feature(address_sanitizer) /* which has a waitpid and a waitid of its own */
static volatile int taken;
static void takes_any_child(int signal) {
  int saved = errno;
  signals++;
  while (waitpid(-1, NULL, WNOHANG) > 0) taken++;
  errno = saved;
}
TEST(a_handler_that_waits_for_any_child_leaves_the_status_to_system) {
  others_run();
  signal(SIGCHLD, takes_any_child);
  for (int i = 0; i < 20; i++) EXPECT(system("exit 3") == 3 << 8);
  EXPECT(signals > 0 && taken == 0);
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (child == 0) _exit(1);
    EXPECT(system("sleep 0.01; exit 4") == 4 << 8);
    while (taken <= i) usleep(1000); /* and the handler still takes the others */
  }
}

TEST(a_wait_for_any_child_in_another_activity_leaves_it_to_system) {
  others_run();
  int status = 0, none[3] = {0};
  do {
    async status = system("sleep 0.05; exit 5");
    async none[0] = wait(NULL) == -1 && errno == ECHILD;
    async none[1] = wait3(NULL, 0, NULL) == -1 && errno == ECHILD;
    async none[2] = waitpid(0, NULL, 0) == -1 && errno == ECHILD;
  }
  finish;
  EXPECT(status == 5 << 8 && none[0] && none[1] && none[2]);
}

static volatile int found;
static void looks_and_takes(int signal) {
  siginfo_t info = {0};
  int saved = errno;
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
    found++;
    EXPECT(waitid(P_PGID, getpgrp(), &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0);
  }
  signals++, errno = saved;
}
TEST(waitid_leaves_a_command_to_system) {
  others_run();
  signal(SIGCHLD, looks_and_takes);
  EXPECT(system("exit 3") == 3 << 8 && system("exit 255") == 255 << 8);
  int status = system("kill -KILL $$");
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT(signals > 0 && found == 0);
  pid_t child = fork();
  if (child == 0) _exit(1);
  EXPECT(system("sleep 0.01; exit 4") == 4 << 8);
  while (found == 0) usleep(1000); /* and the handler still takes the others */
}

TEST(waitid_in_another_activity_leaves_a_command_to_system) {
  others_run();
  int status = 0, none = 0, looked = 0;
  do {
    async status = system("sleep 0.05; exit 5");
    async none = waitid(P_ALL, 0, NULL, WEXITED) == -1 && errno == ECHILD;
    async looked = waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT) == -1 && errno == ECHILD;
  }
  finish;
  EXPECT(status == 5 << 8 && none && looked);
}
#endif

TEST(a_command_has_the_signal_mask_of_its_caller) {
  others_run();
  int status = system("kill -TERM $$; exit 6");
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  sigset_t term;
  sigemptyset(&term), sigaddset(&term, SIGTERM);
  EXPECT(sigprocmask(SIG_BLOCK, &term, NULL) == 0);
  EXPECT(system("kill -TERM $$; exit 6") == 6 << 8);
}

static void counts(int signal) { signals++; }
static int is_ignored(int signal) {
  struct sigaction is;
  EXPECT(sigaction(signal, NULL, &is) == 0);
  return is.sa_handler == SIG_IGN;
}
TEST(interrupt_and_quit_are_ignored_while_a_command_runs) {
  others_run();
  signal(SIGINT, counts);
  int first = 0, second = 0, ended = 0;
  do {
    async { first = system("sleep 0.02; kill -INT $PPID; kill -QUIT $PPID; exit 7"); ended++; }
    async { second = system("sleep 0.06; kill -INT $$; exit 8"); ended++; }
    while (ended < 2) {
      if (ended == 1) EXPECT(is_ignored(SIGINT) && is_ignored(SIGQUIT));
      usleep(1000);
    }
  }
  finish;
  EXPECT(first == 7 << 8 && WIFSIGNALED(second) && WTERMSIG(second) == SIGINT && signals == 0);
  EXPECT(!is_ignored(SIGINT) && !is_ignored(SIGQUIT));
  raise(SIGINT);
  EXPECT(signals == 1);
}

TEST(a_cancel_waits_until_the_command_has_ended) {
  others_run();
  int status = 0, second = 0, before = runs;
  while (runs == before) { /* on a busy machine a command may end before anybody else can run */
    within (60 * 1000 * 1000) do status = system("sleep 0.05; exit 9");
    finish;
    EXPECT(status == 9 << 8);
  }
  do {
    cancel;
    second = system("exit 1");
    EXPECT(second == -1 && errno == ECANCELED);
  }
  finish;
}

static int in[2], out[2], right;
static void runs_until_the_input_ends(void) { right += system("echo x; read y; exit 3") == 3 << 8; }
TEST(as_many_commands_as_the_system_allows_run_at_a_time) {
  enum { COMMANDS = 300 };
  static ch_activity all[COMMANDS];
  char c;
  others_run();
  EXPECT(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  int before = dup(1);
  EXPECT(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
  for (int i = 0; i < COMMANDS; i++) activate [&all[i]] runs_until_the_input_ends();
  for (int i = 0; i < 2 * COMMANDS; i++) EXPECT(read(out[0], &c, 1) == 1);
  EXPECT(right == 0 && close(in[1]) == 0);
  for (int i = 0; i < COMMANDS; i++) ch_activity_wait(&all[i]);
  EXPECT(right == COMMANDS && dup2(before, 1) == 1);
  exit(0);
}

TEST(results_are_those_of_the_plain_call) {
  others_run();
  EXPECT(system(NULL) != 0);
  EXPECT(system("no-such-command 2> /dev/null") == 127 << 8);
  signal(SIGCHLD, SIG_IGN);
  EXPECT(system("exit 2") == -1 && errno == ECHILD);
}
