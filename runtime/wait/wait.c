/* How a branch blocks, and how its wait ends. wait.h has the invariants. */
#define CH_FILLS_IN /* this file has the functions by which clause.h fills waits in */
#include "wait/wait.h"
#include "reactor/inbox.h"
#include "frames/out_of_memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEW, ENLISTING, ENLISTED, CLOSED, CANCELLED }; /* values of ch_wait.phase */

static struct ch_letter *letter_of(struct ch_wait *w) { return (struct ch_letter *)w->letter; }
static struct ch_wait *wait_of(struct ch_letter *l) {
  return (struct ch_wait *)((char *)l - offsetof(struct ch_wait, letter));
}
_Static_assert(sizeof(struct ch_letter) == sizeof((struct ch_wait){0}.letter), "a wait holds its letter");

void ch_wait_add_all(struct ch_wait *w, struct ch_clause *all, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    ch_wait_add(w, &all[i], i);
}

/* ---- enlisting and withdrawing ---- */

CH_COLD static void need_inbox(struct ch_wait *w) {
  int saved = errno;
  if (!(w->inbox = ch_inbox_here()))
    ch_out_of_memory("the inbox of a domain that waits for a shared object");
  errno = saved;
}

static int enlist(struct ch_wait *w, struct ch_clause *c) {
  const struct ch_clause_type *type = c->type;
  const bool claims_itself = type->by == CH_BY_OTHERS;
  if (CH_UNLIKELY(claims_itself) && !w->inbox)
    need_inbox(w);
  c->link.next = NULL;
  c->state = CH_IS_LISTED;
  if (CH_LIKELY(!claims_itself) && !ch_claim_begin(c)) {
    c->state = CH_IS_OUT;
    return CH_CLAUSE_DECIDED;
  }
  int how = type->enlist(c);
  if (CH_LIKELY(!claims_itself))
    ch_claim_end(c, how == CH_CLAUSE_READY);
  if (how == CH_CLAUSE_LISTED)
    ch_count_in(w->owner, c);
  else
    c->state = how == CH_CLAUSE_READY ? CH_IS_HAD : CH_IS_OUT;
  return how;
}

/* Whether the clause of an open wait that selects one is enlisted in the ordinary way: nobody else can claim the wait,
 * so its word is an ordinary variable, and the clause is not counted. */
static inline bool is_ordinary(const struct ch_wait *w, const struct ch_clause *c) {
  return CH_LIKELY(c->type->by == CH_BY_DOMAIN) && CH_LIKELY(!w->exposed);
}
static inline int enlist_one_of(struct ch_wait *w, struct ch_clause *c) {
  if (!is_ordinary(w, c))
    return enlist(w, c);
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

/* False: it has been claimed. */
static inline bool take_back(struct ch_clause *c) {
  return c->type->withdraw ? c->type->withdraw(c) : ch_clause_unlist(c);
}

/* The same. An object that found its wait decided has taken it off its list itself. */
static bool withdraw(struct ch_wait *w, struct ch_clause *c) {
  if (c->type->withdraw ? ch_clause_state(c) != CH_IS_OUT && !c->type->withdraw(c) : !ch_clause_unlist(c))
    return false;
  c->state = CH_IS_OUT;
  ch_count_out(w->owner, c);
  return true;
}

/* It cannot be claimed any more, because the wait has been decided. */
static inline void withdraw_loser(struct ch_wait *w, struct ch_clause *c) {
  if (CH_LIKELY(!c->type->withdraw) && CH_LIKELY(c->state == CH_IS_LISTED) && CH_LIKELY(c->counted == CH_BY_DOMAIN)) {
    ch_clause_take_off(c);
    c->state = CH_IS_OUT;
    return;
  }
  bool withdrawn = withdraw(w, c);
  CH_INVARIANT(withdrawn, "a wait is decided once");
  (void)withdrawn;
}
static inline void withdraw_losers(struct ch_wait *w, const struct ch_clause *winner) {
  for (struct ch_clause *c = w->first; c; c = c->next)
    if (c != winner)
      withdraw_loser(w, c);
}

static struct ch_clause *clause_at(const struct ch_wait *w, unsigned index) {
  struct ch_clause *c = w->first;
  while (c->index != index)
    c = c->next;
  return c;
}

/* ---- `and`: the clauses that are complete ----
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

/* In the waiter's domain. */
static void completed(struct ch_wait *w, struct ch_clause *c) {
  ch_count_out(w->owner, c);
  w->open--;
  add_complete(w, c);
}

/* Other domains put a clause on the stack `arrived` when it has had its effect. */
static void put_arrived(struct ch_wait *w, struct ch_clause *c) {
  struct ch_clause *top = ch_atomic_load(&w->arrived);
  do
    c->link.next = (struct ch_link *)top;
  while (!ch_atomic_change(&w->arrived, &top, c));
}
static void take_arrived(struct ch_wait *w) {
  if (!w->exposed || !ch_atomic_load(&w->arrived))
    return;
  struct ch_clause *c = ch_atomic_exchange(&w->arrived, NULL);
  while (c) {
    struct ch_clause *next = of_link(c->link.next);
    completed(w, c);
    c = next;
  }
}

static unsigned selected(const struct ch_wait *w) { return ch_atomic_load(&w->state) - CH_STATE_FIRST; }

/* Reverses the order of the clauses of a wait that is over. The activity that has claimed one of them often goes on
 * with a wait for the same objects, in textual order, and takes the losers off their lists as it meets them. If the
 * losers are withdrawn from the other end, the two domains meet at one object instead of at each. Begins to bring the
 * objects to this core, too. */
static void reverse(struct ch_wait *w) {
  struct ch_clause *c = w->first, *before = NULL;
  while (c) {
    struct ch_clause *next = c->next;
    ch_atomic_fetch(c->object);
    c->next = before;
    before = c;
    c = next;
  }
  w->last = w->first;
  w->first = before;
}

/* ---- becoming ready ---- */

/* Called in the waiter's domain when a clause has been claimed and has had its effect. */
static inline void one_of_several_arrived(struct ch_wait *w, struct ch_clause *c) {
  struct ch_branch *b = w->branch;
  w->branch = NULL;
  ch_count_out(w->owner, c);
  c->state = CH_IS_HAD;
  if (!b)
    return; /* the waiter is still enlisting, and will notice */
  if (w->exposed)
    reverse(w);
  withdraw_losers(w, c);
  ch_ready(b, c->index);
}
static void one_of_all_arrived(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  struct ch_branch *b = w->branch;
  w->branch = NULL;
  completed(w, c);
  ch_atomic_store(&c->state, CH_IS_HAD);
  if (b)
    ch_ready(b, 0);
}

static void one_arrived(struct ch_letter *letter) {
  struct ch_wait *w = wait_of(letter);
  one_of_several_arrived(w, clause_at(w, selected(w)));
}

static void some_arrived(struct ch_letter *letter) {
  struct ch_wait *w = wait_of(letter);
  (void)ch_atomic_exchange(&w->posted, 0);
  take_arrived(w);
  struct ch_branch *b = w->branch;
  if (!w->complete || !b)
    return;
  w->branch = NULL;
  ch_ready(b, 0);
}

static void send_to_its_domain(struct ch_clause *c) {
  struct ch_wait *w = c->wait;
  struct ch_inbox *inbox = w->inbox;
  if (!(w->flags & CH_WAIT_AND)) {
    letter_of(w)->open = one_arrived;
    ch_inbox_post(inbox, letter_of(w));
    return;
  }
  put_arrived(w, c);
  if (!ch_atomic_exchange(&w->posted, 1)) {
    letter_of(w)->open = some_arrived;
    ch_inbox_post(inbox, letter_of(w));
  }
  ch_atomic_store(&c->state, CH_IS_HAD);
}

static void wake_alone(struct ch_clause *c) {
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING, "who has listed clauses selects");
  ch_count_out(b, c);
  ch_ready(b, 0);
}
static void call_back(struct ch_clause *c) {
  ch_count_out(NULL, c);
  c->then(c);
}

void ch_wake(struct ch_clause *c) {
  if (c->index == CH_ALONE)
    CH_JUMP_TO wake_alone(c);
  if (CH_UNLIKELY(c->index == CH_CALLBACK))
    CH_JUMP_TO call_back(c);
  struct ch_wait *w = c->wait;
  if (CH_UNLIKELY(w->exposed) && w->inbox != ch_inbox_of_thread)
    CH_JUMP_TO send_to_its_domain(c);
  if (CH_UNLIKELY(w->flags & CH_WAIT_AND))
    CH_JUMP_TO one_of_all_arrived(c);
  one_of_several_arrived(w, c);
}

static struct ch_branch *waiter_of(const struct ch_clause *c) {
  return c->index == CH_ALONE ? c->branch : c->index == CH_CALLBACK ? NULL : c->wait->owner;
}

bool ch_clause_fired(struct ch_clause *c, int64_t value) {
  c->value = value;
  if (c->index < CH_ALONE && CH_UNLIKELY(!ch_claim_unlisted(c))) {
    c->state = CH_IS_OUT;
    ch_count_out(waiter_of(c), c);
    return false;
  }
  ch_wake(c);
  return true;
}

void ch_clause_fired_first(struct ch_clause *c, int64_t value) {
  struct ch_branch *b = c->branch;
  CH_INVARIANT(b->state == CH_SELECTING && c->index == CH_ALONE, "it is the only clause of a wait");
  c->value = value;
  ch_count_out(b, c);
  b->state = CH_READY;
  b->link.prev = NULL;
  ch_ready_first(b);
}

/* ---- one clause alone ---- */

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

/* ---- one of several ---- */

static void block(struct ch_wait *w) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && b->state == CH_RUNNING, "only the running branch can block");
  w->branch = b;
  b->state = CH_SELECTING;
  b->link.prev = (struct ch_link *)w->first;
  ch_wait_check(w);
}

/* What could end it, as far as it is open. */
static enum ch_ready_by ready_by(struct ch_wait *w) {
  enum ch_ready_by by = CH_BY_DOMAIN;
  if (w->flags & CH_WAIT_AND)
    while (w->begun && w->begun->counted == CH_BY_DOMAIN)
      w->begun = w->begun->next;
  for (const struct ch_clause *c = w->flags & CH_WAIT_AND ? w->begun : w->first; c; c = c->next) {
    if (c->counted == CH_BY_WORLD)
      return CH_BY_WORLD;
    if (c->counted == CH_BY_OTHERS)
      by = CH_BY_OTHERS;
  }
  return by;
}

int ch_wait_may_begin(void) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return -EPERM;
  return ch_is_marked() ? -ECANCELED : 0;
}

/* 0: the wait may begin. */
static int may_begin(const struct ch_wait *w) {
  int result = ch_wait_may_begin();
  return result || w->first ? result : -ENOENT;
}

static int begin(struct ch_wait *w) {
  int result = may_begin(w);
  if (!result)
    w->owner = ch_activity_of(ch_domain.current);
  return result;
}

/* Another clause than the one that was enlisted last has been selected. -EINPROGRESS: its letter will come. */
CH_COLD static int enlisted_too_late(struct ch_wait *w) {
  struct ch_clause *winner = clause_at(w, selected(w));
  if (ch_clause_state(winner) != CH_IS_HAD)
    return -EINPROGRESS;
  withdraw_losers(w, winner); /* the effect of the clause that was enlisted last has made the winner ready */
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
  w->phase = ENLISTED;
  do {
    const bool ordinary = is_ordinary(w, c);
    if (enlist_one_of(w, c) == CH_CLAUSE_READY) {
      for (struct ch_clause *before = first; before != c; before = after(w, before))
        withdraw_loser(w, before);
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
  int result = begin(w);
  if (result)
    return result;
  result = enlist_all(w);
  if (result != -EAGAIN && result != -EINPROGRESS)
    return result;
  block(w);
  return -EAGAIN;
}

int ch_wait_any(struct ch_wait *w) {
  int result = begin_any(w);
  return result == -EAGAIN ? (int)ch_wait_native(ready_by(w)) : result;
}

struct ch_int_result ch_wait_any_int(struct ch_wait *w) {
  int result = begin_any(w);
  return result == -EAGAIN ? ch_blocks() : ch_done(result);
}

/* A clause that was listed only for a moment has been claimed by another domain, whose letter is not needed. */
CH_COLD static void await_letter(struct ch_wait *w) {
  for (unsigned tries = 1; !ch_inbox_recall(letter_of(w)); tries++)
    ch_atomic_relax(tries);
}

/* The clause is enlisted for a moment, in a wait of its own. */
static bool enlist_for_a_moment(struct ch_wait *w, struct ch_clause *c) {
  int how = enlist_one_of(w, c);
  if (how != CH_CLAUSE_LISTED)
    return how == CH_CLAUSE_READY;
  if (withdraw(w, c))
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
  w.first = w.last = c;
  w.owner = ch_activity_of(ch_domain.current);
  w.phase = ENLISTED;
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
  int result = may_begin(w);
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

/* ---- one after the other: `and` ---- */

/* The first clause that is complete and has not been returned yet; or -EAGAIN. */
static int tell(struct ch_wait *w) {
  take_arrived(w);
  if (!w->complete)
    return -EAGAIN;
  struct ch_clause *c = take_first_complete(w);
  ch_clause_await_effect(c);
  c->state = CH_IS_TOLD;
  return c->index;
}

void ch_wait_close(struct ch_wait *w) {
  if (w->phase > ENLISTED || !(w->flags & CH_WAIT_AND))
    return;
  if (w->phase == NEW)
    w->arrived = NULL;
  w->phase = CLOSED;
  for (struct ch_clause *c = w->first; c; c = c->next)
    if (ch_clause_state(c) == CH_IS_LISTED)
      (void)withdraw(w, c);
  /* After this loop no other domain uses a clause or the letter, which lies in the inbox if it was posted. */
  for (struct ch_clause *c = w->first; c; c = c->next)
    ch_clause_await_effect(c);
  if (ch_atomic_load(&w->posted))
    ch_inbox_recall(letter_of(w));
  take_arrived(w);
  w->open = 0;
}

/* Gives back what was taken for the length of a body that will not run any more. */
void ch_wait_leave(struct ch_wait *w) {
  if (!(w->flags & CH_WAIT_AND))
    return; /* the waiter's code runs, so the wait has not begun, or nothing is enlisted any more */
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
    if (w->phase == CANCELLED)
      return -ECANCELED;
    if (w->open == 0) {
      ch_wait_close(w);
      return -ENOENT;
    }
    if (!ch_is_marked())
      break;
    ch_wait_close(w);
    w->phase = CANCELLED;
  }
  block(w);
  return -EAGAIN;
}

int ch_wait_begin(struct ch_wait *w) {
  if (w->phase == NEW) {
    int result = begin(w);
    if (result)
      return result;
    w->phase = ENLISTING;
    w->arrived = NULL;
  }
  if (w->phase >= ENLISTED)
    return -ENOENT;
  struct ch_clause *c = w->begun ? w->begun->next : w->first;
  for (; c; c = c->next) {
    w->begun = c;
    int how = enlist(w, c);
    w->open += how == CH_CLAUSE_LISTED;
    if (how == CH_CLAUSE_READY) {
      add_complete(w, c);
      return c->index;
    }
  }
  w->begun = w->first;
  w->phase = ENLISTED;
  return -ENOENT;
}

static int begin_next(struct ch_wait *w) {
  while (w->phase < ENLISTED) {
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
    ch_wait_native(ready_by(w));
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

intptr_t ch_clause_result(struct ch_clause *c) {
  c->state = CH_IS_TOLD;
  return c->type->selected ? c->type->selected(c) : (intptr_t)c->value;
}
void ch_clause_leave(struct ch_clause **c) {
  if (*c && (*c)->type->leave)
    (*c)->type->leave(*c);
}

/* ---- cancel, and async calls that become branches ---- */

static bool agrees(struct ch_clause *c) { return !c->type->cancel || c->type->cancel(c); }

static void cancel_alone(struct ch_branch *b, struct ch_clause *c) {
  if (!agrees(c) || !take_back(c))
    return;
  c->state = CH_IS_OUT;
  ch_count_out(b, c);
  ch_ready(b, -ECANCELED);
}

/* Ends a wait that selects one clause, for a cancel. A single clause is not decided, but taken off its object's list:
 * conditions and barriers count who is on their list, so each of these must be somebody whom they can claim. */
static bool give_up(struct ch_wait *w) {
  if (w->first != w->last) {
    if (!ch_wait_decide(w, CH_STATE_CANCELLED))
      return false;
    withdraw_losers(w, NULL);
    return true;
  }
  if (w->flags & CH_WAIT_PLAIN && !agrees(w->first))
    return false;
  return withdraw(w, w->first);
}

static void cancel(struct ch_wait *w) {
  struct ch_branch *b = w->branch;
  if (w->flags & CH_WAIT_AND) { /* the waiter finds out itself that its scope is cancelled */
    w->branch = NULL;
    ch_ready(b, 0);
  } else if (give_up(w)) {
    w->branch = NULL;
    ch_ready(b, -ECANCELED);
  }
}

/* Takes a branch that waits for a single object off the object's list. */
static void leave_list(struct ch_branch *b) {
  struct ch_link *list = ch_link_prev(&b->link);
  ch_list_remove(&b->link);
  if (b->what == CH_ON_SEMAPHORE && ch_list_empty(list))
    ch_sem_left(list);
}

void ch_wait_cancel(struct ch_branch *b) {
  if (b->state == CH_WAITING && b->what < CH_ON_FINISH) {
    leave_list(b);
    ch_ready(b, ECANCELED);
  } else if (b->state == CH_SELECTING) {
    struct ch_clause *first = (struct ch_clause *)b->link.prev;
    if (first->index == CH_ALONE)
      cancel_alone(b, first);
    else
      cancel(first->wait);
  }
}

void ch_wait_abandon(struct ch_branch *b) {
  if (b->state == CH_WAITING && b->what < CH_ON_FINISH) {
    leave_list(b);
  } else if (b->state == CH_SELECTING) {
    struct ch_clause *first = (struct ch_clause *)b->link.prev;
    struct ch_wait *w = first->index == CH_ALONE ? NULL : first->wait;
    if (w) {
      w->branch = NULL;
      for (struct ch_clause *c = first; c; c = c->next)
        if (ch_clause_state(c) == CH_IS_LISTED)
          (void)withdraw(w, c);
        else /* a clause of an `and` that has had its effect and is on no list any more */
          ch_count_out(w->owner, c);
    } else if (take_back(first)) {
      first->state = CH_IS_OUT;
      ch_count_out(b, first);
    } else {
      return; /* the wait cannot be withdrawn, so the branch will become ready */
    }
  } else {
    return;
  }
  b->state = CH_WAITING;
  b->what = CH_ON_OTHERS;
}

void ch_clauses_move(struct ch_branch *from, struct ch_branch *to) {
  struct ch_clause *first = (struct ch_clause *)from->link.prev;
  if (first->index == CH_ALONE)
    first->branch = to;
  else
    first->wait->branch = to;
}

/* ---- leaves ---- */

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
  ch_frame_give(frame);
  return CH_DONE;
}

/* -EAGAIN: the branch blocks. */
static int begin_leaf(const struct ch_leaf *leaf, struct ch_wait *w, struct ch_clause *all) {
  if (!leaf->n)
    return ch_wait_enlisted(all) ? -EAGAIN : 0;
  ch_wait_enter(w, 0, NULL);
  ch_wait_add_all(w, all, leaf->n);
  return begin_any(w);
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
    selected = ch_wait_native(leaf->n ? ready_by(&w) : clauses->type->by);
  return selected < 0 ? leaf->cancelled : leaf->finish(clauses, (unsigned)selected);
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
  take_back(c);
  ch_count_out(NULL, c);
}

#ifdef CHARCOAL_CHECKED
void ch_wait_check(const struct ch_wait *w) {
  for (const struct ch_clause *c = w->first; c; c = c->next) {
    CH_INVARIANT(c->wait == w && c->index < CH_ALONE, "a clause knows its wait, and has a number in it");
    CH_INVARIANT(c->next || c == w->last || w->flags & CH_WAIT_AND, "the last clause of a wait is the last");
  }
}
#endif
