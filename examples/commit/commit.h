/* A two-phase commit (paper 002, section 5.2) among processes that talk over datagram sockets. */
#ifndef COMMIT_H
#define COMMIT_H

#include <stdbool.h>
#include <stdint.h>

enum kind { PROPOSAL = 1, YES, NO, COMMIT, ABORT, END };

struct message {
  enum kind kind;
  int operation;
};

/* Proposes the operation to n participants, on these sockets, and tells all of them the outcome: committed, if each
 * said yes within `timeout` ns. One `no`, or one that is silent, is enough to abort; then the others' votes are not
 * awaited. */
bool commit(const int *participants, int n, int operation, int64_t timeout);

#endif
