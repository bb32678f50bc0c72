/* Watched values (charcoal/watch.h).
 *
 * Invariant, while the object is not entered: who waits has seen the latest value, and it is not closed. */
#include "charcoal/watch.h"
#include "sync/object.h"
#include "sync/plain.h"

static void enter(struct ch_watched *w) { ch_object_enter(&w->object, "watched value"); }
static void leave(struct ch_watched *w) { ch_object_leave(&w->object); }
static int end(struct ch_watched *w, int result) {
  leave(w);
  return result;
}
_Static_assert(sizeof(struct ch_watched) == 6 * sizeof(void *), "watch(T) leaves room for it and the value");

void ch_watched_make(struct ch_watched *w, int shared) { *w = (struct ch_watched){.object.shared = shared != 0}; }

static void see(const struct ch_watched *w, uint64_t *seen, void *to, size_t size) {
  *seen = w->version;
  ch_object_copy(to, w->value, size);
}

/* All who wait are told: that it has another value, or else that it is closed. */
static void tell_all(struct ch_watched *w, struct ch_claimed_list *woken) {
  struct ch_clause *c;
  while ((c = ch_list_first(&w->watchers)))
    if (ch_claim(c)) {
      struct ch_watched_next__clause *watcher = (struct ch_watched_next__clause *)c;
      c->value = w->closed ? EPIPE : 0;
      if (!w->closed)
        see(w, watcher->seen, watcher->to, watcher->size);
      ch_claimed_add(woken, c);
    }
}

int ch_watched_put(struct ch_watched *w, const void *value, size_t size) {
  struct ch_claimed_list woken = {0};
  enter(w);
  if (w->closed)
    return end(w, EPIPE);
  w->version++;
  ch_object_copy(w->value, value, size);
  tell_all(w, &woken);
  leave(w);
  ch_wake_all(&woken);
  return 0;
}

int ch_watched_close(struct ch_watched *w) {
  struct ch_claimed_list woken = {0};
  enter(w);
  if (w->closed)
    return end(w, EPIPE);
  w->closed = 1;
  tell_all(w, &woken);
  leave(w);
  ch_wake_all(&woken);
  return 0;
}

int ch_watched_get(struct ch_watched *w, void *to, size_t size) {
  enter(w);
  if (w->version > 0)
    ch_object_copy(to, w->value, size);
  return end(w, w->version > 0 ? 0 : EAGAIN);
}

/* ---- waiting: see sync/plain.h ---- */

static int next(struct ch_watched *w, struct ch_clause *own, uint64_t *seen, void *to, size_t size) {
  enter(w);
  bool news = w->version > *seen;
  if (!news && !w->closed)
    return CH_OP_WAITS;
  if (own && !ch_claim_own(own))
    return end(w, CH_OP_DECIDED);
  if (news)
    see(w, seen, to, size);
  return end(w, news ? 0 : EPIPE);
}

static int enlist(struct ch_clause *c) {
  struct ch_watched_next__clause *own = (struct ch_watched_next__clause *)c;
  struct ch_watched *w = c->object;
  return ch_op_enlist(c, next(w, c, own->seen, own->to, own->size), false, &w->watchers);
}
static bool at_once(struct ch_clause *c) {
  struct ch_watched_next__clause *own = (struct ch_watched_next__clause *)c;
  return ch_op_at_once(c, next(c->object, NULL, own->seen, own->to, own->size));
}
static bool is_ready(const struct ch_clause *c) {
  struct ch_watched *w = c->object;
  enter(w);
  return end(w, w->closed || w->version > *((const struct ch_watched_next__clause *)c)->seen);
}

static const struct ch_clause_type types[2] =
    CH_OP_TYPES("watched value", enlist, .ready = is_ready, .at_once = at_once);

void ch_watched_next__clause(struct ch_watched_next__clause *c, struct ch_watched *w, uint64_t *seen, void *to,
                             size_t size) {
  *c = (struct ch_watched_next__clause){.seen = seen, .to = to, .size = size};
  c->clause.type = &types[w->object.shared];
  c->clause.object = w;
}

static const struct ch_leaf leaves[2] = CH_FORM_LEAVES("ch_watch_next", struct ch_watched_next__clause);

static int next_at_once(struct ch_watched *w, uint64_t *seen, void *to, size_t size) {
  int result = ch_is_marked() ? ECANCELED : next(w, NULL, seen, to, size);
  return result == CH_OP_WAITS ? end(w, CH_OP_WAITS) : result;
}

struct ch_int_result ch_watched_next_int(struct ch_watched *, uint64_t *, void *, size_t) CH_INT_NAME(ch_watched_next);
struct ch_int_result ch_watched_next_int(struct ch_watched *w, uint64_t *seen, void *to, size_t size) {
  struct ch_watched_next__clause c;
  int result = next_at_once(w, seen, to, size);
  if (result != CH_OP_WAITS)
    return ch_done(result);
  ch_watched_next__clause(&c, w, seen, to, size);
  return ch_form_wait_int(leaves, &c.clause);
}
int ch_watched_next(struct ch_watched *w, uint64_t *seen, void *to, size_t size) {
  struct ch_watched_next__clause c;
  int result = next_at_once(w, seen, to, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_watched_next__clause(&c, w, seen, to, size);
  return (int)ch_form_wait(leaves, &c.clause);
}
