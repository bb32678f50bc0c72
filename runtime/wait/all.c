/* Waits in which each clause completes by itself, for statements with `and`. condition.c decides when enough have. */
#include "sched/open_blocks.h"
#include "wait/parts.h"

/* ---- the clauses that are complete ----
 *
 * They are a pairing heap by index, so that the waiter finds the first of them without asking the others. The links of
 * the clauses, which are on no list any more, make the heap: `next` leads to the first child, `prev` to the next
 * sibling. */

static struct ch_clause *of_link(struct ch_link *l) { return (struct ch_clause *)l; }

static struct ch_clause *join(struct ch_clause *a, struct ch_clause *b) {
  if (b->index < a->index) {
    struct ch_clause *lower = b;
    b = a;
    a = lower;
  }
  b->link.prev = a->link.next;
  a->link.next = &b->link;
  return a;
}

static void add_complete(struct ch_wait *w, struct ch_clause *c) {
  c->link = (struct ch_link){NULL, NULL};
  w->complete = w->complete ? join(w->complete, c) : c;
}

/* Joins the children two by two, and then the pairs. */
static struct ch_clause *take_first_complete(struct ch_wait *w) {
  struct ch_clause *first = w->complete, *pairs = NULL, *heap = NULL;
  for (struct ch_clause *c = of_link(first->link.next); c;) {
    struct ch_clause *pair = c, *second = of_link(c->link.prev);
    c = second ? of_link(second->link.prev) : NULL;
    if (second)
      pair = join(pair, second);
    pair->link.prev = (struct ch_link *)pairs;
    pairs = pair;
  }
  while (pairs) {
    struct ch_clause *pair = pairs;
    pairs = of_link(pairs->link.prev);
    heap = heap ? join(heap, pair) : pair;
  }
  w->complete = heap;
  return first;
}

void ch_all_completed(struct ch_wait *w, struct ch_clause *c) {
  ch_count_out(w->owner, c);
  w->all.open--;
  add_complete(w, c);
}

void ch_all_arrived(struct ch_wait *w, struct ch_clause *c) {
  struct ch_clause *top = ch_atomic_load(&w->arrived);
  do
    c->link.next = (struct ch_link *)top;
  while (!ch_atomic_change(&w->arrived, &top, c));
}
void ch_all_take_arrived(struct ch_wait *w) {
  if (!w->exposed || !ch_atomic_load(&w->arrived))
    return;
  struct ch_clause *c = ch_atomic_exchange(&w->arrived, NULL);
  while (c) {
    struct ch_clause *next = of_link(c->link.next);
    ch_all_completed(w, c);
    c = next;
  }
}

/* ---- bodies ----
 *
 * While the body of a clause runs, others may be on lists, or may have taken a lock for their bodies. So the body is a
 * block that a jump must not just leave. */

static void take_back(void *block) {
  struct ch_wait *w = block;
  ch_wait_leave(w);
  w->complete = NULL; /* should the jump lead to another body of the statement, no further body runs */
}
static const struct ch_block_kind body_kind = {
    .what = "the body of a 'waituntil' with 'and'",
    .remedy = "leave the body by 'break', 'goto' or 'return', because only a jump of interruptible code to an "
              "interruptible function withdraws the other clauses",
    .take_back = take_back};

static void body_begins(struct ch_wait *w) {
  if (w->all.open > 0 || w->complete)
    w->all.block = ch_block_open(w, &body_kind, w->site);
}
static void body_has_ended(struct ch_wait *w) {
  if (!w->all.block)
    return;
  ch_block_close(w, w->all.block);
  w->all.block = 0;
}

/* ---- one after the other ---- */

/* The first clause that is complete and has not been returned yet; or -EAGAIN. */
static int tell(struct ch_wait *w) {
  ch_all_take_arrived(w);
  if (!w->complete)
    return -EAGAIN;
  struct ch_clause *c = take_first_complete(w);
  ch_clause_await_effect(c);
  c->state = CH_IS_TOLD;
  body_begins(w);
  return c->index;
}

void ch_wait_close(struct ch_wait *w) {
  if (w->phase > CH_WAIT_ENLISTED || !(w->flags & CH_WAIT_AND))
    return;
  if (w->phase == CH_WAIT_NEW)
    w->arrived = NULL;
  w->phase = CH_WAIT_CLOSED;
  for (struct ch_clause *c = w->first; c; c = c->next)
    if (ch_clause_state(c) == CH_IS_LISTED)
      (void)ch_withdraw(w, c);
  /* After this loop no other domain uses a clause or the letter, which lies in the inbox if it was posted. */
  for (struct ch_clause *c = w->first; c; c = c->next)
    ch_clause_await_effect(c);
  if (ch_atomic_load(&w->posted))
    ch_inbox_recall(ch_wait_letter(w));
  ch_all_take_arrived(w);
  w->all.open = 0;
}

/* Gives back what was taken for the length of a body that will not run any more. */
void ch_wait_leave(struct ch_wait *w) {
  if (!(w->flags & CH_WAIT_AND))
    return; /* the waiter's code runs, so the wait has not begun, or nothing is enlisted any more */
  body_has_ended(w);
  ch_wait_close(w);
  for (struct ch_clause *c = w->first; c; c = c->next)
    if (ch_clause_state(c) == CH_IS_HAD && c->type->leave)
      c->type->leave(c);
}

/* -EAGAIN: the branch is registered, and blocks. */
static int go_on(struct ch_wait *w) {
  for (;;) {
    int result = tell(w);
    if (result != -EAGAIN)
      return result;
    if (w->phase == CH_WAIT_CANCELLED)
      return -ECANCELED;
    if (w->all.open == 0) {
      ch_wait_close(w);
      return -ENOENT;
    }
    if (!ch_is_marked())
      break;
    ch_wait_close(w);
    w->phase = CH_WAIT_CANCELLED;
  }
  ch_wait_block(w);
  return -EAGAIN;
}

int ch_wait_begin(struct ch_wait *w) {
  if (w->phase == CH_WAIT_NEW) {
    int result = ch_wait_start(w);
    if (result)
      return result;
    w->phase = CH_WAIT_ENLISTING;
    w->arrived = NULL;
  }
  if (w->phase >= CH_WAIT_ENLISTED)
    return -ENOENT;
  struct ch_clause *c = w->begun ? w->begun->next : w->first;
  for (; c; c = c->next) {
    w->begun = c;
    int how = ch_enlist(w, c);
    w->all.open += how == CH_CLAUSE_LISTED;
    if (how == CH_CLAUSE_READY) {
      add_complete(w, c);
      return c->index;
    }
  }
  w->begun = w->first;
  w->phase = CH_WAIT_ENLISTED;
  return -ENOENT;
}

static int begin_next(struct ch_wait *w) {
  body_has_ended(w);
  while (w->phase < CH_WAIT_ENLISTED) {
    int result = ch_wait_begin(w);
    if (result < 0 && result != -ENOENT)
      return result;
    if (!w->first)
      break;
  }
  return go_on(w);
}

int ch_wait_next(struct ch_wait *w) {
  int result = begin_next(w);
  while (result == -EAGAIN) {
    ch_wait_native(ch_wait_ready_by(w));
    result = go_on(w);
  }
  return result;
}

/* A frame whose image is the address of the wait. */
static int go_on_later(struct ch_frame *f) {
  int result = go_on(*(struct ch_wait **)f->image);
  if (result == -EAGAIN) {
    *ch_tls.link = f;
    ch_tls.link = &f->parent;
    return CH_BLOCKED;
  }
  *(intptr_t *)ch_tls.result = result;
  ch_frame_free(f);
  return CH_DONE;
}
static const struct ch_frame_info next_info = {
    .resume = go_on_later, .name = "ch_wait_next", .size = CH_FRAME_HEADER + sizeof(void *), .align = 16};

struct ch_int_result ch_wait_next_int(struct ch_wait *w) {
  int result = begin_next(w);
  if (result != -EAGAIN)
    return ch_done(result);
  struct ch_frame *f = ch_frame_new(&next_info);
  *(struct ch_wait **)f->image = w;
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (struct ch_int_result){CH_BLOCKED, 0};
}
