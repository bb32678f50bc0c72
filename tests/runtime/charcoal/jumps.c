/* longjmp and pthread_exit out of the body of a `waituntil` with `and`, and out of blocks with events, leave these as
 * `break` does. Whether somebody waits at a channel without room shows in whether a message can be sent to it. */
#include "../harness.h"
#include <charcoal/channel.h>
#include <charcoal/events.h>
#include <charcoal/locks.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#define NI __attribute__((noinline))

typedef channel(int) numbers;
struct attempt {
  jmp_buf back;
  numbers ready, open; /* a message is in the first one; the second has no room */
  ch_sem go;           /* the body waits for it, if it waits */
  int waits;
};

static void begin(struct attempt *a, int shared, int waits) {
  int one = 1;
  if (shared) {
    ch_channel_init_shared(&a->ready, 1);
    ch_channel_init_shared(&a->open, 0);
  } else {
    ch_channel_init(&a->ready, 1);
    ch_channel_init(&a->open, 0);
  }
  ch_send(&a->ready, &one);
  a->go = (ch_sem)CH_SEM_INIT(0);
  a->waits = waits;
}

static int is_awaited(numbers *c) {
  int two = 2, sent = 0;
  waituntil(ch_send(c, &two)) sent = 1;
  else sent = 0;
  return sent;
}

/* Returns only by the jump. */
NI static void jump(struct attempt *a) {
  if (a->waits)
    ch_sem_wait(&a->go);
  EXPECT(is_awaited(&a->open)); /* its clause is complete now; another one for the same channel is not */
  longjmp(a->back, 5);
}
NI static void statement(struct attempt *a) {
  int x, y, z;
  waituntil(ch_recv(&a->ready, &x)) jump(a);
  and waituntil(ch_recv(&a->open, &y)) EXPECT(!"a body of a statement that has been left runs");
  and waituntil(ch_recv(&a->open, &z)) EXPECT(!"a body of a statement that has been left runs");
}
NI static void overwrite(int n) {
  volatile char bytes[2000];
  memset((char *)bytes, n, sizeof bytes);
  ch_reschedule();
  EXPECT(bytes[7] == n);
}
NI static void attempt(struct attempt *a) {
  if (setjmp(a->back) == 0)
    statement(a);
  overwrite(77);
  EXPECT(!is_awaited(&a->open));
}

TEST(a_jump_out_of_a_body_withdraws_the_other_clauses) {
  for (int shared = 0; shared < 2; shared++)
    for (int waits = 0; waits < 2; waits++) {
      struct attempt a;
      begin(&a, shared, waits);
      activate ch_sem_post(&a.go);
      attempt(&a);
      ch_reschedule();
    }
}

TEST(a_jump_out_of_a_statement_in_the_function_that_calls_setjmp_withdraws_its_clauses) {
  struct attempt a;
  int x, y;
  begin(&a, 0, 0);
  if (setjmp(a.back) == 0) {
    waituntil(ch_recv(&a.ready, &x)) longjmp(a.back, 1);
    and waituntil(ch_recv(&a.open, &y)) EXPECT(!"a body of a statement that has been left runs");
  }
  overwrite(1);
  EXPECT(!is_awaited(&a.open));
}

TEST(a_jump_leaves_the_bodies_that_began_after_setjmp_and_no_others) {
  struct attempt outer, inner;
  int x, y, bodies = 0;
  begin(&outer, 0, 0);
  begin(&inner, 0, 1);
  activate ch_sem_post(&inner.go);
  waituntil(ch_recv(&outer.ready, &x)) {
    attempt(&inner);
    EXPECT(is_awaited(&outer.open));
    bodies++;
  }
  and waituntil(ch_recv(&outer.open, &y)) bodies += y == 2;
  EXPECT(bodies == 2);
}

TEST(a_jump_over_nested_bodies_withdraws_the_clauses_of_each) {
  struct attempt outer, inner;
  int x, y;
  begin(&outer, 0, 0);
  begin(&inner, 0, 1);
  activate ch_sem_post(&inner.go);
  if (setjmp(inner.back) == 0) {
    waituntil(ch_recv(&outer.ready, &x)) statement(&inner);
    and waituntil(ch_recv(&outer.open, &y)) EXPECT(!"a body of a statement that has been left runs");
  }
  overwrite(2);
  EXPECT(!is_awaited(&outer.open) && !is_awaited(&inner.open));
}

TEST(a_lock_that_a_clause_holds_for_a_body_which_a_jump_prevents_is_released) {
  struct attempt a;
  int x, y;
  ch_mutex m = {0};
  begin(&a, 0, 0);
  if (setjmp(a.back) == 0) {
    waituntil(ch_recv(&a.ready, &x)) longjmp(a.back, 1);
    and waituntil(ch_hold(&m)) EXPECT(!"a body of a statement that has been left runs");
    and waituntil(ch_recv(&a.open, &y)) EXPECT(!"a body of a statement that has been left runs");
  }
  EXPECT(ch_try_lock(&m) == 0 && !is_awaited(&a.open));
  ch_unlock(&m);
}

/* The statements of each branch begin while it is still part of its parent's chain of calls. */
TEST(a_jump_in_a_branch_leaves_the_bodies_of_that_branch_only) {
  struct attempt a[4];
  int x, y, bodies = 0;
  ch_sem left = CH_SEM_INIT(0);
  for (int i = 0; i < 4; i++)
    begin(&a[i], 0, 1);
  do {
    for (int i = 0; i < 3; i++)
      async(i) {
        attempt(&a[i]);
        ch_sem_post(&left);
      }
    waituntil(ch_recv(&a[3].ready, &x)) {
      for (int i = 2; i >= 0; i--) {
        ch_sem_post(&a[i].go);
        ch_sem_wait(&left);
      }
      EXPECT(is_awaited(&a[3].open));
      bodies++;
    }
    and waituntil(ch_recv(&a[3].open, &y)) bodies += y == 2;
  } finish;
  EXPECT(bodies == 2);
}

/* The parent jumps while the branches that it has begun in the same scope are in bodies. */
NI static void begins_branches(struct attempt *a, ch_sem *begun) {
  do {
    for (int i = 0; i < 2; i++)
      async(i) {
        ch_sem_post(begun);
        attempt(&a[i]);
      }
    a[2].waits = 0;
    attempt(&a[2]);
    for (int i = 0; i < 2; i++)
      ch_sem_post(&a[i].go);
  } finish;
}
TEST(a_jump_of_the_parent_leaves_the_bodies_of_its_branches_alone) {
  struct attempt a[3];
  ch_sem begun = CH_SEM_INIT(0);
  for (int i = 0; i < 3; i++)
    begin(&a[i], 0, 1);
  begins_branches(a, &begun);
}

TEST(many_activities_jump_out_of_bodies_in_any_order) {
  enum { N = 50 };
  static struct attempt a[N];
  static ch_activity h[N];
  static char done[N];
  unsigned seed = 1;
  for (int i = 0; i < N; i++) {
    begin(&a[i], i % 3 == 0, 1);
    activate[&h[i]](i) {
      for (int again = 0; again < 3; again++) {
        int one = 1;
        if (again)
          ch_send(&a[i].ready, &one);
        attempt(&a[i]);
      }
      done[i] = 1;
    }
  }
  for (int left = 3 * N; left > 0; left--) {
    int i = rand_r(&seed) % N;
    ch_sem_post(&a[i].go);
    if (left % 4 == 0)
      ch_reschedule();
  }
  for (int i = 0; i < N; i++) {
    for (int again = 0; again < 3; again++)
      ch_sem_post(&a[i].go);
    ch_activity_wait(&h[i]);
    EXPECT(done[i]);
  }
}

/* ---- pthread_exit ---- */

NI static void exits(struct attempt *a) {
  int x, y;
  waituntil(ch_recv(&a->ready, &x)) pthread_exit(a);
  and waituntil(ch_recv(&a->open, &y)) EXPECT(!"a body of a statement that has been left runs");
}
static void *thread(void *attempt) {
  exits(attempt);
  return NULL;
}
TEST(pthread_exit_in_a_body_withdraws_the_other_clauses) {
  static struct attempt a;
  pthread_t t;
  void *result = NULL;
  begin(&a, 1, 0);
  EXPECT(pthread_create(&t, NULL, thread, &a) == 0 && pthread_join(t, &result) == 0 && result == &a);
  EXPECT(!is_awaited(&a.open));
}

/* ---- the scope around an activity's body, which a tamed call outside all scopes opens ---- */

tamed void waits_for(ch_sem *s) { ch_sem_wait(s); }
NI static void calls_and_jumps(ch_sem *s, jmp_buf back) {
  waits_for(s);
  longjmp(back, 3);
}
TEST(a_jump_over_a_call_of_a_tamed_function_leaves_no_scope) {
  ch_sem s = CH_SEM_INIT(0);
  jmp_buf back;
  if (setjmp(back) == 0)
    calls_and_jumps(&s, back);
  ch_sem_post(&s);
  ch_reschedule();
}

/* ---- blocks with events ---- */

static event(int) kept[4];
static unsigned kept_count;

/* Blocks of three kinds: with a rendezvous, with variables into which events store, and `twait`. */
NI static void leaves_blocks_with_events(jmp_buf back, rendezvous(int) outer, ch_sem *waits) {
  int x = 1, y[3] = {1, 1, 1};
  rendezvous(int) r;
  kept_count = 0;
  kept[kept_count++] = mkevent(r, 1, &x);
  kept[kept_count++] = mkevent(outer, 2, &y[1]);
  if (waits)
    ch_sem_wait(waits);
  twait {
    kept[kept_count++] = mkevent(&x);
    longjmp(back, 1);
  }
}
/* What is triggered now must not be stored, since something else is in its place. */
NI static void triggers_and_looks(rendezvous(int) outer) {
  volatile unsigned char bytes[6000];
  int id = 0;
  memset((void *)bytes, 0xa5, sizeof bytes);
  EXPECT(ch_outstanding(outer) == 2); /* that of the block, without its variable, and that of the caller */
  EXPECT(ch_trigger(kept[0], 9) == EALREADY && ch_trigger(kept[1], 9) == 0 && ch_trigger(kept[2], 9) == EALREADY);
  for (unsigned i = 0; i < sizeof bytes; i++)
    EXPECT(bytes[i] == 0xa5);
  EXPECT(twait(outer, &id) == 0 && id == 2);
}
NI static void jumps_out_of_blocks(ch_sem *waits) {
  rendezvous(int) outer;
  jmp_buf back;
  int mine = 0;
  event(int) stays = mkevent(outer, 3, &mine);
  if (setjmp(back) == 0)
    leaves_blocks_with_events(back, outer, waits);
  triggers_and_looks(outer);
  EXPECT(ch_trigger(stays, 7) == 0 && mine == 7);
}

TEST(a_jump_cancels_the_events_of_the_blocks_that_it_leaves) {
  jumps_out_of_blocks(NULL);
  atomic jumps_out_of_blocks(NULL);
}
TEST(a_jump_after_a_wait_cancels_the_events_of_the_blocks_that_it_leaves) {
  ch_sem s = CH_SEM_INIT(0);
  activate ch_sem_post(&s);
  jumps_out_of_blocks(&s);
}

static jmp_buf out_of_callback;
static struct ch_rendezvous *of_callback; /* the callback has no other way to get it */
static int calls_back(const void *a, const void *b) {
  rendezvous(int) *outer = (void *)of_callback;
  leaves_blocks_with_events(out_of_callback, *outer, NULL);
  return 0;
}
TEST(a_jump_of_plain_code_cancels_the_events_of_the_blocks_that_it_leaves) {
  rendezvous(int) outer;
  int pair[2] = {2, 1}, mine = 0;
  event(int) stays = mkevent(outer, 3, &mine);
  of_callback = (void *)&outer;
  if (setjmp(out_of_callback) == 0)
    qsort(pair, 2, sizeof *pair, calls_back);
  triggers_and_looks(outer);
  EXPECT(ch_trigger(stays, 7) == 0 && mine == 7);
}

/* The block's activation has become a branch of its own, which goes on. */
static event(int) of_tamed;
static int stored;
tamed void tamed_with_block(void) {
  int x = 0;
  twait { of_tamed = mkevent(&x); }
  stored = x;
}
NI static void calls_tamed_and_jumps(jmp_buf back) {
  tamed_with_block();
  longjmp(back, 1);
}
TEST(a_jump_leaves_the_events_of_other_branches_alone) {
  jmp_buf back;
  do {
    if (setjmp(back) == 0)
      calls_tamed_and_jumps(back);
    EXPECT(ch_trigger(of_tamed, 5) == 0);
  }
  finish;
  EXPECT(stored == 5);
}

/* Very many open blocks, of one branch and of many. */
NI static void nests(unsigned depth, jmp_buf back, rendezvous(int) outer) {
  int x;
  event(int) e = mkevent(outer, (int)depth, &x);
  EXPECT(ch_event_is_outstanding(e));
  if (depth == 0)
    longjmp(back, 1);
  nests(depth - 1, back, outer);
}
TEST(a_jump_leaves_any_number_of_blocks) {
  rendezvous(int) outer;
  struct ch_event_counts before, after;
  ch_sem go = CH_SEM_INIT(0);
  ch_activity all[100];
  ch_event_counts(&before);
  for (int i = 0; i < 100; i++)
    activate[&all[i]] {
      int x = 0;
      rendezvous() own;
      event(int) e = mkevent(own, &x);
      ch_sem_wait(&go);
      EXPECT(ch_trigger(e, 4) == 0 && x == 4 && twait(own) == 0);
    }
  ch_reschedule();
  jmp_buf back;
  if (setjmp(back) == 0)
    nests(300, back, outer);
  EXPECT(ch_outstanding(outer) == 301);
  for (int i = 0; i < 100; i++)
    ch_sem_post(&go);
  for (int i = 0; i < 100; i++)
    ch_activity_wait(&all[i]);
  ch_rendezvous_cancel(outer);
  ch_event_counts(&after);
  EXPECT(after.leaked == before.leaked && after.cancelled == before.cancelled + 301);
}

/* ---- a rendezvous that goes while somebody waits for it ---- */

tamed void waits_for_another(rendezvous(int) r, int *result) { *result = twait(r); }
NI static void goes_with_its_block(int *result) {
  rendezvous(int) r;
  event() e = mkevent(r, 1);
  waits_for_another(r, result);
  ch_event_cancel(e);
}
TEST(who_waits_for_a_rendezvous_is_told_when_it_goes_with_its_block) {
  int result = -1;
  do
    goes_with_its_block(&result);
  finish;
  EXPECT(result == ESTALE);
}

static void *exits_from_a_block(void *outer_of) {
  activate {
    volatile unsigned char bytes[6000];
    memset((void *)bytes, 0xa5, sizeof bytes);
    for (unsigned i = 0; i < kept_count; i++)
      (void)!ch_trigger(kept[i], 9);
    for (unsigned i = 0; i < sizeof bytes; i++)
      EXPECT(bytes[i] == 0xa5);
  }
  int x;
  rendezvous(int) r;
  kept_count = 0;
  kept[kept_count++] = mkevent(r, 1, &x);
  twait {
    kept[kept_count++] = mkevent(&x);
    pthread_exit(outer_of);
  }
  return NULL;
}
TEST(pthread_exit_cancels_the_events_of_the_blocks_that_it_leaves) {
  pthread_t t;
  EXPECT(pthread_create(&t, NULL, exits_from_a_block, NULL) == 0 && pthread_join(t, NULL) == 0);
}
