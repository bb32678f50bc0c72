/* For tests in virtual time, where the order of events and the time between them are known. */
#ifndef SIMULATED_H
#define SIMULATED_H

#include "harness.h"

__attribute__((constructor)) static void simulate(void) {
  tests_simulated = 1;
  setenv("CHARCOAL_SLICE_US", "1000000000", 1); /* the order of events is the tests' */
}

static int64_t begin __attribute__((unused));
#define STARTS begin = ch_now();
#define AFTER(ns) EXPECT(ch_now() - begin == (ns))

/* Notes the text, with a sign behind it for how a wait ended: none, cancelled !, timed out ?, otherwise #. */
static inline void says(const char *text, int result) {
  char line[40];
  snprintf(line, sizeof line, "%s%s", text,
           result == 0           ? ""
           : result == ECANCELED ? "!"
           : result == ETIMEDOUT ? "?"
                                 : "#");
  note(line);
}

#endif
