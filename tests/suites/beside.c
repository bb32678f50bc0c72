/* Linked to somebody else's program: starts an activity that overwrites the native stack below `main` whenever `main`
 * is set aside, and then sleeps a little. With it each wait of the program goes through the run queue and the reactor.
 * A program that runs alone may wait in the kernel instead, and resumes on a stack that nobody has touched. */
#include "../differential/scribble.h"
#include <charcoal.h>

__attribute__((constructor)) static void run_beside_main(void) {
  activate {
    for (;;) {
      for (int i = 0; i < 100; i++) {
        atomic scribble(3);
        ch_reschedule();
      }
      ch_sleep(50000);
    }
  }
}
