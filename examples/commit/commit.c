/* See commit.h. The initiator's whole part is one function. */
#include "commit.h"

#include <charcoal.h>
#include <unistd.h>

/* Whether the participant says yes. Votes on earlier operations, which came too late, are passed over. */
static bool ask(int participant, int operation) {
  struct message m = {PROPOSAL, operation};
  if (write(participant, &m, sizeof m) != sizeof m)
    return false;
  do {
    if (read(participant, &m, sizeof m) != sizeof m)
      return false; /* the read has failed, or was cancelled */
  } while (m.operation != operation);
  return m.kind == YES;
}

bool commit(const int *participants, int n, int operation, int64_t timeout) {
  int yes = 0;
  within(timeout) do {
    for (int i = 0; i < n; i++) {
      async {
        bool agreed = ask(participants[i], operation);
        yes += agreed;
        if (!agreed)
          cancel;
      }
    }
  }
  finish;
  struct message outcome = {yes == n ? COMMIT : ABORT, operation};
  do {
    for (int i = 0; i < n; i++)
      async write(participants[i], &outcome, sizeof outcome);
  }
  finish;
  return yes == n;
}
