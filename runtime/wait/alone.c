/* Waits for one clause that need no struct ch_wait: by a branch, or by a function that is called when it fires. */
#include "wait/parts.h"

void ch_wait_regardless(struct ch_clause *c, void (*then)(void *), void *argument) {
  bool waits = ch_wait_enlisted(c);
  if (then)
    then(argument);
  if (waits)
    ch_wait_native(c->type->by);
}

struct ch_int_result ch_wait_regardless_int(struct ch_clause *c) {
  return ch_wait_enlisted(c) ? ch_blocks() : ch_done(0);
}

int ch_wait_alone(struct ch_clause *c) {
  if (ch_is_marked())
    return -ECANCELED;
  return ch_wait_enlisted(c) ? (int)ch_wait_native(c->type->by) : 0;
}

/* ---- clauses of the runtime's own ---- */

void ch_clause_watched(struct ch_clause *c, void (*then)(struct ch_clause *)) {
  c->then = then;
  c->index = CH_CALLBACK;
  c->state = CH_IS_LISTED;
  ch_count_in(NULL, c);
}

void ch_clause_watch(struct ch_clause *c, void (*then)(struct ch_clause *)) {
  c->then = then;
  c->index = CH_CALLBACK;
  c->state = CH_IS_LISTED;
  if (c->type->enlist(c) != CH_CLAUSE_LISTED)
    then(c);
  else
    ch_count_in(NULL, c);
}

void ch_clause_unwatch(struct ch_clause *c) {
  ch_take_back(c);
  ch_count_out(NULL, c);
}
