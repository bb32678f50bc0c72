/* fork, vfork, wait, pipes, exec, popen: parent and child are both compiled code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static int n;
NI static int t(int x) {
  n += x;
  return x;
}
NI static int child(int d) { return d ? child(d - 1) + t(1) : t(3); }
NI static int forked(int k) {
  fflush(stdout);
  pid_t p = fork();
  if (p == 0)
    exit(child(k));
  int st;
  waitpid(p, &st, 0);
  return WEXITSTATUS(st) + t(1) * 100;
}
NI static int in_depth(int d) {
  if (d)
    return in_depth(d - 1) + t(0);
  int fd[2];
  if (pipe(fd))
    return -1;
  fflush(stdout);
  if (fork() == 0) {
    char m[20];
    int k = snprintf(m, sizeof m, "child %d", child(4));
    if (write(fd[1], m, (size_t)k + 1) < 0)
      t(1);
    _exit(0);
  }
  char b[20] = "";
  if (read(fd[0], b, sizeof b) < 0)
    t(1);
  int st;
  wait(&st);
  printf("%s\n", b);
  close(fd[0]);
  close(fd[1]);
  return (int)strlen(b);
}
NI static int vforked(void) {
  fflush(stdout);
  pid_t p = vfork();
  if (p == 0) {
    execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
    _exit(1);
  }
  int st;
  waitpid(p, &st, 0);
  t(2);
  return WEXITSTATUS(st);
}
NI static int opened(void) {
  FILE *f = popen("echo 12 34", "r");
  int a = 0, b = 0;
  if (fscanf(f, "%d %d", &a, &b) != 2)
    t(1000);
  int st = pclose(f);
  return a + b * t(1) + st;
}
int main(void) {
  printf("%d %d\n", forked(3), forked(9));
  int d = in_depth(5);
  printf("%d\n", d);
  int v = vforked();
  printf("%d %d %d\n", v, opened(), n);
  return system("exit 4") / 256;
}
