/* Linked to a program whose `main` was renamed to `program_main`: runs it as one activity beside another that
 * overwrites the native stack below whenever the program is set aside (scribble.h). */
#include "scribble.h"
#include <charcoal.h>

int program_main(int argc, char **argv, char **envp);

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
