#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "wait/select.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ch_reactor *ch_reactor = &ch_reactor_epoll;

void ch_reactor_choose(void) {
  const struct ch_reactor *all[] = {&ch_reactor_epoll, &ch_reactor_simulated};
  const char *name = getenv("CHARCOAL_REACTOR");
  if (!name)
    return;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(name, all[i]->name) == 0) {
      ch_reactor = all[i];
      return;
    }
  fprintf(stderr, "charcoal: CHARCOAL_REACTOR=%s: unknown; use epoll or simulated\n", name);
  exit(CH_EXIT_MISUSE);
}

/* ---- the fd clause ---- */

static bool enlist(struct ch_clause *c) { return ch_reactor->enlist(c); }
static void withdraw(struct ch_clause *c) { ch_reactor->withdraw(c); }
const struct ch_clause_type ch_fd_clause_type = {"descriptor", true, enlist, withdraw};

static intptr_t events(struct ch_clause *all, unsigned selected) { return selected == 0 ? (intptr_t)all[0].value : 0; }
static const struct ch_leaf fd_leaf = CH_LEAF("ch_fd_wait", 1, events);
static const struct ch_leaf fd_timed_leaf = CH_LEAF("ch_fd_wait", 2, events);

struct ch_int_result ch_fd_wait_int(int fd, int wanted, int64_t timeout) CH_INT_NAME(ch_fd_wait);
struct ch_int_result ch_fd_wait_int(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_domain.current))
    return (struct ch_int_result){CH_DONE, -EPERM};
  struct ch_clause c[2] = {ch_fd_clause(fd, wanted)};
  if (timeout == CH_FOREVER)
    return ch_wait_leaf(&fd_leaf, c, 1);
  c[1] = ch_timer_clause(timeout < 0 ? 0 : timeout);
  return ch_wait_leaf(&fd_timed_leaf, c, 2);
}

int ch_fd_wait(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_domain.current))
    return -EPERM;
  struct ch_clause c[2] = {ch_fd_clause(fd, wanted)};
  if (timeout == CH_FOREVER)
    return (int)ch_wait_leaf_native(&fd_leaf, c, 1);
  c[1] = ch_timer_clause(timeout < 0 ? 0 : timeout);
  return (int)ch_wait_leaf_native(&fd_timed_leaf, c, 2);
}

struct ch_clause *ch_poll_clauses(const struct pollfd *all, nfds_t n, int64_t deadline) {
  if (n >= CH_CALLBACK)
    return NULL;
  struct ch_clause *clauses = malloc((n + 1) * sizeof *clauses);
  if (!clauses)
    return NULL;
  for (nfds_t i = 0; i < n; i++)
    clauses[i] = all[i].fd < 0 ? ch_never_clause() : ch_fd_clause(all[i].fd, all[i].events);
  clauses[n] = ch_deadline_clause(deadline);
  return clauses;
}

void ch_fd_closing(int fd) { ch_reactor->closing(fd); }
