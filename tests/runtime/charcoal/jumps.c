/* longjmp and pthread_exit out of the body of a `waituntil` with `and` leave the statement as `break` does. Whether
 * somebody waits at a channel without room shows in whether a message can be sent to it. */
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
