/* Storms of statements: several domains whose branches wait by random `waituntil`s, with random guards, for whatever
 * can be shared, with `or`, `and`, brackets, `else` and `fair`, nested and in scopes that are cancelled at random
 * moments, beside plain calls for the same objects. What happens when is left to chance. What is checked are the laws:
 *   - with `or` one body runs, or none in a cancelled scope (law 9);
 *   - with `and` those bodies have run that the condition needs;
 *   - what is sent is received once, and what one branch sends to a channel is received in its order (law 4);
 *   - what is held is held by nobody else, and what is taken is given back;
 *   - watched values only grow, and a subscriber receives each message once, in order.
 *
 * STORM_ROUNDS=1000 in the environment: so many rounds, each with other random numbers; STORM_FIRST=7: they begin with
 * those of the seventh. */
#include "harness.h"
#include <charcoal/broadcast.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/lowlevel.h>
#include <charcoal/watch.h>
#include <pthread.h>
#include <stdbool.h>

enum { DOMAINS = 3, ACTIVITIES = 3, BRANCHES = 2, STEPS = 12, ACTORS = DOMAINS * ACTIVITIES * BRANCHES };
enum { CHANNELS = 4, PERMITS = 3, US = 1000 };

struct message {
  int from;
  long number;
};

/* ---- what all domains share ---- */

static channel(struct message) c[CHANNELS];
static const size_t rooms[CHANNELS] = {0, 1, 3, 0};
static ch_permits permits;
static ch_mutex mutex;
static ch_rwlock rwlock;
static watch(long) watched;
static broadcast(long) news;
static future(int) never;
static pthread_mutex_t native = PTHREAD_MUTEX_INITIALIZER;
static long sent[CHANNELS], sent_sum[CHANNELS], got[CHANNELS], got_sum[CHANNELS];
static long taken, insiders, native_insiders, readers, writers, published;

enum { SENT, GOT, TOOK, HELD, READ, WROTE, SLEPT, UNIT, BYTE, SAW, HEARD, KINDS };
static long seen[KINDS], cancelled, left_early, elses;

static long add(long *p, long n) { return __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST); }

/* ---- one branch ---- */

struct actor {
  int id;
  unsigned long random;
  long sends[CHANNELS], last[CHANNELS][ACTORS];
  uint64_t version;
  long value;
};
struct place { /* what a domain has for itself */
  ch_sem units;
  long posted, had;
  int pipe[2];
  long written, was_read;
  subscription(long) news;
  long heard;
  int actors;
};

static unsigned roll(struct actor *a, unsigned n) {
  a->random = a->random * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(a->random >> 33) % n;
}
static struct message next_message(const struct actor *a, int k) { return (struct message){a->id, a->sends[k] + 1}; }

/* ---- what a body does: it notes that its call has been made ---- */

static void did_send(struct actor *a, int k, int result) {
  EXPECT(result == 0);
  a->sends[k]++;
  add(&sent[k], 1);
  add(&sent_sum[k], a->id * 1000 + a->sends[k]);
  add(&seen[SENT], 1);
}
static void did_receive(struct actor *a, int k, int result, const struct message *m) {
  EXPECT(result == 0 && m->from >= 0 && m->from < ACTORS);
  EXPECT(m->number > a->last[k][m->from]);
  a->last[k][m->from] = m->number;
  add(&got[k], 1);
  add(&got_sum[k], m->from * 1000 + m->number);
  add(&seen[GOT], 1);
}
static void did_take(struct actor *a, int result, int n) {
  EXPECT(result == 0 && add(&taken, n) <= PERMITS);
  if (roll(a, 2))
    ch_reschedule();
  add(&taken, -n);
  ch_permits_give(&permits, n);
  add(&seen[TOOK], 1);
}
static void is_inside(struct actor *a, int result) {
  EXPECT(result == 0 && add(&insiders, 1) == 1);
  if (roll(a, 2))
    ch_reschedule();
  EXPECT(add(&insiders, -1) == 0);
  add(&seen[HELD], 1);
}
static void is_inside_native(struct actor *a, int result) {
  EXPECT(result == 0 && add(&native_insiders, 1) == 1);
  if (roll(a, 2))
    ch_reschedule();
  EXPECT(add(&native_insiders, -1) == 0);
  add(&seen[HELD], 1);
}
static void reads(struct actor *a, int result) {
  EXPECT(result == 0);
  add(&readers, 1);
  EXPECT(__atomic_load_n(&writers, __ATOMIC_SEQ_CST) == 0);
  if (roll(a, 2))
    ch_reschedule();
  add(&readers, -1);
  add(&seen[READ], 1);
}
static void writes(struct actor *a, int result) {
  EXPECT(result == 0 && add(&writers, 1) == 1 && __atomic_load_n(&readers, __ATOMIC_SEQ_CST) == 0);
  if (roll(a, 2))
    ch_reschedule();
  EXPECT(add(&writers, -1) == 0);
  add(&seen[WROTE], 1);
}
static void did_see(struct actor *a, int result, long value) {
  EXPECT(result == 0 && value > a->value);
  a->value = value;
  add(&seen[SAW], 1);
}
static void did_hear(struct place *p, int result, long value) {
  EXPECT(result == 0 && (p->heard == 0 || value == p->heard + 1)); /* one branch of each domain receives */
  p->heard = value;
  add(&seen[HEARD], 1);
}
static void had_unit(struct place *p, int result) {
  EXPECT(result == 0);
  p->had++;
  add(&seen[UNIT], 1);
}
static void had_byte(struct place *p, ssize_t n) {
  EXPECT(n == 1);
  p->was_read++;
  add(&seen[BYTE], 1);
}
static void slept(int result) {
  EXPECT(result == 0);
  add(&seen[SLEPT], 1);
}

/* ---- statements ---- */

/* Any of all kinds. */
static void one_of_all(struct actor *a, struct place *p, int64_t limit) {
  const unsigned guards = roll(a, 1 << 10) & roll(a, 1 << 10);
  int out = (int)roll(a, CHANNELS), in = (int)roll(a, CHANNELS), n = 1 + (int)roll(a, PERMITS), r = -1, bodies = 0;
  struct message m = next_message(a, out), got_one;
  ssize_t size = -1;
  long value = 0;
  char byte;
  const bool may_hear = a->id % (ACTIVITIES * BRANCHES) == 0;
  when(guards & 1) waituntil(r = ch_send(&c[out], &m)) bodies++, did_send(a, out, r);
  or when(guards & 2) waituntil(r = ch_recv(&c[in], &got_one)) bodies++, did_receive(a, in, r, &got_one);
  or when(guards & 4) waituntil(r = ch_permits_take(&permits, n)) bodies++, did_take(a, r, n);
  or when(guards & 8) waituntil(r = ch_hold(&mutex)) bodies++, is_inside(a, r);
  or when(guards & 16) waituntil(r = ch_read_hold(&rwlock)) bodies++, reads(a, r);
  or when(guards & 32) waituntil(r = ch_write_hold(&rwlock)) bodies++, writes(a, r);
  or when(guards & 64) waituntil(r = ch_sem_wait(&p->units)) bodies++, had_unit(p, r);
  or when(guards & 128) waituntil(size = read(p->pipe[0], &byte, 1)) bodies++, had_byte(p, size);
  or when(guards & 256) waituntil(r = ch_watch_next(&watched, &a->version, &value)) bodies++, did_see(a, r, value);
  or when(may_hear) waituntil(r = ch_next(&p->news, &value)) bodies++, did_hear(p, r, value);
  or when(guards & 512) waituntil(r = ch_pthread_hold(&native)) bodies++, is_inside_native(a, r);
  or waituntil(ch_get(&never, NULL)) EXPECT(0);
  or waituntil(r = ch_sleep(limit)) bodies++, slept(r);
  EXPECT(bodies == 1 || (bodies == 0 && ch_cancelled()));
}

/* The same in another order, each in its turn. */
static void fairly(struct actor *a, struct place *p, int64_t limit) {
  const unsigned guards = roll(a, 1 << 5);
  int out = (int)roll(a, CHANNELS), in = (int)roll(a, CHANNELS), r = -1, bodies = 0;
  struct message m = next_message(a, out), got_one;
  waituntil fair(r = ch_sleep(limit)) bodies++, slept(r);
  or when(guards & 1) waituntil(r = ch_recv(&c[in], &got_one)) bodies++, did_receive(a, in, r, &got_one);
  or when(guards & 2) waituntil(r = ch_hold(&mutex)) bodies++, is_inside(a, r);
  or when(guards & 4) waituntil(r = ch_permits_take(&permits, 1)) bodies++, did_take(a, r, 1);
  or when(guards & 4) waituntil(r = ch_permits_take(&permits, 2)) bodies++, did_take(a, r, 2);
  or when(guards & 8) waituntil(r = ch_send(&c[out], &m)) bodies++, did_send(a, out, r);
  or when(guards & 16) waituntil(r = ch_sem_wait(&p->units)) bodies++, had_unit(p, r);
  EXPECT(bodies == 1 || (bodies == 0 && ch_cancelled()));
}

static void or_else(struct actor *a, struct place *p) {
  const unsigned guards = roll(a, 1 << 6);
  int out = (int)roll(a, CHANNELS), in = (int)roll(a, CHANNELS), r = -1, bodies = 0;
  struct message m = next_message(a, out), got_one;
  ssize_t size = -1;
  long value;
  char byte;
  when(guards & 1) waituntil(r = ch_recv(&c[in], &got_one)) bodies++, did_receive(a, in, r, &got_one);
  or when(guards & 2) waituntil(r = ch_send(&c[out], &m)) bodies++, did_send(a, out, r);
  or when(guards & 4) waituntil(r = ch_write_hold(&rwlock)) bodies++, writes(a, r);
  or when(guards & 8) waituntil(size = read(p->pipe[0], &byte, 1)) bodies++, had_byte(p, size);
  or when(guards & 16) waituntil(r = ch_watch_next(&watched, &a->version, &value)) bodies++, did_see(a, r, value);
  or when(guards & 32) waituntil(r = ch_pthread_hold(&native)) bodies++, is_inside_native(a, r);
  else bodies++, add(&elses, 1);
  EXPECT(bodies == 1 || (bodies == 0 && ch_cancelled()));
}

/* A message each way, or time. */
static void both_or_time(struct actor *a, struct place *p, int64_t limit) {
  int out = (int)roll(a, CHANNELS), in = (int)roll(a, CHANNELS), r = -1;
  struct message m = next_message(a, out), got_one;
  bool has_sent = false, has_got = false, late = false;
  (void)p;
  waituntil(r = ch_send(&c[out], &m)) has_sent = true, did_send(a, out, r);
  and waituntil(r = ch_recv(&c[in], &got_one)) has_got = true, did_receive(a, in, r, &got_one);
  or waituntil(r = ch_sleep(limit)) late = true, slept(r);
  EXPECT(late || (has_sent && has_got) || ch_cancelled());
}

/* Brackets, holds and a nested statement, with guards. */
static void in_brackets(struct actor *a, struct place *p, int64_t limit) {
  const unsigned guards = roll(a, 1 << 4);
  int out = (int)roll(a, CHANNELS), in = (int)roll(a, CHANNELS), r = -1;
  struct message m = next_message(a, out), got_one;
  bool has_sent = false, has_got = false, has_held = false, has_taken = false, late = false;
  (when(guards & 1) waituntil(r = ch_send(&c[out], &m)) has_sent = true, did_send(a, out, r);
   or when(guards & 2) waituntil(r = ch_recv(&c[in], &got_one)) has_got = true, did_receive(a, in, r, &got_one);
   or waituntil(r = ch_sleep(limit)) late = true, slept(r);)
  and (when(guards & 4) waituntil(r = ch_hold(&mutex)) {
         has_held = true;
         is_inside(a, r);
         waituntil(r = ch_sem_wait(&p->units)) had_unit(p, r);
         or waituntil(r = ch_sleep(US)) slept(r);
       }
       and when(guards & 8) waituntil(r = ch_permits_take(&permits, 2)) has_taken = true, did_take(a, r, 2);)
  bool first = has_sent || has_got || late, second = (!(guards & 4) || has_held) && (!(guards & 8) || has_taken);
  EXPECT((first && second) || ch_cancelled());
}

/* A body is left by a jump: what is open is withdrawn, and what is held for a body that does not run is given back. */
static void left_by_a_jump(struct actor *a, struct place *p, int64_t limit) {
  int out = (int)roll(a, CHANNELS), r = -1, so_many = 0;
  struct message m = next_message(a, out);
  (void)p;
  for (int turn = 0; turn < 3; turn++) {
    m = next_message(a, out);
    waituntil(r = ch_read_hold(&rwlock)) {
      reads(a, r);
      if (roll(a, 2))
        continue;
    }
    and waituntil(r = ch_hold(&mutex)) {
      is_inside(a, r);
      if (roll(a, 2))
        break;
    }
    or waituntil(r = ch_sleep(limit)) {
      slept(r);
      if (roll(a, 2))
        goto out;
    }
    so_many++;
  }
out:
  if (so_many < 3)
    add(&left_early, 1);
  waituntil(r = ch_send(&c[out], &m)) did_send(a, out, r);
  or waituntil(r = ch_sleep(limit)) slept(r);
}

/* With `else` all that is needed at once, or nothing; what was in two minds on shared objects is said by the bodies. */
static void all_else(struct actor *a, struct place *p) {
  int in = (int)roll(a, CHANNELS), r = -1;
  struct message got_one;
  bool has_got = false, has_had = false, otherwise = false;
  waituntil(r = ch_recv(&c[in], &got_one)) has_got = true, did_receive(a, in, r, &got_one);
  and waituntil(r = ch_sem_wait(&p->units)) has_had = true, had_unit(p, r);
  else otherwise = true;
  EXPECT(otherwise || (has_got && has_had) || ch_cancelled());
}

/* Plain calls. */
static void plainly(struct actor *a, struct place *p) {
  int k = (int)roll(a, CHANNELS), r = -1;
  struct message m = next_message(a, k);
  switch (roll(a, 7)) {
  case 0:
    if ((r = ch_send(&c[k], &m)) == 0)
      did_send(a, k, r);
    break;
  case 1:
    if ((r = ch_recv(&c[k], &m)) == 0)
      did_receive(a, k, r, &m);
    break;
  case 2:
    if ((r = ch_lock(&mutex)) == 0) {
      is_inside(a, r);
      ch_unlock(&mutex);
    }
    break;
  case 3:
    if ((r = ch_permits_take(&permits, PERMITS)) == 0)
      did_take(a, r, PERMITS);
    break;
  case 4:
    if ((r = ch_read_lock(&rwlock)) == 0) {
      reads(a, r);
      ch_rw_unlock(&rwlock);
    }
    break;
  case 5:
    if ((r = ch_try_send(&c[k], &m)) == 0)
      did_send(a, k, r);
    else
      r = r == EAGAIN ? ECANCELED : r;
    break;
  default:
    if ((r = ch_sem_wait(&p->units)) == 0)
      had_unit(p, r);
  }
  EXPECT(r == 0 || r == ECANCELED);
}

static void changes_something(struct actor *a, struct place *p) {
  static long values, numbers;
  if (roll(a, 2)) {
    ch_sem_post(&p->units), p->posted++;
  } else {
    atomic {
      EXPECT(write(p->pipe[1], "", 1) == 1);
      p->written++;
    }
  }
  if (roll(a, 3) == 0) {
    atomic {
      static ch_spinlock order; /* values are set in their order */
      ch_spin_acquire(&order);
      ch_watch_set(&watched, ++values);
      ch_spin_release(&order);
    }
  }
  if (a->id == 0 && published < 40) {
    long n = ++numbers;
    int r = -1;
    waituntil(r = ch_publish(&news, &n)) published++;
    or waituntil(ch_sleep(200 * US)) numbers--;
    EXPECT(r == 0 || numbers == n - 1);
  }
}

static void acts(struct actor *a, struct place *p) {
  for (int step = 0; step < STEPS; step++) {
    int64_t limit = roll(a, 2) ? 5 * US : roll(a, 100) * US;
    changes_something(a, p);
    switch (roll(a, 8)) {
    case 0:
    case 1: one_of_all(a, p, limit); break;
    case 2: fairly(a, p, limit); break;
    case 3: or_else(a, p); break;
    case 4: both_or_time(a, p, limit); break;
    case 5: in_brackets(a, p, limit); break;
    case 6: left_by_a_jump(a, p, limit); break;
    default: all_else(a, p); break;
    }
    within (roll(a, 60) * US) do {
      if (roll(a, 2))
        plainly(a, p);
      else
        one_of_all(a, p, CH_FOREVER);
      if (ch_cancelled())
        add(&cancelled, 1);
    } finish;
  }
}

/* ---- domains ---- */

struct world {
  int number;
  unsigned long seed;
  ch_thread thread;
};

static void activity(struct place *p, int id, unsigned long seed) {
  do {
    for (int i = 0; i < BRANCHES; i++) {
      struct actor *a = calloc(1, sizeof *a);
      a->id = id + i;
      a->random = seed * 977 + (unsigned long)a->id;
      async (a) {
        acts(a, p);
        free(a);
      }
    }
  } finish;
  p->actors--;
}

static void domain(void *world) {
  const struct world *w = world;
  struct place p = {.units = CH_SEM_INIT(0), .actors = ACTIVITIES};
  EXPECT(pipe(p.pipe) == 0 && ch_subscribe(&news, &p.news) == 0);
  ch_activity all[ACTIVITIES];
  for (int i = 0; i < ACTIVITIES; i++)
    activate [&all[i]] activity(&p, (w->number * ACTIVITIES + i) * BRANCHES, w->seed);
  for (int i = 0; i < ACTIVITIES; i++)
    ch_activity_wait(&all[i]);
  char rest[256];
  while (p.was_read < p.written) {
    ssize_t n = read(p.pipe[0], rest, sizeof rest);
    EXPECT(n > 0);
    p.was_read += n;
  }
  while (ch_sem_trywait(&p.units) == 0)
    p.had++;
  EXPECT(p.was_read == p.written && p.had == p.posted && p.actors == 0);
  EXPECT(ch_unsubscribe(&p.news) == 0 && ch_sem_destroy(&p.units) == 0);
  close(p.pipe[0]), close(p.pipe[1]);
}

static void storm(unsigned long seed) {
  struct world worlds[DOMAINS];
  for (int k = 0; k < CHANNELS; k++) {
    EXPECT(ch_channel_init_shared(&c[k], rooms[k]) == 0);
    sent[k] = got[k] = sent_sum[k] = got_sum[k] = 0;
  }
  ch_permits_init(&permits, PERMITS, CH_SHARED);
  ch_mutex_init(&mutex, CH_SHARED);
  ch_rwlock_init(&rwlock, CH_SHARED);
  ch_watch_init_shared(&watched);
  ch_future_init_shared(&never);
  EXPECT(ch_broadcast_init_shared(&news, 64, CH_SLOW_WAIT) == 0);
  published = 0;
  for (int i = 0; i < DOMAINS; i++) {
    worlds[i] = (struct world){.number = i, .seed = seed};
    EXPECT(ch_domain_start(&worlds[i].thread, domain, &worlds[i]) == 0);
  }
  for (int i = 0; i < DOMAINS; i++)
    EXPECT(ch_domain_join(&worlds[i].thread) == 0);
  for (int k = 0; k < CHANNELS; k++) {
    struct message m;
    while (ch_try_recv(&c[k], &m) == 0)
      got[k]++, got_sum[k] += m.from * 1000 + m.number;
    EXPECT(sent[k] == got[k] && sent_sum[k] == got_sum[k] && ch_channel_destroy(&c[k]) == 0);
  }
  EXPECT(ch_permits_try(&permits, PERMITS) == 0 && ch_permits_give(&permits, PERMITS) == 0);
  EXPECT(ch_permits_destroy(&permits) == 0 && ch_mutex_destroy(&mutex) == 0 && ch_rwlock_destroy(&rwlock) == 0);
  EXPECT(ch_broadcast_destroy(&news) == 0 && ch_future_reset(&never) == 0);
}

TEST(whatever_many_domains_select_at_random_nothing_is_lost_or_had_twice) {
  const char *text = getenv("STORM_ROUNDS"), *first = getenv("STORM_FIRST");
  const int rounds = text ? atoi(text) : 10;
  const unsigned long from = first ? strtoul(first, NULL, 10) : 1;
  for (int i = 0; i < rounds; i++)
    storm(from + (unsigned long)i);
  for (int k = 0; k < KINDS; k++)
    EXPECT(seen[k] > 0);
  EXPECT(cancelled > 0 && left_early > 0 && elses > 0);
}
