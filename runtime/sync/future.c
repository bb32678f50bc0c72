/* Futures (charcoal/future.h).
 *
 * Invariant, while the object is not entered: nobody waits for a future that is set. */
#include "charcoal/future.h"
#include "sync/object.h"
#include "sync/plain.h"

static void enter(struct ch_future *f) { ch_object_enter(&f->object, "future"); }
static void leave(struct ch_future *f) { ch_object_leave(&f->object); }
_Static_assert(sizeof(struct ch_future) == 5 * sizeof(void *), "future(T) leaves room for it and the value");

void ch_future_make(struct ch_future *f, int shared) { *f = (struct ch_future){.object.shared = shared != 0}; }

static int copy(const struct ch_future *f, void *to, size_t size) {
  if (!f->error && to)
    ch_object_copy(to, f->value, size);
  return f->error;
}

int ch_future_put(struct ch_future *f, const void *value, size_t size, int error) {
  if (!value && !error)
    return EINVAL; /* a future that is set needs a value or an error */
  enter(f);
  if (f->is_set) {
    leave(f);
    return EALREADY;
  }
  f->is_set = 1;
  f->error = error;
  if (value)
    ch_object_copy(f->value, value, size);
  struct ch_claimed_list woken = {0};
  struct ch_clause *c;
  while ((c = ch_list_first(&f->readers)))
    if (ch_claim(c)) {
      struct ch_future_get__clause *reader = (struct ch_future_get__clause *)c;
      c->value = copy(f, reader->to, reader->size);
      ch_claimed_add(&woken, c);
    }
  leave(f);
  ch_wake_all(&woken);
  return 0;
}

int ch_future_clear(struct ch_future *f) {
  enter(f);
  int result = ch_list_is_awaited(&f->readers) ? EBUSY : 0;
  if (!result)
    f->is_set = 0;
  leave(f);
  return result;
}

int ch_future_done(struct ch_future *f) {
  enter(f);
  int is = f->is_set != 0;
  leave(f);
  return is;
}

/* ---- reading: see sync/plain.h ---- */

static int get(struct ch_future *f, struct ch_clause *own, void *to, size_t size) {
  enter(f);
  if (!f->is_set)
    return CH_OP_WAITS;
  int result = !own || ch_claim_own(own) ? copy(f, to, size) : CH_OP_DECIDED;
  leave(f);
  return result;
}

static int enlist(struct ch_clause *c) {
  struct ch_future_get__clause *reader = (struct ch_future_get__clause *)c;
  struct ch_future *f = c->object;
  return ch_op_enlist(c, get(f, c, reader->to, reader->size), false, &f->readers);
}
static bool at_once(struct ch_clause *c) {
  struct ch_future_get__clause *reader = (struct ch_future_get__clause *)c;
  return ch_op_at_once(c, get(c->object, NULL, reader->to, reader->size));
}
static bool is_ready(const struct ch_clause *c) { return ch_future_done(c->object); }

static const struct ch_clause_type types[2] = CH_OP_TYPES("future", enlist, .ready = is_ready, .at_once = at_once);

void ch_future_get__clause(struct ch_future_get__clause *c, struct ch_future *f, void *to, size_t size) {
  c->clause = (struct ch_clause){.type = &types[f->object.shared], .object = f};
  c->to = to;
  c->size = size;
}

static const struct ch_leaf leaves[2] = CH_FORM_LEAVES("ch_get", struct ch_future_get__clause);

static int get_at_once(struct ch_future *f, void *to, size_t size) {
  if (ch_is_marked())
    return ECANCELED;
  int result = get(f, NULL, to, size);
  if (result == CH_OP_WAITS)
    leave(f);
  return result;
}

struct ch_int_result ch_future_get_int(struct ch_future *, void *, size_t) CH_INT_NAME(ch_future_get);
struct ch_int_result ch_future_get_int(struct ch_future *f, void *to, size_t size) {
  struct ch_future_get__clause c;
  int result = get_at_once(f, to, size);
  if (result != CH_OP_WAITS)
    return ch_done(result);
  ch_future_get__clause(&c, f, to, size);
  return ch_form_wait_int(leaves, &c.clause);
}
int ch_future_get(struct ch_future *f, void *to, size_t size) {
  struct ch_future_get__clause c;
  int result = get_at_once(f, to, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_future_get__clause(&c, f, to, size);
  return (int)ch_form_wait(leaves, &c.clause);
}
