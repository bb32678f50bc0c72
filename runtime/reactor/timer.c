#include "reactor/timer.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
  int64_t deadline;
  uint64_t order; /* among equal deadlines: first registered, first fired */
  struct ch_clause *clause;
};

static __thread struct entry *heap;
static __thread uint32_t used, room;
static __thread uint64_t registered;

#define ARITY 4

static inline bool before(const struct entry *a, const struct entry *b) {
  return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}
static inline void place(uint32_t i, struct entry e) {
  heap[i] = e;
  e.clause->slot = i;
}
static void rise(uint32_t i, struct entry e) {
  for (; i > 0 && before(&e, &heap[(i - 1) / ARITY]); i = (i - 1) / ARITY)
    place(i, heap[(i - 1) / ARITY]);
  place(i, e);
}
static void sink(uint32_t i, struct entry e) {
  for (;;) {
    uint32_t least = 0;
    for (uint32_t c = i * ARITY + 1; c <= i * ARITY + ARITY && c < used; c++)
      if (least == 0 || before(&heap[c], &heap[least]))
        least = c;
    if (least == 0 || !before(&heap[least], &e))
      break;
    place(i, heap[least]);
    i = least;
  }
  place(i, e);
}

static bool enlist(struct ch_clause *c) {
  if (used == room) {
    uint32_t more = room ? 2 * room : 64;
    struct entry *bigger = realloc(heap, more * sizeof *heap);
    if (!bigger) {
      fprintf(stderr, "charcoal: out of memory: no room for %u timers\n", more);
      abort();
    }
    heap = bigger;
    room = more;
  }
  used++;
  rise(used - 1, (struct entry){c->value, registered++, c});
  return false;
}

static void withdraw(struct ch_clause *c) {
  uint32_t i = c->slot;
  CH_INVARIANT(i < used && heap[i].clause == c, "a registered timer knows its place in the heap");
  struct entry last = heap[--used];
  if (i == used)
    return;
  if (i > 0 && before(&last, &heap[(i - 1) / ARITY]))
    rise(i, last);
  else
    sink(i, last);
}

const struct ch_clause_type ch_timer_clause_type = {"timer", true, enlist, withdraw, NULL};

/* A timer that never fires stands on no heap, and nothing outside can end it. */
static bool never_enlist(struct ch_clause *c) { return (void)c, false; }
static void never_withdraw(struct ch_clause *c) { (void)c; }
static const struct ch_clause_type never_type = {"no timer", false, never_enlist, never_withdraw, NULL};

struct ch_clause ch_never_clause(void) { return (struct ch_clause){.type = &never_type, .value = CH_FOREVER}; }

struct ch_clause ch_timer_clause(int64_t duration) {
  int64_t deadline;
  if (duration == CH_FOREVER || __builtin_add_overflow(ch_reactor->now(), duration, &deadline))
    return ch_never_clause();
  return (struct ch_clause){.type = &ch_timer_clause_type, .value = deadline};
}

struct ch_clause ch_deadline_clause(int64_t deadline) {
  if (deadline == CH_FOREVER)
    return ch_never_clause();
  return (struct ch_clause){.type = &ch_timer_clause_type, .value = deadline};
}

void ch_timers_fire(void) {
  if (used == 0)
    return;
  int64_t now = ch_reactor->now();
  while (used > 0 && heap[0].deadline <= now) {
    struct ch_clause *c = heap[0].clause;
    withdraw(c);
    ch_clause_fired(c, 0);
  }
}

int64_t ch_timers_next(void) { return used ? heap[0].deadline : CH_FOREVER; }

void ch_timers_check(void) {
  for (uint32_t i = 0; i < used; i++) {
    CH_INVARIANT(heap[i].clause->slot == i, "a registered timer knows its place in the heap");
    CH_INVARIANT(i == 0 || !before(&heap[i], &heap[(i - 1) / ARITY]), "no timer is earlier than its parent");
  }
}

/* ---- sleeping ---- */

int64_t ch_now(void) { return ch_reactor->now(); }

static intptr_t zero(struct ch_clause *all, unsigned selected) { return (void)all, (void)selected, 0; }
static const struct ch_leaf sleep_leaf = CH_LEAF("ch_sleep", 1, zero);

struct ch_int_result ch_sleep_int(int64_t duration) CH_INT_NAME(ch_sleep);
struct ch_int_result ch_sleep_int(int64_t duration) {
  if (CH_UNLIKELY(!ch_domain.current))
    return (struct ch_int_result){CH_DONE, EPERM};
  if (ch_is_marked())
    return (struct ch_int_result){CH_DONE, ECANCELED};
  if (duration <= 0)
    return (struct ch_int_result){CH_PAUSED, 0}; /* resumed with the result 0 */
  struct ch_clause c = ch_timer_clause(duration);
  return ch_wait_leaf(&sleep_leaf, &c, 1);
}

int ch_sleep(int64_t duration) {
  if (CH_UNLIKELY(!ch_domain.current))
    return EPERM;
  if (ch_is_marked())
    return ECANCELED;
  if (duration <= 0)
    return 0;
  struct ch_clause c = ch_timer_clause(duration);
  return (int)ch_wait_leaf_native(&sleep_leaf, &c, 1);
}
