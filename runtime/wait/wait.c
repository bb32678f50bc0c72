#include "wait/wait.h"
#include <string.h>

static inline struct ch_clause *array_of(struct ch_clause *c) { return c - c->index; }

static void count_outside(struct ch_clause *c, int by) {
  struct ch_group *g = c->index == CH_CALLBACK ? &ch_domain.base : ch_group_of(c->branch);
  if (c->type->outside)
    g->outside += (uint64_t)(int64_t)by;
}

/* Registers the clauses in order. Returns the index of the first that was ready, with those before it withdrawn; or -1.
 */
static int enlist_all(struct ch_clause *clauses, unsigned n) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && b->state == CH_RUNNING, "only the running branch can block");
  for (unsigned i = 0; i < n; i++) {
    struct ch_clause *c = &clauses[i];
    c->branch = b;
    c->index = (uint16_t)i;
    c->count = (uint16_t)n;
    if (c->type->enlist(c)) {
      for (unsigned k = i; k-- > 0;) {
        clauses[k].type->withdraw(&clauses[k]);
        count_outside(&clauses[k], -1);
      }
      return (int)i;
    }
    count_outside(c, +1);
  }
  b->state = CH_SELECTING;
  b->link.prev = (struct ch_link *)clauses;
  ch_wait_check(clauses, n);
  return -1;
}

void ch_clause_fired(struct ch_clause *c, int64_t value) {
  c->value = value;
  count_outside(c, -1);
  if (c->index == CH_CALLBACK) {
    c->then(c);
    return;
  }
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING, "who has registered clauses selects");
  struct ch_clause *all = array_of(c);
  for (unsigned i = 0; i < c->count; i++)
    if (i != c->index) {
      all[i].type->withdraw(&all[i]);
      count_outside(&all[i], -1);
    }
  ch_ready(b, c->index);
}

void ch_clause_fired_first(struct ch_clause *c, int64_t value) {
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING && c->count == 1, "it is the only clause of a wait");
  c->value = value;
  count_outside(c, -1);
  b->state = CH_READY;
  b->link.prev = NULL;
  ch_ready_first(b);
}

static bool any_outside(const struct ch_clause *clauses, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (clauses[i].type->outside)
      return true;
  return false;
}

int ch_wait_regardless(struct ch_clause *clauses, unsigned n, void (*then)(void *), void *argument) {
  int ready = enlist_all(clauses, n);
  if (then)
    then(argument);
  return ready >= 0 ? ready : (int)ch_wait_native(any_outside(clauses, n));
}

struct ch_int_result ch_wait_regardless_int(struct ch_clause *clauses, unsigned n) {
  int ready = enlist_all(clauses, n);
  return ready >= 0 ? (struct ch_int_result){CH_DONE, ready} : ch_blocks();
}

int ch_wait(struct ch_clause *clauses, unsigned n) {
  return ch_is_marked() ? -ECANCELED : ch_wait_regardless(clauses, n, NULL, NULL);
}

struct ch_int_result ch_wait_int(struct ch_clause *clauses, unsigned n) {
  return ch_is_marked() ? (struct ch_int_result){CH_DONE, -ECANCELED} : ch_wait_regardless_int(clauses, n);
}

/* ---- cancel, and async calls that become branches ---- */

/* Withdraws all clauses, unless one of them will have to fire. */
static bool withdraw_all(struct ch_clause *all, unsigned n) {
  bool lingers = false;
  for (unsigned i = 0; i < n; i++)
    if (all[i].type->cancel)
      lingers |= !all[i].type->cancel(&all[i]);
  if (lingers)
    return false;
  for (unsigned i = 0; i < n; i++) {
    all[i].type->withdraw(&all[i]);
    count_outside(&all[i], -1);
  }
  return true;
}

void ch_wait_cancel(struct ch_branch *b) {
  if (b->state == CH_WAITING && b->what < CH_ON_FINISH) {
    struct ch_link *list = ch_link_prev(&b->link);
    ch_list_remove(&b->link);
    if (b->what == CH_ON_SEMAPHORE && ch_list_empty(list))
      ch_sem_left(list);
    ch_ready(b, ECANCELED);
  } else if (b->state == CH_SELECTING) {
    struct ch_clause *all = (struct ch_clause *)b->link.prev;
    if (withdraw_all(all, all->count))
      ch_ready(b, -ECANCELED);
  }
}

void ch_clauses_move(struct ch_branch *from, struct ch_branch *to) {
  struct ch_clause *all = (struct ch_clause *)from->link.prev;
  for (unsigned i = 0, n = all->count; i < n; i++)
    all[i].branch = to;
}

/* ---- leaves ---- */

/* A frame whose image is the clauses. */
static struct ch_clause *clauses_of(struct ch_frame *f) { return (struct ch_clause *)f->image; }
_Static_assert(offsetof(struct ch_frame, image) == CH_FRAME_HEADER, "CH_LEAF_FRAME leaves room for the header");

int ch_leaf_resume(struct ch_frame *frame) {
  const struct ch_leaf *leaf = (const struct ch_leaf *)frame->info;
  intptr_t selected = *(intptr_t *)ch_tls.result;
  *(intptr_t *)ch_tls.result =
      CH_UNLIKELY(selected < 0) ? leaf->cancelled : leaf->finish(clauses_of(frame), (unsigned)selected);
  ch_frame_free(frame);
  return CH_DONE;
}

struct ch_int_result ch_wait_leaf(const struct ch_leaf *leaf, const struct ch_clause *clauses, unsigned n) {
  if (ch_is_marked())
    return (struct ch_int_result){CH_DONE, leaf->cancelled};
  struct ch_frame *f = ch_frame_new(&leaf->info);
  struct ch_clause *own = clauses_of(f);
  memcpy(own, clauses, n * sizeof *own);
  int ready = enlist_all(own, n);
  if (ready >= 0) {
    intptr_t result = leaf->finish(own, (unsigned)ready);
    ch_frame_free(f);
    return (struct ch_int_result){CH_DONE, result};
  }
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (struct ch_int_result){CH_BLOCKED, 0};
}

intptr_t ch_wait_leaf_native(const struct ch_leaf *leaf, struct ch_clause *clauses, unsigned n) {
  int selected = ch_wait(clauses, n);
  return selected < 0 ? leaf->cancelled : leaf->finish(clauses, (unsigned)selected);
}

/* ---- clauses of the runtime's own ---- */

void ch_clause_watch(struct ch_clause *c, void (*then)(struct ch_clause *)) {
  c->then = then;
  c->index = CH_CALLBACK;
  c->count = 1;
  if (c->type->enlist(c))
    then(c);
  else
    count_outside(c, +1);
}

void ch_clause_unwatch(struct ch_clause *c) {
  c->type->withdraw(c);
  count_outside(c, -1);
}

#ifdef CHARCOAL_CHECKED
void ch_wait_check(struct ch_clause *clauses, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    CH_INVARIANT(clauses[i].index == i && clauses[i].count == n, "a clause knows its place in the array");
    CH_INVARIANT(clauses[i].branch == clauses[0].branch, "all clauses of a wait are of one branch");
  }
}
#endif
