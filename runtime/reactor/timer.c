/* The timers of a domain: a heap of deadlines. timer.h has its invariants. */
#include "reactor/timer.h"
#include "frames/out_of_memory.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <stdlib.h>

struct entry {
  int64_t deadline;
  uint64_t order;           /* in which timers were registered: equal deadlines fire in this order */
  struct ch_clause *clause; /* NULL: a gap, which a withdrawn timer has left */
};

enum { RUNS = 4 };

#define SLACK_PART 1000
#define MOST_SLACK 1000000

/* A ring. Positions are never counted back, and the lower bits of a position are its index in the ring. */
struct run {
  struct entry *ring;
  int64_t last;        /* the latest deadline; INT64_MIN while the run is empty */
  int64_t slack;       /* no entry has less slack; valid while the run is not empty */
  int64_t later_slack; /* no entry from `turn` on has less slack */
  uint32_t turn;       /* a position between head and tail */
  uint32_t head, tail; /* the positions of the first entry, and after the last one; neither entry is a gap */
  uint32_t room;       /* 0 or a power of two */
  uint32_t live;       /* entries that are not gaps */
};

static __thread struct timers {
  struct entry *heap;
  uint32_t used, room; /* entries of the heap, gaps included; its first entry is no gap */
  uint32_t gaps;       /* how many entries of the heap are gaps */
  uint32_t open;       /* the number of the first empty run; all after it are empty, too */
  uint32_t first;      /* the run that has the timer to fire next, or RUNS for the heap; valid if there are timers */
  int64_t next;        /* the deadline of that timer; CH_FOREVER: there are no timers */
  int64_t heap_slack;  /* no timer in the heap has less slack; valid while there are any */
  int64_t asked;       /* the time when the clock was last read */
  uint64_t registered;
  struct run *runs; /* RUNS of them; NULL until the first timer: thread-local memory is scarce */
} timers = {.next = CH_FOREVER};

/* clause->slot: the run, or RUNS for the heap, and the lower bits of its position there. */
#define POSITION_BITS 29
#define POSITION_MASK ((1u << POSITION_BITS) - 1)

/* An array of more entries than this is given back when it is empty. */
#define KEPT 1024

CH_COLD static _Noreturn void out_of_memory(uint32_t count) { ch_out_of_memory("%u timers", count); }

static struct entry *allocate(struct entry *old, uint32_t count) {
  struct entry *bigger = count <= POSITION_MASK ? realloc(old, count * sizeof *bigger) : NULL;
  if (!bigger)
    out_of_memory(count);
  return bigger;
}

static int64_t look_at_clock(void) { return timers.asked = ch_reactor->now(); }

/* How late a timer may be that is set now, if that saves a wake-up. The clock was mostly read just before. */
static inline int64_t slack_until(int64_t deadline) {
  int64_t left;
  if (ch_reactor == &ch_reactor_simulated)
    return 0;
  if (__builtin_sub_overflow(deadline, timers.asked, &left) || left > SLACK_PART * MOST_SLACK)
    return MOST_SLACK;
  return left > 0 ? left / SLACK_PART : 0;
}

static inline bool before(const struct entry *a, const struct entry *b) {
  return (a->deadline < b->deadline) |
         ((a->deadline == b->deadline) & (a->order < b->order)); /* without a branch, which would be mispredicted */
}

/* ---- runs ---- */

static inline struct entry *at(const struct run *r, uint32_t position) { return &r->ring[position & (r->room - 1)]; }

static inline void append(struct run *r, unsigned number, struct entry e) {
  e.clause->slot = number << POSITION_BITS | (r->tail & POSITION_MASK);
  *at(r, r->tail++) = e;
}

/* Closes the gaps. If they are few the ring becomes twice as large. */
CH_COLD static void make_room(struct run *r, unsigned number) {
  struct run old = *r;
  if (r->live >= r->room / 2) {
    r->room = r->room ? 2 * r->room : 64;
    r->ring = allocate(NULL, r->room);
  }
  r->tail = r->head;
  for (uint32_t i = old.head; i != old.tail; i++) {
    if (i == old.turn)
      r->turn = r->tail;
    if (at(&old, i)->clause)
      append(r, number, *at(&old, i));
  }
  if (old.turn == old.tail)
    r->turn = r->tail;
  if (r->ring != old.ring)
    free(old.ring);
}

static inline void add_to_run(struct run *r, unsigned number, struct entry e) {
  int64_t slack = slack_until(e.deadline);
  if (CH_UNLIKELY(r->tail - r->head == r->room))
    make_room(r, number);
  append(r, number, e);
  r->last = e.deadline;
  if (r->live++ == 0 || slack <= r->slack) {
    r->slack = slack;
    r->later_slack = CH_FOREVER;
    r->turn = r->tail;
  } else if (slack < r->later_slack) {
    r->later_slack = slack;
  }
}

static inline void empty_run(struct timers *t, struct run *r) {
  r->head = r->tail;
  r->last = INT64_MIN;
  while (t->open > 0 && t->runs[t->open - 1].live == 0)
    t->open--;
  if (CH_UNLIKELY(r->room > KEPT)) {
    free(r->ring);
    r->ring = NULL;
    r->room = 0;
  }
}

static inline void remove_from_run(struct timers *t, struct run *r, struct entry *e) {
  e->clause = NULL;
  if (--r->live == 0) {
    empty_run(t, r);
    return;
  }
  while (!at(r, r->head)->clause)
    r->head++;
  while (!at(r, r->tail - 1)->clause)
    r->tail--;
  r->last = at(r, r->tail - 1)->deadline;
  if ((int32_t)(r->turn - r->tail) > 0)
    r->turn = r->tail;
  if ((int32_t)(r->head - r->turn) >= 0) {
    r->slack = r->later_slack;
    r->later_slack = CH_FOREVER;
    r->turn = r->tail;
  }
}

/* ---- the heap ---- */

#define ARITY 4

static inline void put(struct entry *heap, uint32_t i, struct entry e) {
  heap[i] = e;
  if (CH_LIKELY(e.clause != NULL))
    e.clause->slot = (uint32_t)RUNS << POSITION_BITS | i;
}

static void rise(struct entry *heap, uint32_t i, struct entry e) {
  for (; i > 0 && before(&e, &heap[(i - 1) / ARITY]); i = (i - 1) / ARITY)
    put(heap, i, heap[(i - 1) / ARITY]);
  put(heap, i, e);
}

static void sink(struct entry *heap, uint32_t used, uint32_t i, struct entry e) {
  for (;;) {
    uint32_t least = 0;
    uint32_t c = i * ARITY + 1, end = used < c + ARITY ? used : c + ARITY;
    if (c >= end)
      break;
    for (least = c++; c < end; c++)
      least = before(&heap[c], &heap[least]) ? c : least;
    if (!before(&heap[least], &e))
      break;
    put(heap, i, heap[least]);
    i = least;
  }
  put(heap, i, e);
}

static void add_to_heap(struct timers *t, struct entry e) {
  if (t->used == t->room) {
    t->room = t->room ? 2 * t->room : 64;
    t->heap = allocate(t->heap, t->room);
  }
  int64_t slack = slack_until(e.deadline);
  if (t->used++ == 0 || slack < t->heap_slack)
    t->heap_slack = slack;
  rise(t->heap, t->used - 1, e);
}

/* Closes all gaps, and restores the order of the heap. */
CH_COLD static void close_gaps(struct timers *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->used; i++)
    if (t->heap[i].clause)
      put(t->heap, n++, t->heap[i]);
  t->used = n;
  t->gaps = 0;
  for (uint32_t i = n / ARITY + 1; i-- > 0;)
    if (i < n)
      sink(t->heap, n, i, t->heap[i]);
}

/* A withdrawn timer leaves a gap, because filling it takes a look at a dozen other entries, which are far from each
 * other. Gaps are removed when they come to the front or to the end, or when most of the heap are gaps. */
static void remove_from_heap(struct timers *t, uint32_t i) {
  t->heap[i].clause = NULL;
  t->gaps++;
  while (t->used > 0 && !t->heap[t->used - 1].clause)
    t->used--, t->gaps--;
  while (t->used > 0 && !t->heap[0].clause) {
    struct entry last = t->heap[--t->used];
    t->gaps--;
    sink(t->heap, t->used, 0, last);
  }
  if (CH_UNLIKELY(t->gaps > t->used / 2))
    close_gaps(t);
  if (t->used == 0 && t->room > KEPT) {
    free(t->heap);
    t->heap = NULL;
    t->room = 0;
  }
}

/* ---- all of them ---- */

static inline const struct entry *first_of(const struct timers *t, unsigned i) {
  return i < RUNS ? at(&t->runs[i], t->runs[i].head) : &t->heap[0];
}

static void find_first(struct timers *t) {
  const struct entry *e = t->used ? &t->heap[0] : NULL;
  t->first = RUNS;
  for (unsigned i = 0; i < t->open; i++)
    if (t->runs[i].live && (!e || before(first_of(t, i), e))) {
      e = first_of(t, i);
      t->first = i;
    }
  t->next = e ? e->deadline : CH_FOREVER;
}

CH_COLD static struct run *make_runs(void) {
  struct run *runs = calloc(RUNS, sizeof *runs);
  if (!runs)
    out_of_memory(1);
  return runs;
}

static int enlist(struct ch_clause *c) {
  struct timers *t = &timers;
  if (CH_UNLIKELY(!t->runs))
    t->runs = make_runs();
  struct entry e = {c->value, t->registered++, c};
  unsigned i = 0;
  while (i < t->open && e.deadline < t->runs[i].last)
    i++;
  if (CH_UNLIKELY(i == RUNS)) {
    add_to_heap(t, e);
  } else {
    t->open += i == t->open;
    add_to_run(&t->runs[i], i, e);
  }
  if (e.deadline < t->next) {
    t->next = e.deadline;
    t->first = i;
  }
  return CH_CLAUSE_LISTED;
}

static void take_out(struct ch_clause *c) {
  struct timers *t = &timers;
  uint32_t i = c->slot >> POSITION_BITS, position = c->slot & POSITION_MASK;
  struct entry *e = i < RUNS ? at(&t->runs[i], position) : &t->heap[position];
  CH_INVARIANT(e->clause == c, "a registered timer knows its position");
  CH_INVARIANT(e->deadline == c->value, "a registered timer keeps its deadline");
  /* Nothing is read from the entry, which is rarely in the cache when a timer is withdrawn; a store need not wait. */
  bool was_first = c->value == t->next && i == t->first;
  if (i < RUNS)
    remove_from_run(t, &t->runs[i], e);
  else
    remove_from_heap(t, position);
  if (was_first)
    find_first(t);
}

static bool withdraw(struct ch_clause *c) { return take_out(c), true; }
static bool is_due(const struct ch_clause *c) { return c->value <= look_at_clock(); }

const struct ch_clause_type ch_timer_clause_type = {
    .what = "timer", .by = CH_BY_WORLD, .enlist = enlist, .withdraw = withdraw, .ready = is_due};

/* A timer that never fires is in no run and on no heap, and nothing outside can end it. */
static int never_enlist(struct ch_clause *c) { return (void)c, CH_CLAUSE_LISTED; }
static bool never_withdraw(struct ch_clause *c) { return (void)c, true; }
static bool never_due(const struct ch_clause *c) { return (void)c, false; }
const struct ch_clause_type ch_never_clause_type = {
    .what = "a cancel", .enlist = never_enlist, .withdraw = never_withdraw, .ready = never_due};

struct ch_clause ch_never_clause(void) {
  return (struct ch_clause){.type = &ch_never_clause_type, .value = CH_FOREVER};
}

struct ch_clause ch_timer_clause(int64_t duration) {
  int64_t deadline;
  if (duration == CH_FOREVER || __builtin_add_overflow(look_at_clock(), duration, &deadline))
    return ch_never_clause();
  return (struct ch_clause){.type = &ch_timer_clause_type, .value = deadline};
}

struct ch_clause ch_deadline_clause(int64_t deadline) {
  if (deadline == CH_FOREVER)
    return ch_never_clause();
  return (struct ch_clause){.type = &ch_timer_clause_type, .value = deadline};
}

/* One of those who wait for the same event, which happens when it is due: if another one has had it, this one waits for
 * the next. */
CH_COLD static void fire_one_of_several(struct ch_clause *c) {
  if (c->type->ready(c)) {
    if (ch_clause_fired(c, 0))
      c->type->at_once(c);
  } else {
    c->value = *(const int64_t *)c->object;
    enlist(c);
  }
}

void ch_timers_fire(void) {
  struct timers *t = &timers;
  if (t->next == CH_FOREVER)
    return;
  for (int64_t now = look_at_clock(); t->next <= now;) {
    struct ch_clause *c = first_of(t, t->first)->clause;
    take_out(c);
    if (CH_LIKELY(!c->object))
      ch_clause_fired(c, 0);
    else
      fire_one_of_several(c);
  }
}

int64_t ch_timers_next(void) { return timers.next; }

static int64_t put_off(int64_t deadline, int64_t slack) {
  return deadline > CH_FOREVER - slack ? CH_FOREVER : deadline + slack;
}

int64_t ch_timers_latest(void) {
  const struct timers *t = &timers;
  int64_t latest = t->used ? put_off(t->heap[0].deadline, t->heap_slack) : CH_FOREVER;
  for (unsigned i = 0; i < t->open; i++) {
    const struct run *r = &t->runs[i];
    int64_t of_run = r->live ? put_off(at(r, r->head)->deadline, r->slack) : CH_FOREVER;
    latest = of_run < latest ? of_run : latest;
  }
  return latest;
}

void ch_timers_end(void) {
  for (unsigned i = 0; timers.runs && i < RUNS; i++)
    free(timers.runs[i].ring);
  free(timers.runs);
  free(timers.heap);
  timers = (struct timers){.next = CH_FOREVER};
}

#ifdef CHARCOAL_CHECKED
static void check_run(const struct timers *t, unsigned number) {
  const struct run *r = &t->runs[number];
  const struct entry *before_it = NULL;
  uint32_t live = 0;
  for (uint32_t i = r->head; i != r->tail; i++) {
    const struct entry *e = at(r, i);
    if (!e->clause)
      continue;
    live++;
    CH_INVARIANT(e->clause->slot == (number << POSITION_BITS | (i & POSITION_MASK)),
                 "a registered timer knows its position");
    CH_INVARIANT(!before_it || before(before_it, e), "a run is in order");
    before_it = e;
  }
  CH_INVARIANT(live == r->live, "a run knows how many it has");
  CH_INVARIANT(!live || r->turn - r->head <= r->tail - r->head, "the turn of a run's slack lies in it");
  CH_INVARIANT(live ? r->last == before_it->deadline : r->head == r->tail && r->last <= 0,
               "a run knows its latest deadline");
  CH_INVARIANT(!live || (at(r, r->head)->clause && at(r, r->tail - 1)->clause), "no gap is first or last");
  CH_INVARIANT(number + 1 != t->open || live, "the last open run is not empty");
  CH_INVARIANT(number < t->open || !live, "after the open runs all are empty");
}

void ch_timers_check(void) {
  struct timers *t = &timers, now = *t;
  find_first(t);
  CH_INVARIANT(t->next == now.next && (t->next == CH_FOREVER || t->first == now.first), "the earliest one is known");
  for (unsigned i = 0; t->runs && i < RUNS; i++)
    check_run(t, i);
  uint32_t gaps = 0;
  for (uint32_t i = 0; i < t->used; i++) {
    gaps += !t->heap[i].clause;
    CH_INVARIANT(!t->heap[i].clause || t->heap[i].clause->slot == ((uint32_t)RUNS << POSITION_BITS | i),
                 "a registered timer knows its position");
    CH_INVARIANT(i == 0 || !before(&t->heap[i], &t->heap[(i - 1) / ARITY]), "no timer is earlier than its parent");
  }
  CH_INVARIANT(gaps == t->gaps && gaps <= t->used / 2, "gaps are counted, and the smaller part of the heap");
  CH_INVARIANT(t->used == 0 || t->heap[0].clause, "the first of the heap is no gap");
}
#endif

/* ---- sleeping ---- */

int64_t ch_now(void) { return look_at_clock(); }

static intptr_t zero(struct ch_clause *all, unsigned selected) { return (void)all, (void)selected, 0; }
static const struct ch_leaf sleep_leaf = CH_LEAF("ch_sleep", 1, zero);

struct ch_int_result ch_sleep_int(int64_t duration) CH_INT_NAME(ch_sleep);
struct ch_int_result ch_sleep_int(int64_t duration) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return ch_done(EPERM);
  if (ch_is_marked())
    return ch_done(ECANCELED);
  if (duration <= 0)
    return (struct ch_int_result){CH_YIELDED, 0}; /* it is resumed with the result 0 */
  struct ch_clause c = ch_timer_clause(duration);
  return ch_wait_leaf(&sleep_leaf, &c);
}

int ch_sleep(int64_t duration) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return EPERM;
  if (ch_is_marked())
    return ECANCELED;
  if (duration <= 0)
    return 0;
  struct ch_clause c = ch_timer_clause(duration);
  return (int)ch_wait_leaf_native(&sleep_leaf, &c);
}
