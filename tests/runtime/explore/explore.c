/* The wait core, channels, futures, broadcasts, watched values, conditions, barriers, semaphores and mailboxes, in the
 * interleavings of two or three domains.
 *
 * The code is the runtime's own (runtime/wait, runtime/sync, runtime/reactor/mailbox.h); what lies below it, the
 * scheduler and, but where a mailbox is what is explored, the inboxes, is played here, and each atomic operation is a
 * point at which any other party may go on (explored.h). The parties are contexts of one thread, so a run is the
 * sequence of choices, and a program is run again and again until all sequences have been seen. Two that differ only in
 * the order of operations on different memory are the same (sleep sets: Godefroid, 1996), and only one of them is run.
 *
 * A party that waits for another's next step, or for a letter, cannot be chosen until there is one; that nobody can is
 * a deadlock, and a failure. So is an outcome that a program says to cover and that no run has had. A program whose
 * runs are too many is explored up to a limit, and then goes on with random choices.
 *
 *   explore [LIMIT]     runs of each program, 8000 by default */
#include "charcoal/broadcast.h"
#include "charcoal/channel.h"
#include "charcoal/future.h"
#include "charcoal/lowlevel.h"
#include "charcoal/watch.h"
#include "reactor/inbox.h"
#include "reactor/looking.h"
#include "sched/open_blocks.h"
#include "sync/cond.h"
#include "sync/held.h"
#include "sync/retry.h"
#include "wait/wait.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define PARTIES 3
#define DEEPEST 400

/* ---- the world below ---- */

struct ch_inbox {
  struct ch_mailbox box; /* is not used here: only the inbox of a domain that is awake is asked for it */
  struct ch_letter *first, **end;
  bool cancelled; /* somebody wants the wait of its domain to be cancelled */
  bool closed;    /* its domain has ended */
};

struct party {
  ucontext_t context;
  char stack[64 * 1024];
  struct ch_domain domain;
  struct ch_branch branch;
  struct ch_inbox inbox;
  struct ch_wait *enlisting;
  const volatile void *at; /* what it does next */
  bool writes, spins, sleeps, ended, changed;
  const int *bell; /* it sleeps until this is above 0 */
};
static struct party parties[PARTIES];
static int n_parties, current;
static ucontext_t chooser;

__thread __attribute__((tls_model("initial-exec"))) struct ch_domain ch_domain;
#undef ch_tls
__thread __attribute__((tls_model("initial-exec"))) struct ch_tls ch_tls_here,
    ch_tls; /* as the runtime and the ABI call it */
__thread __attribute__((tls_model("initial-exec"))) struct ch_inbox *ch_inbox_of_thread;
struct ch_wait *ch_enlisting_here;
bool ch_schedule_random;

static void fail(const char *what);

/* No time slice ends here, so a call that has not waited never gives way at its end. */
struct ch_int_result ch_done_later(long value) {
  (void)value;
  abort();
}

static void step_aside(void) {
  struct party *p = &parties[current];
  p->domain = ch_domain;
  p->enlisting = ch_enlisting_here;
  swapcontext(&p->context, &chooser);
  p = &parties[current];
  ch_domain = p->domain;
  ch_enlisting_here = p->enlisting;
  ch_inbox_of_thread = &p->inbox;
}

void explored_point(const volatile void *at, bool writes) {
  struct party *p = &parties[current];
  p->at = at;
  p->writes = writes;
  step_aside();
}
void explored_changed(const volatile void *at) {
  for (int i = 0; i < n_parties; i++)
    if (parties[i].at == at)
      parties[i].changed = true;
}
void explored_spin(void) {
  struct party *p = &parties[current];
  p->spins = true;
  p->changed = p->writes = false;
  step_aside();
  parties[current].spins = false;
}

bool ch_inbox_post(struct ch_inbox *to, struct ch_letter *letter) {
  explored_point(to, true);
  if (to->closed)
    return false;
  letter->next = NULL;
  *(to->first ? to->end : &to->first) = letter;
  to->end = &letter->next;
  explored_changed(to);
  return true;
}
bool ch_inbox_recall(struct ch_letter *letter) {
  struct ch_inbox *inbox = ch_inbox_of_thread;
  explored_point(inbox, true);
  for (struct ch_letter **at = &inbox->first; *at; at = &(*at)->next)
    if (*at == letter) {
      if (!(*at = letter->next))
        inbox->end = at;
      return true;
    }
  return false;
}
struct ch_inbox *ch_inbox_here(void) { return ch_inbox_of_thread; }
bool ch_inbox_is_gone(const struct ch_inbox *inbox) { return (void)inbox, fail("nobody forks here"), false; }
/* The running party's domain ends. */
static void end_domain(void) {
  struct ch_inbox *inbox = ch_inbox_of_thread;
  while (explored_point(inbox, true), inbox->first) {
    struct ch_letter *letter = inbox->first;
    inbox->first = letter->next;
    letter->open(letter);
  }
  inbox->closed = true;
}

intptr_t ch_wait_native(unsigned by) {
  struct ch_branch *b = ch_domain.current;
  struct ch_inbox *inbox = ch_inbox_of_thread;
  (void)by;
  while (b->state != CH_READY) {
    parties[current].sleeps = true;
    explored_point(inbox, true);
    parties[current].sleeps = false;
    struct ch_letter *letter = inbox->first;
    if (letter) {
      inbox->first = letter->next;
      letter->open(letter);
    } else if (inbox->cancelled) {
      inbox->cancelled = false;
      ch_domain.marked_count = 1;
      ch_wait_cancel(b);
    }
  }
  ch_domain.base.head = NULL;
  b->state = CH_READY;
  return (intptr_t)b->link.prev;
}
static void cancel_party(int i) {
  explored_point(&parties[i].inbox, true);
  parties[i].inbox.cancelled = true;
}

void ch_ready_specially(struct ch_branch *b) { (void)b, fail("no activity has scopes or a handle here"); }
void ch_ready_first(struct ch_branch *b) { (void)b; }
void ch_slice_start(void) {}
bool ch_host_begin(void) { return false; }
bool ch_wait_in_place_slow(void) { return false; }
bool ch_is_marked_slow(void) { return true; }
uint16_t ch_block_open(void *block, const struct ch_block_kind *kind, const char *site) { /* nobody jumps here */
  return (void)block, (void)kind, (void)site, 1;
}
void ch_block_close(void *block, uint16_t remembered) { (void)block, (void)remembered; }
struct ch_clause ch_timer_clause(int64_t duration) {
  return (void)duration, fail("no time here"), (struct ch_clause){0};
}
struct ch_frame *ch_frame_new(const struct ch_frame_info *info) { return (void)info, fail("no frames here"), NULL; }
void ch_frame_free(struct ch_frame *f) { (void)f; }
void ch_object_claim(struct ch_object *, const char *);
bool ch_some_are_gone;
uint32_t ch_lock_mark = 1, ch_process_is_known[1] = {1};
void ch_child_notice(void) { fail("nobody forks here"); }
bool ch_wait_is_gone(const struct ch_wait *w) { return (void)w, fail("nobody forks here"), false; }
int ch_checks;
void ch_held_note_slow(const struct ch_gate_kind *k, const struct ch_gate *g, const void *place) {
  (void)k, (void)g, (void)place;
}
void ch_held_forget_slow(const struct ch_gate *g) { (void)g; }
bool ch_retry(struct ch_retry *r) { return r->pauses++ == 0; } /* each call once */
void ch_let_others_go_ahead(void) {}
static bool looks_on; /* waits begin with an offer, and look at it once */
bool ch_look_on_begins(struct ch_look_on *l, struct ch_worth *w) { return l->worth = w, looks_on; }
bool ch_look_on_lasts(struct ch_look_on *l) { return (void)l, false; }
static unsigned offers_taken; /* in this run; or other looks that paid */
void ch_look_on_paid(struct ch_look_on *l) { (void)l, offers_taken++; }

/* ---- choices ---- */

struct node {
  int chosen;
  unsigned able, asleep; /* sets of parties */
  const volatile void *at[PARTIES];
  bool writes[PARTIES];
};
static struct node path[DEEPEST];
static int depth, known; /* nodes before `known` are given */
static bool random_choices;
static uint64_t draw_state = 1;
static const char *program;
static unsigned long runs;

static void fail(const char *what) {
  printf("%s, run %lu: %s; choices:", program, runs, what);
  for (int i = 0; i < depth; i++)
    printf(" %d", path[i].chosen);
  printf("\n0 passed, 1 failed\n");
  exit(1);
}
_Noreturn void ch_deadlock(struct ch_group *g, const char *why) { (void)g, fail(why), abort(); }
#define EXPECT(condition) ((condition) ? (void)0 : fail("expected " #condition))

static bool is_able(const struct party *p) {
  if (p->ended)
    return false;
  if (p->bell)
    return *p->bell > 0;
  if (p->sleeps)
    return p->inbox.first || p->inbox.cancelled;
  return !p->spins || p->changed;
}

static uint64_t draw(void) { return (draw_state = draw_state * 6364136223846793005u + 1442695040888963407u) >> 33; }

/* Who goes on; -1: nobody, and all have ended; -2: this run is like one that has been. */
static int choose(void) {
  unsigned able = 0;
  bool all_ended = true;
  for (int i = 0; i < n_parties; i++) {
    able |= (unsigned)is_able(&parties[i]) << i;
    all_ended &= parties[i].ended;
  }
  if (!able) {
    if (!all_ended)
      fail("nobody can go on");
    return -1;
  }
  EXPECT(depth < DEEPEST);
  struct node *n = &path[depth];
  if (random_choices) {
    do
      n->chosen = (int)(draw() % (unsigned)n_parties);
    while (!(able >> n->chosen & 1));
    return path[depth++].chosen;
  }
  if (depth >= known) {
    n->able = able;
    n->asleep = 0;
    for (int i = 0; i < n_parties; i++) {
      n->at[i] = parties[i].at;
      n->writes[i] = parties[i].writes;
    }
    if (depth > 0) {
      const struct node *b = n - 1;
      for (int i = 0; i < n_parties; i++)
        if (b->asleep >> i & 1 && (b->at[i] != b->at[b->chosen] || !(b->writes[i] || b->writes[b->chosen])))
          n->asleep |= 1u << i;
    }
    if (!(able & ~n->asleep))
      return -2;
    n->chosen = __builtin_ctz(able & ~n->asleep);
    known = depth + 1;
  }
  return path[depth++].chosen;
}

/* The next sequence of choices. False: there is none. */
static bool backtrack(void) {
  while (known > 0) {
    struct node *n = &path[known - 1];
    n->asleep |= 1u << n->chosen;
    unsigned left = n->able & ~n->asleep;
    if (left) {
      n->chosen = __builtin_ctz(left);
      return true;
    }
    known--;
  }
  return false;
}

static void (*bodies[PARTIES])(void);
static void begin(void) {
  bodies[current]();
  parties[current].ended = true;
  parties[current].at = NULL;
  step_aside();
}

/* One run. False: it was cut short, being like another. */
static bool run(void (*set_up)(void)) {
  depth = 0;
  for (int i = 0; i < n_parties; i++) {
    struct party *p = &parties[i];
    p->inbox = (struct ch_inbox){0};
    p->ended = p->spins = p->sleeps = p->changed = false;
    p->enlisting = NULL;
    p->bell = NULL;
    p->branch = (struct ch_branch){.state = CH_READY};
    p->domain = (struct ch_domain){.current = &p->branch, .slicing = 1};
    p->domain.group = &ch_domain.base;
    getcontext(&p->context);
    p->context.uc_stack.ss_sp = p->stack;
    p->context.uc_stack.ss_size = sizeof p->stack;
    p->context.uc_link = &chooser;
    makecontext(&p->context, begin, 0);
  }
  set_up();
  for (current = 0; current < n_parties; current++) { /* up to its first point, where it touches what others see */
    ch_domain = parties[current].domain;
    ch_enlisting_here = NULL;
    ch_inbox_of_thread = &parties[current].inbox;
    swapcontext(&chooser, &parties[current].context);
  }
  for (;;) {
    int who = choose();
    if (who < 0)
      return who == -1;
    current = who;
    swapcontext(&chooser, &parties[current].context);
  }
}

/* ---- outcomes ---- */

enum { OUTCOMES = 8 };
static unsigned long seen[OUTCOMES];
static void outcome(int i) { seen[i]++; }

static unsigned passed;
static void explore(const char *name, unsigned n, void (*const body[])(void), void (*set_up)(void), void (*check)(void),
                    int outcomes, unsigned long limit) {
  program = name;
  n_parties = (int)n;
  memcpy(bodies, body, n * sizeof *body);
  memset(seen, 0, sizeof seen);
  random_choices = false;
  known = 0;
  unsigned long whole = 0;
  bool more = true;
  for (runs = 0; more && runs < limit; runs++) {
    if (run(set_up)) {
      whole++;
      check();
    }
    more = backtrack();
  }
  unsigned long drawn = 0;
  for (random_choices = true; more && drawn < limit / 2; drawn++, runs++) {
    run(set_up);
    check();
  }
  printf("%-44s %7lu runs%s, outcomes", name, whole + drawn, more ? " (not all)" : "");
  for (int i = 0; i < outcomes; i++)
    printf(" %lu", seen[i]);
  printf("\n");
  for (int i = 0; i < outcomes; i++)
    if (!seen[i])
      fail("an outcome that is to be covered has never been seen");
  passed++;
}

/* ---- programs ---- */

static struct ch_channel channels[3];
static union {
  struct ch_future f;
  char room[sizeof(struct ch_future) + sizeof(long)];
} futures[3];
static int result[PARTIES];
static long got[PARTIES];

static struct ch_broadcast broadcasts[1];
static struct ch_subscription subscribed[2];
static union {
  struct ch_watched w;
  char room[sizeof(struct ch_watched) + sizeof(long)];
} watched;

static void set_up_with(size_t room) {
  free(broadcasts[0].ring), free(broadcasts[0].next);
  ch_broadcast_make(&broadcasts[0], 1, CH_SLOW_WAIT, sizeof(long), 1);
  for (int i = 0; i < 2; i++)
    subscribed[i] = (struct ch_subscription){.of = &broadcasts[0]};
  broadcasts[0].subscriptions = broadcasts[0].next[0] = 2;
  ch_watched_make(&watched.w, 1);
  for (int i = 0; i < 3; i++) {
    if (channels[i].object.ends)
      ch_ends_free(channels[i].object.ends);
    ch_channel_make(&channels[i], room, sizeof(long), 1);
    ch_future_make(&futures[i].f, 1);
    result[i] = -1;
    got[i] = 0;
  }
  looks_on = false;
  offers_taken = 0;
}
static void rendezvous(void) { set_up_with(0); }
static void rendezvous_with_offers(void) { rendezvous(), looks_on = true; }
static void one_place(void) { set_up_with(1); }

/* A wait of up to three clauses, in static memory of the party. */
static struct ch_wait waits[PARTIES];
static struct ch_channel_send__clause s[PARTIES];
static struct ch_channel_recv__clause r[PARTIES];
static struct ch_future_get__clause g[PARTIES];
static long mine[PARTIES];

static struct ch_wait *over(unsigned flags) { return ch_wait_enter(&waits[current], flags, NULL), &waits[current]; }
static void add_send(int channel, unsigned index) {
  mine[current] = 100 + current;
  ch_channel_send__clause(&s[current], &channels[channel], &mine[current], sizeof(long));
  ch_wait_add(&waits[current], &s[current].pass.clause, index);
}
static void add_recv(int channel, unsigned index) {
  ch_channel_recv__clause(&r[current], &channels[channel], &got[current], sizeof(long));
  ch_wait_add(&waits[current], &r[current].pass.clause, index);
}
static void add_get(int future, unsigned index) {
  ch_future_get__clause(&g[current], &futures[future].f, NULL, sizeof(long));
  ch_wait_add(&waits[current], &g[current].clause, index);
}
static void set(int future) { EXPECT(ch_future_put(&futures[future].f, &(long){1}, sizeof(long), 0) == 0); }
static void set_again(int future) { ch_future_put(&futures[future].f, &(long){1}, sizeof(long), 0); }
static int try_send(int channel, long x) { return ch_channel_try_send(&channels[channel], &x, sizeof x); }
static bool has_offers(const struct ch_channel *c) {
  const struct ch_ends *e = c->object.ends;
  return e && e->slots == 0 && (e->meeting.send.state || e->meeting.receive.state);
}
static bool nobody_waits(void) {
  for (int i = 0; i < 3; i++)
    if (has_offers(&channels[i]) || !ch_list_empty(&channels[i].receivers) || !ch_list_empty(&channels[i].senders) ||
        !ch_list_empty(&futures[i].f.readers))
      return false;
  if (!ch_list_empty(&broadcasts[0].awaited) || !ch_list_empty(&broadcasts[0].publishers) ||
      !ch_list_empty(&watched.w.watchers))
    return false;
  for (int i = 0; i < n_parties; i++)
    if (parties[i].domain.base.outside != 0 || parties[i].domain.base.by_others != 0 || parties[i].inbox.first)
      return false;
  return true;
}

/* Two futures are set while one party waits for either. */
static void gets_either(void) {
  over(0), add_get(0, 0);
  struct ch_future_get__clause second;
  ch_future_get__clause(&second, &futures[1].f, NULL, sizeof(long));
  ch_wait_add(&waits[current], &second.clause, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void sets_0(void) { set(0); }
static void sets_1(void) { set(1); }
static void check_either(void) {
  EXPECT((result[0] == 0 || result[0] == 1) && nobody_waits());
  outcome(result[0]);
}

/* Both sides select. */
static void sends_0_or_receives_1(void) {
  over(0), add_send(0, 0), add_recv(1, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void receives_0_or_sends_1(void) {
  over(0), add_recv(0, 0), add_send(1, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void expect_both_sides(void) {
  EXPECT(result[0] == result[1] && (result[0] == 0 || result[0] == 1) && nobody_waits());
  EXPECT(result[0] == 0 ? got[1] == 100 && got[0] == 0 : got[0] == 101 && got[1] == 0);
}
static void check_both_sides(void) {
  expect_both_sides();
  outcome(result[0]);
}
static void receives_1_or_sends_0(void) {
  over(0), add_recv(1, 1), add_send(0, 0);
  result[current] = ch_wait_any(&waits[current]);
}

/* Cancel against a sender. */
static void receives_or_is_cancelled(void) {
  over(0), add_recv(0, 0);
  result[current] = ch_wait_any(&waits[current]);
}
static void tries_to_send(void) { result[current] = try_send(0, 7); }
static void cancels(void) { cancel_party(0); }
static void check_cancel(void) {
  if (result[0] == 0)
    EXPECT(result[1] == 0 && got[0] == 7);
  else
    EXPECT(result[0] == -ECANCELED && result[1] == EAGAIN && got[0] == 0);
  EXPECT(nobody_waits());
  outcome(result[0] != 0);
}

/* A third party fires one of two waits that are about to meet. Who is left over is released. */
static void receives_or_gets_0(void) {
  over(0), add_get(0, 1), add_recv(0, 0);
  result[current] = ch_wait_any(&waits[current]);
  if (result[current] == 1)
    set(1);
}
static bool third_waited;
static void sends_or_gets_1(void) {
  over(0), add_get(1, 1), add_send(0, 0);
  result[current] = ch_wait_any(&waits[current]);
}
static void sets_0_and_looks(void) {
  set(0);
  third_waited = parties[current].changed;
}
static void set_up_third(void) { rendezvous(), third_waited = false; }
static void check_third(void) {
  EXPECT(result[0] == result[1] && nobody_waits());
  EXPECT(result[0] == 0 ? got[0] == 101 : got[0] == 0);
  outcome(result[0]);
  if (third_waited)
    outcome(2);
}

/* A circle of three, each of which sends to the next or receives from the one before; who meets nobody is released. */
static void circle(int i) {
  over(0), add_send(i, 0), add_recv((i + 2) % 3, 1), add_get(0, 2);
  result[current] = ch_wait_any(&waits[current]);
  set_again(0);
}
static void circle_0(void) { circle(0); }
static void circle_1(void) { circle(1); }
static void circle_2(void) { circle(2); }
static void check_circle(void) {
  int sent = 0, received = 0, released = 0;
  for (int i = 0; i < 3; i++) {
    sent += result[i] == 0;
    received += result[i] == 1;
    released += result[i] == 2;
    if (result[i] == 1)
      EXPECT(result[(i + 2) % 3] == 0 && got[i] == 100 + (i + 2) % 3);
  }
  EXPECT(sent == 1 && received == 1 && released == 1 && nobody_waits());
  for (int i = 0; i < 3; i++)
    if (result[i] == 2)
      outcome(i);
}

/* With `and`: all are told once. */
static void gets_and_receives(void) {
  over(CH_WAIT_AND), add_get(0, 0), add_recv(0, 1);
  int told = 0, k;
  while ((k = ch_wait_next(&waits[current])) >= 0) {
    EXPECT(!(told & 1 << k));
    told |= 1 << k;
  }
  EXPECT(k == -ENOENT);
  ch_wait_leave(&waits[current]);
  result[current] = told;
}
static void sends(void) { result[current] = ch_channel_send(&channels[0], &(long){9}, sizeof(long)); }
static void check_and(void) {
  EXPECT(result[0] == 3 && result[2] == 0 && got[0] == 9 && nobody_waits());
  outcome(0);
}

/* With `and`, and closed after the first: what was too late to be withdrawn is told, and nothing else happened. */
static void gets_and_receives_until_one(void) {
  over(CH_WAIT_AND), add_get(0, 0), add_recv(0, 1);
  int told = 0, k = ch_wait_next(&waits[current]);
  EXPECT(k == 0 || k == 1);
  told = 1 << k;
  ch_wait_close(&waits[current]);
  while ((k = ch_wait_next(&waits[current])) >= 0)
    told |= 1 << k;
  EXPECT(k == -ENOENT);
  ch_wait_leave(&waits[current]);
  result[current] = told;
}
static void tries_to_send_and_sets(void) {
  result[current] = try_send(0, 7);
  if (result[current] != 0)
    set_again(0);
}
static void sets_0_again(void) { set_again(0); }
static void check_until_one(void) {
  EXPECT(((result[0] & 2) != 0) == (result[2] == 0) && got[0] == (result[0] & 2 ? 7 : 0) && nobody_waits());
  outcome(result[0] - 1);
}

/* With `and`, cancelled while another domain sends: what can no longer be withdrawn is told, late. */
static bool told_late;
static void gets_and_receives_until_cancelled(void) {
  over(CH_WAIT_AND), add_get(0, 0), add_recv(0, 1);
  int told = 0, k;
  told_late = false;
  while ((k = ch_wait_next(&waits[current])) >= 0) {
    EXPECT(k == 1 && !told);
    told = 1;
    told_late = ch_domain.marked_count != 0;
  }
  EXPECT(k == -ECANCELED && ch_wait_next(&waits[current]) == -ECANCELED);
  ch_wait_leave(&waits[current]);
  result[current] = told;
}
static void check_and_cancelled(void) {
  EXPECT((result[0] == 1) == (result[1] == 0) && got[0] == (result[0] ? 7 : 0) && nobody_waits());
  outcome(told_late ? 2 : result[0]);
}

/* A subscriber that selects: a message that it has not been given stays for it. */
static struct ch_subscription_next__clause n[PARTIES];
static void add_next(unsigned index) {
  ch_subscription_next__clause(&n[current], &subscribed[current], &got[current], sizeof(long));
  ch_wait_add(&waits[current], &n[current].clause, index);
}
static void hears_or_gets_0(void) {
  over(0), add_next(0), add_get(0, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void publishes(void) { EXPECT(ch_broadcast_try_send(&broadcasts[0], &(long){5}, sizeof(long)) == 0); }
static void check_hears(void) {
  EXPECT(result[0] == 0 ? got[0] == 5 : result[0] == 1 && got[0] == 0);
  EXPECT(broadcasts[0].sent == 1 && subscribed[0].at == (result[0] == 0) && nobody_waits());
  outcome(result[0]);
}

/* Room for one: the second message is published when both have received the first. */
static void hears_twice(void) {
  for (int i = 0; i < 2; i++) {
    EXPECT(ch_subscription_next(&subscribed[current], &got[current], sizeof(long)) == 0);
    EXPECT(got[current] == i + 1);
  }
  result[current] = 0;
}
static void publishes_twice(void) {
  for (long i = 1; i <= 2; i++)
    EXPECT(ch_broadcast_send(&broadcasts[0], &i, sizeof i) == 0);
  result[current] = 0;
}
static void check_twice(void) {
  EXPECT(result[0] == 0 && result[1] == 0 && result[2] == 0 && nobody_waits());
  outcome(0);
}

/* A value that is set twice, and closed, while one watches. */
static void watches_until_closed(void) {
  uint64_t seen = 0;
  long last = 0;
  int times = 0, error;
  while ((error = ch_watched_next(&watched.w, &seen, &got[current], sizeof(long))) == 0) {
    EXPECT(got[current] > last);
    last = got[current];
    times++;
  }
  EXPECT(error == EPIPE && last == 2);
  result[current] = times;
}
static void sets_twice_and_closes(void) {
  for (long i = 1; i <= 2; i++)
    EXPECT(ch_watched_put(&watched.w, &i, sizeof i) == 0);
  EXPECT(ch_watched_close(&watched.w) == 0);
}
static void check_watches(void) {
  EXPECT((result[0] == 1 || result[0] == 2) && nobody_waits());
  outcome(result[0] - 1);
}

/* With `and`, left in the middle: nothing of the wait is known to anybody. */
static void gets_and_leaves(void) {
  over(CH_WAIT_AND), add_get(0, 0), add_recv(0, 1);
  int k = ch_wait_next(&waits[current]);
  ch_wait_leave(&waits[current]);
  memset(&waits[current], 0x55, sizeof waits[current]);
  memset(&r[current], 0x55, sizeof r[current]);
  memset(&g[current], 0x55, sizeof g[current]);
  result[current] = k;
}
static void check_leaves(void) {
  EXPECT(nobody_waits());
  outcome(result[0]);
}

/* `else` against one who waits on the other side, or comes. */
static void tries_to_receive(void) {
  over(0), add_recv(0, 0);
  result[current] = ch_wait_try(&waits[current]);
  if (result[current] != 0)
    set(0);
}
static void sends_or_gets_0(void) {
  over(0), add_send(0, 0), add_get(0, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void check_else(void) {
  EXPECT(result[0] == 0 ? result[1] == 0 && got[0] == 101 : result[0] == -ENOENT && result[1] == 1 && got[0] == 0);
  EXPECT(nobody_waits());
  outcome(result[0] != 0);
}

/* A channel that is closed while one receives and another sends. */
static void receives_0(void) { result[current] = ch_channel_recv(&channels[0], &got[current], sizeof(long)); }
static void closes(void) { EXPECT(ch_channel_close(&channels[0]) == 0); }
static int kept_by_0(void) {
  const struct ch_ends *e = channels[0].object.ends;
  return e ? (int)ch_ends_length(e) : 0;
}
static void check_close(void) {
  bool sent = result[1] == 0, received = result[0] == 0;
  EXPECT(sent || result[1] == EPIPE);
  EXPECT(received ? sent && got[0] == 9 : result[0] == EPIPE && kept_by_0() == sent);
  EXPECT(nobody_waits() && !(kept_by_0() && received));
  outcome(received); /* what was sent before the end is still received */
}

/* A channel with room for one: a sender sends two messages, and two others receive, one by a call and one by a
 * statement. Each of the three finds it full or empty, and waits, in some runs. */
static void sends_two(void) {
  result[current] = ch_channel_send(&channels[0], &(long){9}, sizeof(long));
  result[current] += ch_channel_send(&channels[0], &(long){7}, sizeof(long));
}
static void receives_0_by_a_statement(void) {
  over(0), add_get(0, 0), add_recv(0, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void check_room_for_one(void) {
  EXPECT(result[0] == 0 && result[1] == 0 && result[2] == 1);
  EXPECT(got[1] + got[2] == 16 && kept_by_0() == 0 && nobody_waits());
  outcome(got[1] == 9);
}

/* One waits for a message or for a future, and looks on before it waits: the channel keeps the message, so there is
 * nothing to offer. */
static void looks_at_one_place(void) { set_up_with(1), looks_on = true; }
static void receives_0_or_gets_0(void) {
  over(0), add_recv(0, 0), add_get(0, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void check_look_at_room(void) {
  EXPECT(nobody_waits() && kept_by_0() == (result[0] == 0 ? 0 : 1));
  EXPECT(result[0] == 0 ? got[0] == 7 : result[0] == 1 && got[0] == 0);
  outcome(offers_taken ? 2 : result[0]);
}

/* The same with offers, which are taken in some runs. A channel without room that one of two receivers may close. */
static void check_offered_both_sides(void) {
  expect_both_sides();
  EXPECT(result[0] == 0); /* which both ask first */
  outcome(offers_taken != 0);
}
static void check_offered_in_other_orders(void) {
  check_both_sides();
  outcome(offers_taken ? 3 : 2);
}
static void receives_before_it_gets_0(void) {
  over(0), add_recv(0, 0), add_get(0, 1);
  result[current] = ch_wait_any(&waits[current]);
  if (result[current] == 1)
    set(1);
}
static void sends_before_it_gets_1(void) {
  over(0), add_send(0, 0), add_get(1, 1);
  result[current] = ch_wait_any(&waits[current]);
}
static void check_offered_third(void) {
  EXPECT(result[0] == result[1] && nobody_waits());
  EXPECT(result[0] == 0 ? got[0] == 101 : got[0] == 0);
  outcome(result[0]);
  outcome(offers_taken ? 3 : 2);
}
static void receives_0_or_closes(void) {
  over(0), add_recv(0, 0);
  result[current] = ch_wait_any(&waits[current]) == 0 ? (int)ch_clause_result(&r[current].pass.clause) : -1;
  if (result[current] == 0)
    EXPECT(ch_channel_close(&channels[0]) == 0);
}
static void check_offered_close(void) {
  EXPECT(result[0] + result[1] == EPIPE && got[0] + got[1] == 9 && result[2] == 0 && nobody_waits());
  outcome(result[0] == 0 ? 0 : 1);
  outcome(2 + (int)offers_taken);
}

/* Who has received destroys the channel while the sender may not know yet that its offer has been taken. */
static void receives_0_and_destroys(void) {
  receives_0();
  EXPECT(ch_channel_destroy_(&channels[0]) == 0);
}
static void check_offered_and_destroyed(void) {
  EXPECT(result[0] == 0 && result[1] == 0 && got[0] == 9);
  outcome((int)offers_taken);
}

/* An offer names the place of a message that is longer than a word; nobody uses that place later. */
struct long_message {
  long words[4];
};
static struct long_message arrived_whole;
static void offers_and_long_messages(void) {
  rendezvous_with_offers();
  arrived_whole = (struct long_message){{0}};
}
static void sends_a_long_one(void) {
  struct long_message m = {{1, 2, 3, 4}};
  result[current] = ch_channel_send(&channels[0], &m, sizeof m);
  m = (struct long_message){{0}};
}
static void receives_a_long_one(void) {
  struct long_message m = {{0}};
  result[current] = ch_channel_recv(&channels[0], &m, sizeof m);
  arrived_whole = m;
}
static void check_long_message(void) {
  const struct long_message whole = {{1, 2, 3, 4}}, none = {{0}};
  EXPECT(result[0] == result[1] && (result[0] == 0 || result[0] == EPIPE) && nobody_waits());
  EXPECT(memcmp(&arrived_whole, result[0] == 0 ? &whole : &none, sizeof whole) == 0);
  outcome(result[0] != 0 ? 0 : 1 + (int)offers_taken);
}

/* An offer whose wait has a clause of its own domain before it. */
static union {
  struct ch_future f;
  char room[sizeof(struct ch_future) + sizeof(long)];
} local;
static void offers_and_a_local_future(void) {
  rendezvous_with_offers();
  ch_future_make(&local.f, 0);
}
static void gets_its_own_or_receives(void) {
  over(0);
  ch_future_get__clause(&g[current], &local.f, NULL, sizeof(long));
  ch_wait_add(&waits[current], &g[current].clause, 1);
  add_recv(0, 0);
  result[current] = ch_wait_any(&waits[current]);
}
static void check_behind(void) {
  EXPECT(ch_list_empty(&local.f.readers));
  check_cancel();
  if (offers_taken)
    outcome(2);
}

/* A waiter at which one is suspended until both others have scheduled it. */
static ch_waiter waiter;
static bool done[PARTIES];
static void set_up_waiter(void) {
  rendezvous();
  waiter = (ch_waiter){{0}};
  memset(done, 0, sizeof done);
}
static void set_up_waiter_and_look_on(void) { set_up_waiter(), looks_on = true; }
static void is_suspended_until_both_have_come(void) {
  while (!done[1] || !done[2])
    EXPECT(ch_waiter_suspend(&waiter) == 0);
}
static void schedules(void) {
  done[current] = true;
  ch_waiter_schedule(&waiter);
}
static void check_waiter(void) {
  EXPECT(nobody_waits());
  outcome(offers_taken ? 1 : 0);
}

/* The same by a call that is cancelled: a schedule that comes too late for it is kept. */
static void is_suspended_or_cancelled(void) {
  if ((result[current] = ch_waiter_wait(&waiter)) == 0)
    return;
  ch_domain.marked_count = 0;
  EXPECT(result[current] == ECANCELED && ch_waiter_wait(&waiter) == 0);
}
static void check_waiter_and_cancel(void) {
  check_waiter();
  if (result[0] == ECANCELED)
    outcome(2);
}

/* A statement waits for a schedule or a future. If the future is had, the schedule is kept, also one that was on its
 * way. */
static struct ch_waiter_wait__clause scheduled;
static void is_scheduled_or_gets_0(void) {
  ch_wait_enter(&waits[current], 0, NULL);
  ch_waiter_wait__clause(&scheduled, &waiter);
  ch_wait_add(&waits[current], &scheduled.clause, 0);
  add_get(0, 1);
  result[current] = ch_wait_any(&waits[current]);
  if (result[current] == -ECANCELED) {
    ch_domain.marked_count = 0;
    result[current] = 2;
  }
  if (result[current] != 0)
    EXPECT(ch_waiter_suspend(&waiter) == 0);
}
static void check_scheduled(void) {
  EXPECT(nobody_waits());
  outcome(result[0] != 0);
}

/* A condition that is signalled while a wait for it is cancelled. */
static ch_mutex mutex;
static ch_cond cond;
static ch_barrier barrier;
static bool comes_again;
static void set_up_locks(void) {
  ch_mutex_init(&mutex, CH_SHARED);
  ch_cond_init(&cond, CH_SHARED);
  ch_barrier_init(&barrier, 2, CH_SHARED);
  rendezvous();
  comes_again = false;
}
static void sleeps_until_signalled(void) {
  EXPECT(ch_lock(&mutex) == 0);
  result[current] = ch_cond_sleep(&cond, &mutex);
}
static void signals(void) { EXPECT(ch_cond_signal(&cond) == 0); }
static void check_signal(void) {
  EXPECT(cond.signals == 0 && cond.gate.waiting == 0 && ch_list_empty(&cond.gate.waiters));
  EXPECT(!mutex.owner && nobody_waits());
  outcome(result[0] == 0 ? 0 : 1);
}

/* A mutex that three lock, one of them by a statement, and one of whom may be cancelled. */
static int inside, gone_in;
static void set_up_mutex(void) { set_up_locks(), inside = gone_in = 0; }
static void leaves_the_mutex(void) {
  EXPECT(inside++ == 0);
  gone_in++;
  explored_point(&inside, true);
  inside--;
  EXPECT(ch_unlock(&mutex) == 0);
}
static void locks(void) {
  if ((result[current] = ch_lock(&mutex)) == 0)
    leaves_the_mutex();
}
static void locks_or_gets_0(void) {
  struct ch_lock__clause lock;
  over(0);
  ch_lock__clause(&lock, &mutex);
  ch_wait_add(&waits[current], &lock.gate.clause, 0);
  add_get(0, 1);
  EXPECT((result[current] = ch_wait_any(&waits[current])) == 0 && ch_clause_result(&lock.gate.clause) == 0);
  leaves_the_mutex();
}
static void tries_to_lock(void) {
  if ((result[current] = ch_try_lock(&mutex)) == 0)
    leaves_the_mutex();
}
static void check_mutex(void) {
  EXPECT(result[0] == 0 && result[1] == 0 && gone_in == (result[2] == 0 ? 3 : 2));
  EXPECT(inside == 0 && !mutex.owner && mutex.gate.waiting == 0 && nobody_waits());
  EXPECT(ch_list_empty(&mutex.gate.waiters));
  outcome(result[2] == 0 ? 0 : 1);
}
static void check_cancelled_at_a_mutex(void) {
  EXPECT((result[0] == 0 || result[0] == ECANCELED) && result[1] == 0 && gone_in == (result[0] == 0 ? 2 : 1));
  EXPECT(inside == 0 && !mutex.owner && mutex.gate.waiting == 0 && nobody_waits());
  outcome(result[0] == 0 ? 0 : 1);
}

/* A barrier for two, of whom one is cancelled and comes again. */
static void arrives_once_more_if_cancelled(void) {
  result[current] = ch_barrier_wait(&barrier);
  if (result[current] != ECANCELED)
    return;
  ch_domain.marked_count = 0;
  comes_again = true;
  EXPECT(ch_barrier_wait(&barrier) != ECANCELED);
}
static void arrives(void) {
  result[current] = ch_barrier_wait(&barrier);
  EXPECT(result[0] != ECANCELED || comes_again);
}
static void check_barrier(void) {
  EXPECT(barrier.arrived == 0 && barrier.gate.waiting == 0 && nobody_waits());
  outcome(result[0] == ECANCELED);
}

/* A domain ends whose wait for a semaphore has been cancelled while others posted. No unit is lost. */
static ch_sem sem;
static void set_up_semaphore(void) { rendezvous(), ch_sem_init(&sem, 0); }
static void waits_and_ends(void) {
  result[current] = ch_sem_wait(&sem);
  end_domain();
}
static void posts_twice(void) { EXPECT(ch_sem_post(&sem) == 0 && ch_sem_post(&sem) == 0); }
static void check_units(void) {
  EXPECT(result[0] == 0 || result[0] == ECANCELED);
  EXPECT(sem.count == (result[0] == 0 ? 1 : 2) && sem.posted == 0 && ch_list_empty(&sem.waiters) && nobody_waits());
  outcome(result[0] == 0);
}

/* A domain that looks and then sleeps in its mailbox, now in one way and then in the other, and two who put a letter
 * in: the second of them two. Each way of sleeping has a bell of its own. */
static struct ch_mailbox box;
static struct ch_letter letters[3];
static int bell[2], rings, sleeps, falls_asleep, opened[3], n_opened;

static void set_up_mailbox(void) {
  box = (struct ch_mailbox){0};
  bell[0] = bell[1] = rings = sleeps = falls_asleep = n_opened = 0;
}
static void ring(int *at) {
  explored_point(at, true);
  ++*at;
  explored_changed(at);
}
static void put(int letter) {
  enum ch_mailbox_put put = ch_mailbox_put(&box, &letters[letter]);
  if (put != CH_MAILBOX_PUT_ASLEEP && put != CH_MAILBOX_PUT_RESTING)
    return;
  rings++;
  ring(&bell[put == CH_MAILBOX_PUT_RESTING]);
}
static void puts_one(void) { put(0); }
static void puts_two(void) { put(1), put(2); }

/* What has been put in, the earliest first. */
static void open_letters(void) {
  int batch[3], n = 0;
  for (struct ch_letter *l = ch_mailbox_take(&box); l; l = l->next)
    batch[n++] = (int)(l - letters);
  while (n > 0)
    opened[n_opened++] = batch[--n];
}
static void sleep_until_the_bell(int *at) {
  parties[current].bell = at;
  explored_point(at, true);
  parties[current].bell = NULL;
  *at = 0;
}
static void opens_three(void) {
  for (open_letters(); n_opened < 3; open_letters()) {
    ch_mailbox_looks(&box);
    bool found = !ch_mailbox_is_empty(&box);
    ch_mailbox_wakes(&box);
    if (found)
      continue;
    int rests = falls_asleep++ % 2;
    if (ch_mailbox_sleeps(&box, rests ? CH_MAILBOX_RESTING : CH_MAILBOX_ASLEEP)) {
      sleeps++;
      sleep_until_the_bell(&bell[rests]);
    }
    ch_mailbox_wakes(&box);
  }
}
static void check_mailbox(void) {
  EXPECT(n_opened == 3 && opened[0] + opened[1] + opened[2] == 3);
  for (int i = 0, last = 0; i < 3; i++) /* each one's in the order in which they were put in */
    if (opened[i] > 0)
      EXPECT(opened[i] > last), last = opened[i];
  EXPECT(rings >= sleeps && rings <= falls_asleep && box.rest == CH_MAILBOX_AWAKE && !box.top);
  outcome(sleeps);
  if (rings == 0)
    outcome(4);
}

/* A domain that ends while two put letters in: each letter is opened or refused. */
static int refused[3];
static void set_up_closing(void) {
  set_up_mailbox();
  memset(refused, 0, sizeof refused);
}
static void put_or_not(int letter) { refused[letter] = ch_mailbox_put(&box, &letters[letter]) == CH_MAILBOX_REFUSED; }
static void puts_one_or_not(void) { put_or_not(0); }
static void puts_two_or_not(void) { put_or_not(1), put_or_not(2); }
static void opens_until_it_ends(void) {
  do
    open_letters();
  while (!ch_mailbox_close(&box));
}
static void check_closing(void) {
  int times[3] = {0};
  for (int i = 0; i < n_opened; i++)
    times[opened[i]]++;
  for (int i = 0; i < 3; i++)
    EXPECT(times[i] + refused[i] == 1);
  EXPECT(!refused[1] || refused[2]);
  outcome(n_opened);
}

/* Two domains that pass a message on to each other and sleep in between, and a third one that asks whether both sleep
 * for good. It asks first about the one that sleeps at the beginning, and then about the one that has a letter. */
enum { MESSAGES = 4 };
static struct ch_mailbox boxes[2];
static struct ch_letter messages[MESSAGES];
static int bells[2], sent, arrived;

static void set_up_two_mailboxes(void) {
  boxes[0] = (struct ch_mailbox){.top = &messages[0], .rest = CH_MAILBOX_WOKEN};
  boxes[1] = (struct ch_mailbox){.rest = CH_MAILBOX_ASLEEP};
  messages[0].next = NULL;
  bells[0] = 1;
  bells[1] = arrived = 0;
  sent = 1;
}
static void pass_on(int to) {
  if (sent == MESSAGES || ch_mailbox_put(&boxes[to], &messages[sent++]) != CH_MAILBOX_PUT_ASLEEP)
    return;
  ring(&bells[to]);
}
static void pass_messages_on(int own, int expected) {
  while (expected > 0) {
    sleep_until_the_bell(&bells[own]);
    do {
      ch_mailbox_wakes(&boxes[own]);
      for (struct ch_letter *l = ch_mailbox_take(&boxes[own]); l; l = NULL) /* there is one at most */
        arrived++, expected--, pass_on(1 - own);
    } while (!ch_mailbox_sleeps(&boxes[own], CH_MAILBOX_ASLEEP));
  }
}
static void passes_on_as_first(void) { pass_messages_on(0, 2); }
static void passes_on_as_second(void) { pass_messages_on(1, 2); }
static bool both_stand(uint32_t wakings[2]) {
  return ch_mailbox_stands(&boxes[1], &wakings[1]) && ch_mailbox_stands(&boxes[0], &wakings[0]);
}
static void asks_whether_both_stand(void) {
  uint32_t before[2], after[2];
  bool stand = both_stand(before) && both_stand(after) && before[0] + before[1] == after[0] + after[1];
  if (stand)
    EXPECT(arrived == MESSAGES);
  outcome(stand);
}
static void check_two_mailboxes(void) { EXPECT(arrived == MESSAGES); }

#define BODIES(...)                                                                                                    \
  (void (*const[])(void)) { __VA_ARGS__ }
#define EXPLORE(name, set_up, check, outcomes, ...)                                                                    \
  explore(name, sizeof(BODIES(__VA_ARGS__)) / sizeof(void (*)(void)), BODIES(__VA_ARGS__), set_up, check, outcomes,    \
          limit)

int main(int argc, char **argv) {
  unsigned long limit = argc > 1 ? strtoul(argv[1], NULL, 10) : 8000;
  EXPLORE("one_of_two_futures", rendezvous, check_either, 2, gets_either, sets_0, sets_1);
  EXPLORE("both_sides_select", rendezvous, check_both_sides, 1, sends_0_or_receives_1, receives_0_or_sends_1);
  EXPLORE("both_sides_select_in_other_orders", rendezvous, check_both_sides, 2, receives_1_or_sends_0,
          receives_0_or_sends_1);
  EXPLORE("cancel_against_a_sender", rendezvous, check_cancel, 2, receives_or_is_cancelled, tries_to_send, cancels);
  EXPLORE("a_third_party_never_drops_its_signal", set_up_third, check_third, 2, receives_or_gets_0, sends_or_gets_1,
          sets_0_and_looks);
  EXPLORE("a_circle_of_three_selects", rendezvous, check_circle, 3, circle_0, circle_1, circle_2);
  EXPLORE("and_tells_each_once", rendezvous, check_and, 1, gets_and_receives, sets_0, sends);
  EXPLORE("and_closed_after_the_first", rendezvous, check_until_one, 3, gets_and_receives_until_one, sets_0_again,
          tries_to_send_and_sets);
  EXPLORE("and_left_in_the_middle", rendezvous, check_leaves, 2, gets_and_leaves, sets_0_again, tries_to_send);
  EXPLORE("and_cancelled_against_a_sender", rendezvous, check_and_cancelled, 3, gets_and_receives_until_cancelled,
          tries_to_send, cancels);
  EXPLORE("broadcast_to_one_who_selects", rendezvous, check_hears, 2, hears_or_gets_0, publishes, sets_0);
  EXPLORE("broadcast_waits_for_both", rendezvous, check_twice, 1, hears_twice, hears_twice, publishes_twice);
  EXPLORE("watched_until_closed", rendezvous, check_watches, 2, watches_until_closed, sets_twice_and_closes);
  EXPLORE("else_against_a_select", rendezvous, check_else, 2, tries_to_receive, sends_or_gets_0);
  EXPLORE("close_against_a_sender_and_a_receiver", one_place, check_close, 2, receives_0, sends, closes);
  EXPLORE("a_look_at_a_channel_with_room_loses_nothing", looks_at_one_place, check_look_at_room, 3,
          receives_0_or_gets_0, tries_to_send, sets_0);
  EXPLORE("two_messages_through_room_for_one_reach_two_receivers", one_place, check_room_for_one, 2, sends_two,
          receives_0, receives_0_by_a_statement);
  EXPLORE("both_sides_select_and_offer", rendezvous_with_offers, check_offered_both_sides, 2, sends_0_or_receives_1,
          receives_0_or_sends_1);
  EXPLORE("both_sides_offer_in_other_orders", rendezvous_with_offers, check_offered_in_other_orders, 4,
          receives_1_or_sends_0, receives_0_or_sends_1);
  EXPLORE("an_offer_beside_a_third_party", rendezvous_with_offers, check_offered_third, 4, receives_before_it_gets_0,
          sends_before_it_gets_1, sets_0);
  EXPLORE("a_circle_of_three_offers", rendezvous_with_offers, check_circle, 3, circle_0, circle_1, circle_2);
  EXPLORE("an_offer_against_a_call_that_does_not_wait", rendezvous_with_offers, check_else, 2, tries_to_receive,
          sends_or_gets_0);
  EXPLORE("an_offer_against_a_cancel", rendezvous_with_offers, check_cancel, 2, receives_or_is_cancelled, tries_to_send,
          cancels);
  EXPLORE("an_offer_against_a_close", rendezvous_with_offers, check_offered_close, 4, receives_0_or_closes,
          receives_0_or_closes, sends);
  EXPLORE("a_channel_outlives_the_offers_that_were_taken", rendezvous_with_offers, check_offered_and_destroyed, 2,
          receives_0_and_destroys, sends);
  EXPLORE("a_long_message_is_offered_where_it_lies", offers_and_long_messages, check_long_message, 3,
          receives_a_long_one, sends_a_long_one, closes);
  EXPLORE("an_offer_behind_a_clause_of_its_own_domain", offers_and_a_local_future, check_behind, 3,
          gets_its_own_or_receives, tries_to_send, cancels);
  EXPLORE("a_waiter_misses_no_schedule", set_up_waiter, check_waiter, 1, is_suspended_until_both_have_come, schedules,
          schedules);
  EXPLORE("a_waiter_that_looks_on_misses_no_schedule", set_up_waiter_and_look_on, check_waiter, 2,
          is_suspended_until_both_have_come, schedules, schedules);
  EXPLORE("a_waiter_that_looks_on_and_is_cancelled_keeps_a_schedule", set_up_waiter_and_look_on,
          check_waiter_and_cancel, 3, is_suspended_or_cancelled, schedules, cancels);
  EXPLORE("a_schedule_that_is_not_selected_is_kept", set_up_waiter, check_scheduled, 2, is_scheduled_or_gets_0,
          schedules, sets_0);
  EXPLORE("a_schedule_beside_a_cancel_of_a_statement_is_kept", set_up_waiter, check_scheduled, 2,
          is_scheduled_or_gets_0, schedules, cancels);
  EXPLORE("a_signal_beside_a_cancel_is_never_kept", set_up_locks, check_signal, 2, sleeps_until_signalled, signals,
          cancels);
  EXPLORE("a_mutex_is_had_by_one_and_leaves_nobody_waiting", set_up_mutex, check_mutex, 1, locks, locks_or_gets_0,
          locks);
  EXPLORE("a_mutex_beside_one_who_does_not_wait", set_up_mutex, check_mutex, 2, locks, locks_or_gets_0, tries_to_lock);
  EXPLORE("a_mutex_beside_a_cancel", set_up_mutex, check_cancelled_at_a_mutex, 2, locks, locks, cancels);
  EXPLORE("who_is_cancelled_at_a_barrier_has_not_arrived", set_up_locks, check_barrier, 2,
          arrives_once_more_if_cancelled, arrives, cancels);
  EXPLORE("no_unit_is_lost_when_the_domain_of_the_waiters_ends", set_up_semaphore, check_units, 2, waits_and_ends,
          posts_twice, cancels);
  EXPLORE("a_letter_to_a_domain_that_ends_is_opened_or_refused", set_up_closing, check_closing, 4, opens_until_it_ends,
          puts_one_or_not, puts_two_or_not);
  EXPLORE("domains_that_pass_messages_on_never_seem_to_stand", set_up_two_mailboxes, check_two_mailboxes, 2,
          passes_on_as_first, passes_on_as_second, asks_whether_both_stand);
  EXPLORE("a_mailbox_loses_no_wake_up", set_up_mailbox, check_mailbox, 5, opens_three, puts_one, puts_two);
  printf("%u passed, 0 failed\n", passed);
}
