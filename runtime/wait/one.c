/* Waits that select one of their clauses, and what tries clauses without a wait. */
#include "wait/offer.h"
#include "wait/parts.h"

/* Whether the clause of an open wait that selects one is enlisted in the ordinary way: nobody else can claim the wait,
 * so its word is an ordinary variable, and the clause is not counted. */
static inline bool is_ordinary(const struct ch_wait *w, const struct ch_clause *c) {
  return CH_LIKELY(c->type->by == CH_BY_DOMAIN) && CH_LIKELY(!w->exposed);
}
static inline int enlist_ordinary(struct ch_wait *w, struct ch_clause *c) {
  CH_INVARIANT(w->state == CH_STATE_OPEN, "what is enlisted next is enlisted in an open wait");
  w->state = CH_STATE_SYNCING;
  c->link.next = NULL;
  c->state = CH_IS_LISTED;
  int how = c->type->enlist(c);
  if (how == CH_CLAUSE_READY) {
    w->state = CH_STATE_FIRST + c->index;
    c->state = CH_IS_HAD;
  } else {
    w->state = CH_STATE_OPEN;
  }
  return how;
}
/* Any other; the first clause of a shared object is offered before. */
__attribute__((noinline)) static int offer_or_enlist(struct ch_wait *w, struct ch_clause *c) {
  if (c->type->offer && !w->exposed && ch_offer_begin(w, c))
    return CH_CLAUSE_READY;
  return ch_enlist(w, c);
}

/* Another clause than the one that was enlisted last has been selected. -EINPROGRESS: its letter will come. */
CH_COLD static int enlisted_too_late(struct ch_wait *w) {
  struct ch_clause *winner = ch_wait_clause(w, ch_wait_selected(w));
  if (ch_clause_state(winner) != CH_IS_HAD)
    return -EINPROGRESS;
  ch_withdraw_losers(w, winner); /* the effect of the clause that was enlisted last has made the winner ready */
  return winner->index;
}

/* With FAIR: whose turn it is among n clauses, counted from 0. Of n such waits in a row each clause has the first turn
 * in one. The next n begin elsewhere: each time further by the golden ratio, so that no period in which several
 * activities take turns starves a clause. */
static unsigned next_turn(unsigned n) {
  static __thread uint32_t waits;
  const uint32_t round = waits / n, place = waits % n;
  waits++;
  return (place + (uint32_t)(((uint64_t)(round * 0x9e3779b9u) * n) >> 32)) % n;
}

/* The clause that is asked first. With FAIR it is another one each time. */
static struct ch_clause *starting_point(const struct ch_wait *w) {
  unsigned n = 0;
  if (CH_LIKELY(!(w->flags & CH_WAIT_FAIR)))
    return w->first;
  for (struct ch_clause *c = w->first; c; c = c->next)
    n++;
  unsigned k = next_turn(n);
  struct ch_clause *c = w->first;
  while (k-- > 0)
    c = c->next;
  return c;
}

static struct ch_clause *after(const struct ch_wait *w, const struct ch_clause *c) {
  return c->next ? c->next : w->first;
}

/* -EAGAIN: no clause is ready, and all are listed. Otherwise the wait is over, or (-EINPROGRESS) decided. */
static inline __attribute__((always_inline)) int enlist_all(struct ch_wait *w) {
  struct ch_clause *first = starting_point(w), *c = first;
  w->phase = CH_WAIT_ENLISTED;
  do {
    const bool ordinary = is_ordinary(w, c);
    if ((ordinary ? enlist_ordinary(w, c) : offer_or_enlist(w, c)) == CH_CLAUSE_READY) {
      for (struct ch_clause *before = first; before != c; before = after(w, before))
        ch_withdraw_loser(w, before);
      return c->index;
    }
    if (!ordinary && CH_UNLIKELY(ch_atomic_load(&w->state) >= CH_STATE_FIRST))
      return enlisted_too_late(w);
    c = after(w, c);
  } while (c != first);
  return -EAGAIN;
}

/* -EAGAIN: the branch is registered, and blocks. */
static inline __attribute__((always_inline)) int begin_any(struct ch_wait *w) {
  int result = ch_wait_start(w);
  if (result)
    return result;
  result = enlist_all(w);
  if (result != -EAGAIN && result != -EINPROGRESS)
    return result;
  ch_wait_block(w);
  return -EAGAIN;
}

int ch_wait_begin_any(struct ch_wait *w) { return begin_any(w); }

int ch_wait_any(struct ch_wait *w) {
  int result = begin_any(w);
  return result == -EAGAIN ? (int)ch_wait_native(ch_wait_ready_by(w)) : result;
}

struct ch_int_result ch_wait_any_int(struct ch_wait *w) {
  int result = begin_any(w);
  return result == -EAGAIN ? ch_blocks() : ch_done(result);
}

/* A clause that was listed only for a moment has been claimed by another domain, whose letter is not needed. */
CH_COLD static void await_letter(struct ch_wait *w) {
  for (unsigned tries = 1; !ch_inbox_recall(ch_wait_letter(w)); tries++)
    ch_atomic_relax(tries);
}

/* The clause is enlisted for a moment, in a wait of its own. */
static bool enlist_for_a_moment(struct ch_wait *w, struct ch_clause *c) {
  int how = is_ordinary(w, c) ? enlist_ordinary(w, c) : ch_enlist(w, c);
  if (how != CH_CLAUSE_LISTED)
    return how == CH_CLAUSE_READY;
  if (ch_withdraw(w, c))
    return false;
  if (ch_clause_state(c) == CH_IS_TAKEN)
    await_letter(w);
  ch_count_out(w->owner, c);
  c->state = CH_IS_HAD;
  return true;
}

__attribute__((noinline)) static bool try_enlisted(struct ch_clause *c) {
  if (c->type->ready && !c->type->ready(c))
    return false;
  struct ch_wait *its = c->wait, w;
  ch_wait_enter(&w, 0, NULL);
  w.first = c;
  w.owner = ch_activity_of(ch_domain.current);
  w.phase = CH_WAIT_ENLISTED;
  c->wait = &w;
  bool was_ready = enlist_for_a_moment(&w, c);
  c->wait = its;
  return was_ready;
}

bool ch_clause_try(struct ch_clause *c) {
  if (CH_LIKELY(c->type->at_once != NULL))
    CH_JUMP_TO c->type->at_once(c);
  return try_enlisted(c);
}

int ch_wait_try(struct ch_wait *w) {
  int result = ch_wait_may_start(w);
  if (result)
    return result;
  struct ch_clause *first = starting_point(w), *c = first;
  do {
    if (ch_clause_try(c))
      return c->index;
    c = after(w, c);
  } while (c != first);
  return -ENOENT;
}
