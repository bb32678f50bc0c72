/* poll: a wait over as many descriptors as it names, and a timer. */
#include "posix/twins/twins.h"
#include "wait/select.h"
#include <stdlib.h>

CH_TWIN(poll) int ch_posix_poll(struct pollfd *all, nfds_t n, int timeout) {
  int64_t deadline = timeout < 0 ? CH_FOREVER : ch_now() + timeout * INT64_C(1000000);
  for (;;) {
    int ready = ch_attempt_poll(all, n), selected;
    if (ready != 0 || timeout == 0)
      return ready;
    struct ch_clause *clauses = ch_poll_clauses(all, n, deadline);
    if (!clauses)
      return errno = ENOMEM, -1;
    selected = ch_wait(clauses, (unsigned)n + 1);
    free(clauses);
    if (selected == (int)n)
      return ch_attempt_poll(all, n);
  }
}
