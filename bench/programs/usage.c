/* usage FILE PROGRAM ARGUMENT...: runs the program, and writes into the file its CPU time in microseconds and the most
 * bytes of memory that it had. The peak of a process includes what it had before exec, which is little here. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[2], argv + 2);
    _exit(127);
  }
  int status;
  struct rusage used;
  FILE *file = fopen(argv[1], "w");
  if (child < 0 || !file || wait4(child, &status, 0, &used) != child)
    return 2;
  const struct timeval user = used.ru_utime, system = used.ru_stime;
  fprintf(file, "%ld %ld\n", (user.tv_sec + system.tv_sec) * 1000000 + user.tv_usec + system.tv_usec,
          used.ru_maxrss * 1024);
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
