/* Leaves: calls in plain C whose last act is to wait (wait.h). */
#include "wait/parts.h"
#include <string.h>

/* A frame whose image is the clause, or a wait and its clauses. */
static struct ch_clause *clauses_of(const struct ch_leaf *leaf, struct ch_frame *f) {
  return (struct ch_clause *)(f->image + (leaf->n ? sizeof(struct ch_wait) : 0));
}
_Static_assert(offsetof(struct ch_frame, image) == CH_FRAME_HEADER, "CH_LEAF_FRAME leaves room for the header");

int ch_leaf_resume(struct ch_frame *frame) {
  const struct ch_leaf *leaf = (const struct ch_leaf *)frame->info;
  intptr_t selected = *(intptr_t *)ch_tls.result;
  *(intptr_t *)ch_tls.result =
      CH_UNLIKELY(selected < 0) ? leaf->cancelled : leaf->finish(clauses_of(leaf, frame), (unsigned)selected);
  ch_frame_give(frame);
  return CH_DONE;
}

/* The wait's result is the call's. */
int ch_operand_resume(struct ch_frame *frame) {
  ch_frame_give_sized(frame, CH_OPERAND_BYTES);
  return CH_DONE;
}

/* -EAGAIN: the branch blocks. */
static int begin_leaf(const struct ch_leaf *leaf, struct ch_wait *w, struct ch_clause *all) {
  if (!leaf->n)
    return ch_wait_enlisted(all) ? -EAGAIN : 0;
  ch_wait_enter(w, 0, NULL);
  ch_wait_add_all(w, all, leaf->n);
  return ch_wait_begin_any(w);
}

struct ch_int_result ch_wait_leaf(const struct ch_leaf *leaf, const struct ch_clause *clauses) {
  if (ch_is_marked())
    return ch_done(leaf->cancelled);
  struct ch_frame *f = ch_frame_take(&leaf->info);
  struct ch_clause *own = clauses_of(leaf, f);
  memcpy(own, clauses, leaf->info.size - (size_t)((char *)own - (char *)f));
  int ready = begin_leaf(leaf, (struct ch_wait *)f->image, own);
  if (ready >= 0) {
    intptr_t result = leaf->finish(own, (unsigned)ready);
    ch_frame_give(f);
    return ch_done(result);
  }
  return ch_leaf_blocks(f);
}

intptr_t ch_wait_leaf_native(const struct ch_leaf *leaf, struct ch_clause *clauses) {
  struct ch_wait w;
  if (ch_is_marked())
    return leaf->cancelled;
  intptr_t selected = begin_leaf(leaf, &w, clauses);
  if (selected == -EAGAIN)
    selected = ch_wait_native(leaf->n ? ch_wait_ready_by(&w) : clauses->type->by);
  return selected < 0 ? leaf->cancelled : leaf->finish(clauses, (unsigned)selected);
}
