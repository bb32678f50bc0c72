/* Ends as its argument says while two activities wait: by `return`, or by `exit` in another activity. With "none" it
 * has cancelled them, and waited for them, before. */
#include <charcoal.h>
#include <stdlib.h>
#include <string.h>

static void refresh(void) { ch_sleep(CH_FOREVER); }

int main(int argc, char **argv) {
  static ch_activity two[2], ends;
  if (argc < 2)
    return 1;
  for (int i = 0; i < 2; i++)
    activate [&two[i]] refresh(); // left
  ch_reschedule();
  if (strcmp(argv[1], "exit") == 0) {
    activate [&ends] exit(0);
    ch_activity_wait(&ends);
  }
  for (int i = 0; strcmp(argv[1], "none") == 0 && i < 2; i++) {
    ch_activity_cancel(&two[i]);
    ch_activity_wait(&two[i]);
  }
}
