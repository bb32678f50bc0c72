/* Waits over several clauses, with an object of the test's own: a pool of units, local or shared. */
#include "by_hand.h"

#include "charcoal/lowlevel.h"
#include "reactor/timer.h"
#include "wait/wait.h"

struct ch_int_result ch_domain_join_int(ch_thread *) CH_INT_NAME(ch_domain_join);

/* ---- the pool ---- */

struct pool {
  struct ch_link waiters;
  int units, taken;
  uint32_t lock;
};

static void lock(struct pool *p) {
  while (__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE))
    ;
}
static void unlock(struct pool *p) { __atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE); }

static int enlist(struct ch_clause *c) {
  struct pool *p = c->object;
  int how = CH_CLAUSE_LISTED;
  lock(p);
  if (p->units > 0)
    how = ch_claim_own(c) ? CH_CLAUSE_READY : CH_CLAUSE_DECIDED;
  if (how == CH_CLAUSE_READY)
    p->units--, p->taken++;
  if (how == CH_CLAUSE_LISTED)
    ch_list(&p->waiters, c);
  unlock(p);
  return how;
}
static bool withdraw(struct ch_clause *c) {
  struct pool *p = c->object;
  lock(p);
  bool was = ch_unlist(c);
  unlock(p);
  return was;
}
static intptr_t selected(struct ch_clause *c) { return c->index + 100; }
static bool has_units(const struct ch_clause *c) {
  struct pool *p = c->object;
  lock(p);
  bool has = p->units > 0;
  unlock(p);
  return has;
}
#define POOL(words, who)                                                                                               \
  {.what = (words), .by = (who), .enlist = enlist, .withdraw = withdraw, .selected = selected, .ready = has_units}
static const struct ch_clause_type local = POOL("pool", CH_BY_DOMAIN), shared = POOL("shared pool", CH_BY_OTHERS);

static void put(struct pool *p) {
  struct ch_clause *c;
  lock(p);
  while ((c = ch_list_first(&p->waiters)))
    if (ch_claim(c)) {
      p->taken++;
      unlock(p);
      ch_wake(c);
      return;
    }
  p->units++;
  unlock(p);
}

/* ---- the waits: in static memory, since hand-written frames are copied ---- */

static struct pool pools[4];
static struct ch_clause clauses[4];
static struct ch_wait wait_over;

static struct ch_wait *over(unsigned flags, const struct ch_clause_type *type, unsigned n) {
  ch_wait_enter(&wait_over, flags, "hand.c:1");
  for (unsigned i = 0; i < n; i++) {
    clauses[i] = (struct ch_clause){.type = type, .object = &pools[i]};
    ch_wait_add(&wait_over, &clauses[i], i);
  }
  return &wait_over;
}
static bool nobody_waits(void) {
  for (int i = 0; i < 4; i++)
    if (!ch_list_empty(&pools[i].waiters))
      return false;
  return true;
}
static int all_taken(void) { return pools[0].taken + pools[1].taken + pools[2].taken + pools[3].taken; }

static int puts_into(void *record) {
  for (const char *p = *(const char **)record; *p; p++)
    put(&pools[*p - '0']);
  return 0;
}
static void put_later(const char *which) { EXPECT(SPAWN(NULL, puts_into, &which, sizeof which) == 0); }

MAIN_FUNCTION(or_alone, { int i; }) {
  BEGIN(or_alone_body)
  put(&pools[1]);
  put(&pools[2]);
  CALL(1, ch_wait_any_int(over(0, &local, 3)))
  EXPECT(value == 1 && ch_clause_result(&clauses[1]) == 101);
  EXPECT(nobody_waits() && all_taken() == 1 && pools[2].units == 1);
  CALL(2, ch_wait_any_int(over(0, &local, 2)))(void) 0;
  END
}
TEST_EXITS(a_wait_that_nobody_can_end_is_a_deadlock_that_names_each_of_its_clauses, CH_EXIT_DEADLOCK, "pool") {
  run_domain_alone(or_alone);
}

MAIN_FUNCTION(one_of_several, { int i; }) {
  BEGIN(one_of_several_body)
  put_later("120");
  CALL(1, ch_wait_any_int(over(0, &local, 3)))
  EXPECT(value == 1 && nobody_waits() && all_taken() == 1 && pools[2].units == 1 && pools[0].units == 1);
  END
}
TEST(law_9_with_or_alone_one_clause_has_its_effect_and_the_others_none) { run_domain(one_of_several); }

MAIN_FUNCTION(in_turn, { int i; }) {
  static int seen[3];
  BEGIN(in_turn_body)
  for (v.i = 0; v.i < 30; v.i++) {
    pools[0].units = pools[1].units = pools[2].units = 1;
    CALL(1, ch_wait_any_int(over(CH_WAIT_FAIR, &local, 3)))
    seen[value]++;
  }
  EXPECT(seen[0] == 10 && seen[1] == 10 && seen[2] == 10);
  END
}
TEST(with_fair_each_ready_clause_has_its_turn) { run_domain(in_turn); }

MAIN_FUNCTION(without_waiting, { int i; }) {
  BEGIN(without_waiting_body)
  EXPECT(ch_wait_try(over(0, &local, 3)) == -ENOENT && nobody_waits());
  EXPECT(ch_wait_try(over(0, &shared, 3)) == -ENOENT && nobody_waits());
  put(&pools[2]);
  struct ch_wait_node nodes[8]; /* 3 + 2, 1 for the bar, 2 for the bracket */
  EXPECT(ch_wait_try_all(over(CH_WAIT_AND, &local, 3), nodes, 3, "(.|.)&.") == -ENOENT && all_taken() == 0);
  EXPECT(ch_wait_try(over(0, &shared, 3)) == 2 && all_taken() == 1);
  EXPECT(ch_wait_any(over(0, &local, 0)) == -ENOENT);
  END
}
TEST(law_9_else_takes_what_is_ready_and_leaves_the_rest) { run_domain(without_waiting); }

static const struct ch_clause_type *kind;
/* A law of local objects, and of shared ones. */
#define TEST_BOTH(law, body)                                                                                           \
  TEST(law) {                                                                                                          \
    kind = &local;                                                                                                     \
    run_domain(body);                                                                                                  \
  }                                                                                                                    \
  TEST(law##_shared) {                                                                                                 \
    kind = &shared;                                                                                                    \
    run_domain(body);                                                                                                  \
  }

FRAME_FUNCTION(is_cancelled, { int i; }) {
  BEGIN(is_cancelled)
  CALL(5, ch_wait_any_int(over(0, kind, 3)))
  EXPECT(value == -ECANCELED && nobody_waits());
  EXPECT(ch_wait_try(over(0, kind, 3)) == -ECANCELED &&
         ch_wait_try_all(over(CH_WAIT_AND, kind, 3), NULL, 3, "") == -ECANCELED);
  note("c");
  END
}
static struct ch_scope S;
ASYNC_MAIN(cancelled, 4, { int i; }) {
  BEGIN(cancelled_body)
  ENTER(&S);
  ASYNC(1, &S, is_cancelled(NULL))
  ch_scope_cancel(&S);
  LEAVE(5, &S)
  put(&pools[0]);
  EXPECT(all_taken() == 0 && pools[0].units == 1);
  END
}
TEST(law_4_a_cancelled_wait_has_had_no_effect) {
  kind = &local;
  run_domain(cancelled);
  EXPECT_NOTES("c");
}
TEST(law_4_a_cancelled_wait_for_shared_objects_has_had_no_effect) {
  kind = &shared;
  run_domain(cancelled);
  EXPECT_NOTES("c");
}

/* ---- and ---- */

MAIN_FUNCTION(and_alone, { int i; }) {
  BEGIN(and_alone_body)
  put(&pools[1]);
  put_later("20");
  over(CH_WAIT_AND, kind, 3);
  EXPECT(ch_wait_begin(&wait_over) == 1 && pools[1].taken == 1);
  EXPECT(ch_wait_begin(&wait_over) == -ENOENT && ch_wait_begin(&wait_over) == -ENOENT);
  CALL(1, ch_wait_next_int(&wait_over))
  EXPECT(value == 1 && all_taken() == 1);
  CALL(2, ch_wait_next_int(&wait_over))
  EXPECT(value == 0 && all_taken() == 3); /* both have completed, and are told in textual order */
  CALL(3, ch_wait_next_int(&wait_over))
  EXPECT(value == 2 && nobody_waits());
  CALL(4, ch_wait_next_int(&wait_over))
  EXPECT(value == -ENOENT);
  ch_wait_close(&wait_over);
  ch_wait_leave(&wait_over);
  END
}
TEST_BOTH(with_and_each_clause_is_told_once_when_it_has_completed, and_alone)

MAIN_FUNCTION(closing, { int i; }) {
  BEGIN(closing_body)
  put(&pools[0]);
  CALL(1, ch_wait_next_int(over(CH_WAIT_AND, kind, 3)))
  EXPECT(value == 0);
  put(&pools[2]); /* during the body */
  EXPECT(all_taken() == 2);
  ch_wait_close(&wait_over);
  EXPECT(nobody_waits());
  put(&pools[1]);
  CALL(2, ch_wait_next_int(&wait_over))
  EXPECT(value == 2);
  CALL(3, ch_wait_next_int(&wait_over))
  EXPECT(value == -ENOENT && pools[1].units == 1 && all_taken() == 2);
  END
}
TEST_BOTH(with_and_what_has_completed_before_the_end_is_told_behind_it, closing)

FRAME_FUNCTION(is_cancelled_between, { int i; }) {
  BEGIN(is_cancelled_between)
  put(&pools[0]);
  CALL(1, ch_wait_next_int(over(CH_WAIT_AND, &local, 3)))
  EXPECT(value == 0);
  put(&pools[1]);
  ch_scope_cancel(&S);
  CALL(2, ch_wait_next_int(&wait_over))
  EXPECT(value == 1); /* its effect has been had: it is told, although the scope is cancelled */
  CALL(3, ch_wait_next_int(&wait_over))
  EXPECT(value == -ECANCELED && nobody_waits());
  END
}
FRAME_FUNCTION(is_cancelled_while_blocked, { int i; }) {
  BEGIN(is_cancelled_while_blocked)
  CALL(1, ch_wait_next_int(over(CH_WAIT_AND, &local, 3)))
  EXPECT(value == -ECANCELED && nobody_waits());
  note("blocked");
  END
}
ASYNC_MAIN(cancelled_and, 8, { int i; }) {
  BEGIN(cancelled_and_body)
  ENTER(&S);
  ASYNC(1, &S, is_cancelled_between(NULL))
  LEAVE(9, &S)
  ENTER(&S);
  ASYNC(2, &S, is_cancelled_while_blocked(NULL))
  ch_scope_cancel(&S);
  LEAVE(10, &S)
  EXPECT(all_taken() == 2);
  END
}
TEST(law_4_a_cancelled_wait_with_and_tells_what_has_completed_first) {
  run_domain(cancelled_and);
  EXPECT_NOTES("blocked");
}

/* ---- one object in several clauses, and what an effect makes ready ---- */

MAIN_FUNCTION(twice_the_same, { int i; }) {
  BEGIN(twice_the_same_body)
  put_later("0");
  over(0, &local, 3);
  clauses[1].object = clauses[2].object = &pools[0];
  CALL(1, ch_wait_any_int(&wait_over))
  EXPECT(value == 0 && all_taken() == 1 && pools[0].units == 0 && nobody_waits());
  END
}
TEST(one_object_may_stand_in_several_clauses) { run_domain(twice_the_same); }

/* Ready at once, and its effect puts a unit into a pool. */
static int enlist_putter(struct ch_clause *c) { return put(c->object), CH_CLAUSE_READY; }
static const struct ch_clause_type putter = {.what = "putter", .enlist = enlist_putter};
MAIN_FUNCTION(notifies_itself, { int i; }) {
  BEGIN(notifies_itself_body)
  over(0, kind, 2);
  clauses[1].type = &putter;
  clauses[1].object = &pools[0];
  CALL(1, ch_wait_any_int(&wait_over))
  EXPECT(value == 1 && all_taken() == 0 && pools[0].units == 1 && nobody_waits());
  END
}
TEST_BOTH(a_clause_whose_effect_makes_another_of_the_same_wait_ready_is_selected, notifies_itself)

/* ---- `else` ---- */

static int enlist_never(struct ch_clause *c) {
  (void)c;
  EXPECT(!"a clause that can have its effect at once is not enlisted");
  return CH_CLAUSE_LISTED;
}
static bool take_at_once(struct ch_clause *c) {
  struct pool *p = c->object;
  return p->units > 0 && p->units--;
}
static const struct ch_clause_type immediate = {.what = "pool", .enlist = enlist_never, .at_once = take_at_once};
MAIN_FUNCTION(tries, { int i; }) {
  BEGIN(tries_body)
  EXPECT(ch_wait_try(over(0, &immediate, 3)) == -ENOENT);
  put(&pools[1]);
  put(&pools[2]);
  EXPECT(ch_wait_try(over(0, &immediate, 3)) == 1 && pools[1].units == 0 && pools[2].units == 1);
  over(0, &immediate, 3);
  clauses[1].type = kind; /* and a type that says nothing of it is enlisted for a moment */
  EXPECT(ch_wait_try(&wait_over) == 2 && pools[2].units == 0 && nobody_waits());
  put(&pools[1]);
  over(0, &immediate, 3);
  clauses[1].type = kind;
  EXPECT(ch_wait_try(&wait_over) == 1 && all_taken() == 1 && nobody_waits());
  END
}
TEST_BOTH(a_statement_with_else_enlists_no_clause_that_can_have_its_effect_at_once, tries)

/* ---- between domains ---- */

#define TURNS 4000
static struct pool there, back;
static ch_thread thread;
static struct ch_clause others[2];
static struct ch_wait wait_of_other;

FRAME_FUNCTION(answers, { int i; }) {
  BEGIN(answers)
  for (v.i = 0; v.i < TURNS; v.i++) {
    ch_wait_enter(&wait_of_other, v.i % 2 ? CH_WAIT_AND : 0, NULL);
    others[0] = (struct ch_clause){.type = &shared, .object = &there};
    others[1] = ch_timer_clause(3600 * (int64_t)1000000000);
    ch_wait_add(&wait_of_other, &others[0], 0);
    ch_wait_add(&wait_of_other, &others[1], 1);
    if (v.i % 2) {
      CALL(1, ch_wait_next_int(&wait_of_other))
    } else {
      CALL(2, ch_wait_any_int(&wait_of_other))
    }
    EXPECT(value == 0);
    ch_wait_leave(&wait_of_other);
    put(&back);
  }
  END
}
static void answers_there(void *argument) { EXPECT(SPAWN(NULL, answers, &argument, sizeof argument) == 0); }

MAIN_FUNCTION(across, { int i; }) {
  BEGIN(across_body)
  EXPECT(ch_domain_start(&thread, answers_there, NULL) == 0);
  for (v.i = 0; v.i < TURNS; v.i++) {
    over(0, &shared, 2);
    clauses[0].object = &pools[3];
    clauses[1].object = &back;
    put(&there);
    CALL(1, ch_wait_any_int(&wait_over))
    EXPECT(value == 1);
  }
  CALL(2, ch_domain_join_int(&thread))
  EXPECT(there.taken == TURNS && back.taken == TURNS && pools[3].taken == 0 && nobody_waits());
  END
}
TEST(law_8_a_shared_object_ends_waits_of_another_domain) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(across);
}

/* Two domains put as fast as they can, into two pools each; here each wait takes one unit. */
static void puts_many(void *pool) {
  for (int i = 0; i < TURNS; i++)
    put(&pools[(uintptr_t)pool]), put(&pools[(uintptr_t)pool ^ 1]);
}
MAIN_FUNCTION(races, {
  int i;
  int told;
}) {
  static ch_thread two[2];
  BEGIN(races_body)
  EXPECT(ch_domain_start(&two[0], puts_many, (void *)0) == 0 && ch_domain_start(&two[1], puts_many, (void *)1) == 0);
  for (v.i = 0, v.told = 0; v.told < 4 * TURNS; v.i++) {
    if (v.i % 3 == 2) { /* until one is told; the others are withdrawn, or too late, and told, too */
      CALL(1, ch_wait_next_int(over(CH_WAIT_AND, &shared, 2)))
      EXPECT(value >= 0);
      v.told++;
      ch_wait_close(&wait_over);
      for (;;) {
        CALL(2, ch_wait_next_int(&wait_over))
        if (value < 0)
          break;
        v.told++;
      }
      EXPECT(value == -ENOENT);
    } else if (v.i % 3 == 1) {
      v.told += ch_wait_try(over(0, &shared, 2)) >= 0;
    } else {
      CALL(3, ch_wait_any_int(over(0, &shared, 2)))
      EXPECT(value == 0 || value == 1);
      v.told++;
    }
  }
  EXPECT(v.told == 4 * TURNS && all_taken() == 4 * TURNS && nobody_waits());
  CALL(4, ch_domain_join_int(&two[0]))
  CALL(5, ch_domain_join_int(&two[1]))
  END
}
TEST(law_9_whatever_races_between_domains_each_unit_is_taken_once_and_told_once) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(races);
}
