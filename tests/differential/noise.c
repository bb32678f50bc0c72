/* Linked to a program whose `main` was renamed to `program_main`: runs it as one activity beside another that
 * overwrites the native stack below whenever the program is set aside. Without this, a value that a suspended call
 * forgot to save could still happen to be intact on the stack. */
#include <charcoal.h>
#include <string.h>

int program_main(int argc, char **argv, char **envp);

__attribute__((noinline)) static void scribble(int depth) {
  volatile unsigned char waste[6000];
  memset((void *)waste, 0xa5, sizeof waste);
  if (depth > 0)
    scribble(depth - 1);
  waste[depth] = 0;
}

int main(int argc, char **argv, char **envp) {
  int status = 0;
  ch_activity program = {0};
  activate [&program] { status = program_main(argc, argv, envp); }
  while (!ch_activity_finished(&program)) {
    atomic scribble(3);
    ch_reschedule();
  }
  return status;
}
