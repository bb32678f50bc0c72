/* A job runner: runs each line of standard input as a shell command, at most AT-A-TIME at once, and kills those that
 * take longer than SECONDS.
 *
 *   jobs AT-A-TIME SECONDS < commands
 *
 * When a job has ended, it prints a line: how the job ended, how long it took, and the command. SIGINT and SIGTERM stop
 * the runner: jobs that run are killed, and the others are not begun. The exit status is the number of jobs that did
 * not succeed, at most 99. */
#include <charcoal.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t limit; /* the time in ns that one job may take */
static int failed;

/* Each job is the leader of a process group, so that what it has started itself is killed with it. */
static pid_t start(const char *command) {
  pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  if (child > 0)
    setpgid(child, child); /* parent and child both do this, because nobody knows which comes first */
  return child;
}

static void tell(const char *how, int number, int64_t began, const char *command) {
  printf("%-6s %3d %6.2f s  %s\n", how, number, (double)(ch_now() - began) / 1e9, command);
  fflush(stdout);
}

static void run(const char *command) {
  int64_t began = ch_now();
  pid_t child = start(command), ended = 0;
  int status;
  if (child < 0) {
    failed++;
    return tell("fork", -1, began, command);
  }
  within(limit) do ended = waitpid(child, &status, 0);
  finish;
  if (ended != child) { /* the time is over, or the runner is being stopped; the child has not been waited for */
    kill(-child, SIGKILL);
    noncancellable waitpid(child, &status, 0);
  }
  failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  if (WIFEXITED(status))
    tell("exit", WEXITSTATUS(status), began, command);
  else
    tell("killed", WTERMSIG(status), began, command);
}

int main(int argc, char **argv) {
  if (argc != 3 || atoi(argv[1]) < 1 || atof(argv[2]) <= 0)
    return fprintf(stderr, "usage: jobs AT-A-TIME SECONDS < commands\n"), 100;
  ch_sem room = CH_SEM_INIT((unsigned long)atoi(argv[1]));
  limit = (int64_t)(atof(argv[2]) * 1e9);

  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, NULL);

  char *line = NULL;
  size_t size = 0;
all:
  do {
    async { /* waits for a signal, until the jobs have ended */
      int which;
      if (sigwait(&stop, &which) == 0)
        cancel all;
    }
    do {
      while (ch_sem_wait(&room) == 0 && getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *command = strdup(line);
        async(command) {
          run(command);
          free(command);
          ch_sem_post(&room);
        }
      }
    }
    finish;
    cancel all; /* the wait for a signal is no longer needed */
  }
  finish;
  free(line);
  return failed < 99 ? failed : 99;
}
