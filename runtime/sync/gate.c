/* The list of waiters that all locks share. See gate.h. */
#include "sync/gate.h"
#include "sync/held.h"
#include "sync/retry.h"
#include <limits.h>

static const struct ch_gate_kind *kind_of(const struct ch_clause *c) {
  return ((const struct ch_gate_type *)c->type)->kind;
}
static struct ch_gate__clause *of(struct ch_clause *c) { return (struct ch_gate__clause *)c; }

void ch_gate_init(struct ch_gate *g, unsigned flags) {
  *g = (struct ch_gate){.object.shared = (flags & CH_SHARED) != 0};
}

void ch_gate_form(struct ch_gate__clause *c, const struct ch_gate_type types[2], struct ch_gate *g, long wanted,
                  const void *place) {
  *c = (struct ch_gate__clause){.owner = ch_gate_self(), .place = place, .wanted = wanted};
  c->clause.type = &types[g->object.shared].clause;
  c->clause.object = g;
}

bool ch_gate_is_alone(void) {
  const struct ch_branch *b = ch_domain.current;
  for (const struct ch_finish *s = b->scope; s; s = s->outer)
    if (!ch_list_empty(&s->branches))
      return false;
  return !(b->flags & CH_ASYNC);
}

void ch_gate_enter(struct ch_gate *g) { ch_object_enter(&g->object, "lock"); }

/* Both are clauses of one statement that selects one of them: neither stands in the other's way. */
static bool is_alternative(const struct ch_clause *c, const struct ch_clause *other) {
  return c->index < CH_ALONE && other->index < CH_ALONE && c->wait == other->wait && !(c->wait->flags & CH_WAIT_AND);
}

/* Takes somebody who is not in this child of fork off the list. */
static void drop(struct ch_gate *g, struct ch_clause *gone) {
  g->waiting--;
  (void)ch_claim(gone);
}
/* The first in the list who is there. */
static struct ch_clause *first_of(struct ch_gate *g) {
  struct ch_clause *c;
  while ((c = ch_list_first(&g->waiters)) && ch_clause_is_gone(c))
    drop(g, c);
  return c;
}
void ch_gate_drop_gone(struct ch_gate *g) {
  for (struct ch_clause *c = ch_list_first(&g->waiters), *next; ch_some_are_gone && c; c = next) {
    next = ch_list_after(&g->waiters, c);
    if (ch_clause_is_gone(c))
      drop(g, c);
  }
}

/* The first in the list, or else its next alternatives, if one of them fits. */
static struct ch_clause *next_to_go(struct ch_gate *g) {
  struct ch_clause *first = first_of(g), *c = first;
  while (c && !kind_of(c)->fits(g, of(c))) {
    c = ch_list_after(&g->waiters, c);
    if (c && !is_alternative(c, first))
      return NULL;
  }
  return c;
}

void ch_gate_serve(struct ch_gate *g, struct ch_claimed_list *woken) {
  struct ch_clause *c;
  while ((c = next_to_go(g))) {
    g->waiting--;
    if (ch_claim(c)) {
      c->value = 0;
      kind_of(c)->take(g, of(c));
      ch_claimed_add(woken, c);
    }
  }
}

void ch_gate_leave(struct ch_gate *g) {
  struct ch_claimed_list woken = {0};
  ch_gate_serve(g, &woken);
  ch_object_leave(&g->object);
  ch_wake_all(&woken);
}

/* Somebody else waits. `c` is not in the list, and has no wait if it is a plain call. */
static bool is_waited_for(struct ch_gate *g, const struct ch_clause *c) {
  const struct ch_clause *other = first_of(g);
  while (other && c->wait && is_alternative(c, other))
    other = ch_list_after(&g->waiters, other);
  return other;
}

/* The gate is entered. */
static bool goes_on(const struct ch_gate_kind *k, struct ch_gate *g, const struct ch_gate__clause *c) {
  if (k->passes && k->passes(g, c))
    return true;
  return !is_waited_for(g, &c->clause) && k->fits(g, c);
}

enum { WAITS = INT_MIN };
/* The same; WAITS: it has to. */
static int at_once(const struct ch_gate_kind *k, struct ch_gate *g, struct ch_gate__clause *c) {
  int error = k->mistake ? k->mistake(g, c) : 0;
  if (error)
    return error;
  if (!goes_on(k, g, c))
    return WAITS;
  c->clause.value = 0;
  k->take(g, c);
  return (int)c->clause.value;
}

int ch_gate_try(const struct ch_gate_type types[2], struct ch_gate *g, long wanted, const void *place) {
  struct ch_gate__clause c;
  if (ch_is_marked())
    return ECANCELED;
  if (!ch_is_in_branch())
    return EPERM;
  ch_gate_form(&c, types, g, wanted, place);
  ch_gate_enter(g);
  int result = at_once(types->kind, g, &c);
  ch_gate_leave(g);
  ch_held_note(types->kind, g, place);
  return result == WAITS ? EAGAIN : result;
}

/* The call could end now: it need not wait behind others, or is a mistake; or nobody waits or is about to change the
 * gate, and it could have what it wants. The gate has not been entered, so that its cache line stays with whoever has
 * it; the answer may be wrong. */
static bool seems_free(const struct ch_gate_kind *k, struct ch_gate *g, const struct ch_gate__clause *c) {
  if ((k->passes && k->passes(g, c)) || (k->mistake && k->mistake(g, c)))
    return true;
  return ch_atomic_load(&g->object.lock) == 0 && ch_atomic_load(&g->waiting) == 0 && k->fits(g, c);
}
/* The same now or soon: who needs it for a moment gives it back within some of these glances. */
static bool becomes_free(const struct ch_gate_kind *k, struct ch_gate *g, const struct ch_gate__clause *c) {
  for (unsigned i = 0; i < CH_ATOMIC_GLANCES; i++) {
    if (seems_free(k, g, c))
      return true;
    ch_atomic_pause();
  }
  return false;
}

/* How long it is worth it to try again is learnt for each lock: one that is taken again and again for a moment is worth
 * longer pauses than one that is held for long. */
enum { PAUSES = 128, MOST_LEVEL = 2 };
static void learn(struct ch_gate *g, int by) {
  const int level = ch_atomic_load(&g->object.retry_level) + by;
  if (level >= 0 && level <= MOST_LEVEL)
    __atomic_store_n(&g->object.retry_level, (uint16_t)level, __ATOMIC_RELAXED);
}

/* Who finds it taken leaves it alone for a while, in which a domain that takes it again and again can do so many times
 * without its cache line being asked for. */
static int try_repeatedly(const struct ch_gate_type types[2], struct ch_gate *g, const struct ch_gate__clause *c) {
  const struct ch_gate_kind *k = types->kind;
  struct ch_retry r = {.first = 32, .most = PAUSES << ch_atomic_load(&g->object.retry_level)};
  for (bool free = seems_free(k, g, c);; free = becomes_free(k, g, c)) {
    const int result = free ? ch_gate_try(types, g, c->wanted, c->place) : EAGAIN;
    if (result == EAGAIN && ch_retry(&r))
      continue;
    if (r.pauses > 0)
      learn(g, result == EAGAIN ? -1 : 1);
    return result;
  }
}

int ch_gate_call(const struct ch_gate_type types[2], struct ch_gate *g, long wanted, const void *place) {
  if (g->object.shared && types->kind->brief) {
    const struct ch_gate__clause c = {.owner = ch_gate_self(), .place = place, .wanted = wanted};
    const int result = try_repeatedly(types, g, &c);
    if (result != EAGAIN)
      return result;
  }
  return ch_gate_try(types, g, wanted, place);
}

int ch_gate_enlist(struct ch_clause *c) {
  struct ch_gate *g = c->object;
  const struct ch_gate_kind *k = kind_of(c);
  int result = CH_CLAUSE_READY;
  ch_gate_enter(g);
  if (!goes_on(k, g, of(c)) && !(k->mistake && k->mistake(g, of(c)))) {
    ch_list(&g->waiters, c);
    g->waiting++;
    result = CH_CLAUSE_LISTED;
  } else if (ch_claim_own(c)) {
    c->value = at_once(k, g, of(c));
  } else {
    result = CH_CLAUSE_DECIDED;
  }
  ch_gate_leave(g);
  if (result == CH_CLAUSE_LISTED && k->listed)
    k->listed(of(c));
  return result;
}

bool ch_gate_at_once(struct ch_clause *c) {
  struct ch_gate *g = c->object;
  ch_gate_enter(g);
  int result = at_once(kind_of(c), g, of(c));
  ch_gate_leave(g);
  if (result == WAITS)
    return false;
  c->value = result;
  return true;
}

/* Those behind it can perhaps go on. To wake one of them is to withdraw the other clauses of his wait, perhaps from
 * other locks. Such a chain may be as long as there are activities, so the first withdrawal wakes all of them, one
 * after the other. */
bool ch_gate_withdraw(struct ch_clause *c) {
  struct ch_gate *g = c->object;
  struct ch_claimed_list all = {0}, *woken = ch_domain.woken ? ch_domain.woken : &all;
  ch_gate_enter(g);
  bool was_listed = ch_unlist(c);
  g->waiting -= was_listed;
  ch_gate_serve(g, woken);
  ch_object_leave(&g->object);
  if (all.first) {
    ch_domain.woken = &all;
    ch_wake_all(&all);
    ch_domain.woken = NULL;
  }
  return was_listed;
}

bool ch_gate_is_ready(const struct ch_clause *c) {
  struct ch_gate *g = c->object;
  const struct ch_gate__clause *own = (const struct ch_gate__clause *)c;
  ch_gate_enter(g);
  bool is = goes_on(kind_of(c), g, own) || (kind_of(c)->mistake && kind_of(c)->mistake(g, own));
  ch_object_leave(&g->object);
  return is;
}

intptr_t ch_gate_selected(struct ch_clause *c) {
  ch_held_note(kind_of(c), c->object, of(c)->place);
  return (intptr_t)c->value;
}

void ch_gate_about(const struct ch_clause *c, struct ch_about *about) {
  const struct ch_gate *g = c->object;
  about->object = g;
  about->holder = kind_of(c)->holder ? kind_of(c)->holder(g) : NULL;
}
