/* Storms: several domains, each with activities that do random things to each other: they wait for semaphores, pipes,
 * waiters, time and threads, in plain, atomic and interruptible code, and are cancelled at random moments, by scopes,
 * deadlines and from other domains. What happens when is left to chance. What is checked is that nothing is lost and
 * nothing is doubled (law 4: a call has had its effect and says so, or had none and says that): of each kind of thing
 * as many have been taken as were given, or are still there at the end; and that everybody ends.
 *
 * STORM_ROUNDS=1000 in the environment: so many rounds, each with other random numbers. */
#include "harness.h"
#include <charcoal/lowlevel.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <sys/ioctl.h>

enum { DOMAINS = 3, ACTIVITIES = 6, STEPS = 25, SEMAPHORES = 3, PIPES = 2, MAILBOXES = 2 };

static int rounds(void) {
  const char *text = getenv("STORM_ROUNDS");
  return text ? atoi(text) : 4;
}

/* ---- things that are given and taken ---- */

/* Units that any domain gives to one: through a waiter, under a spinlock. */
struct mailbox {
  ch_spinlock lock;
  long units;
  ch_waiter there;
  bool taken; /* somebody of the domain waits there */
};

struct world {
  unsigned long random; /* the domain's own */
  int number;
  ch_sem s[SEMAPHORES];
  long given[SEMAPHORES], got[SEMAPHORES];
  int pipes[PIPES][2];
  long written[PIPES], was_read[PIPES];
  struct mailbox mail[MAILBOXES];
  long sent, received; /* of all mailboxes; `sent` by everybody, atomically */
  long offloaded, ran;
  long posted, opened; /* letters to this domain */
  struct ch_inbox *inbox;
  int ended; /* activities */
  int all_ended;
  ch_waiter bye;
  ch_thread thread;
  ch_activity handles[ACTIVITIES];
  pthread_mutex_t mutex;
  int inside;
};
static struct world worlds[DOMAINS];
static int over; /* domains whose activities have ended */

/* How calls have ended: a storm that does not bring all of it about shows nothing. */
enum kind { UNIT, PLAIN_UNIT, WRITE, READ, MAIL, OFFLOAD, DESCRIPTOR, KINDS };
static long seen[KINDS][3];
static void saw(enum kind k, int error) {
  __atomic_add_fetch(&seen[k][error == ECANCELED ? 1 : error == ETIMEDOUT ? 2 : 0], 1, __ATOMIC_RELAXED);
}
static bool all_seen(void) {
  for (int k = 0; k < KINDS; k++)
    for (int how = 0; how < (k == UNIT || k == DESCRIPTOR ? 3 : 2); how++)
      if (!seen[k][how])
        return false;
  return true;
}

static unsigned long chance(struct world *w, unsigned long n) {
  w->random ^= w->random << 13, w->random ^= w->random >> 7, w->random ^= w->random << 17;
  return w->random % n;
}
static struct world *any_world(struct world *w) { return &worlds[chance(w, DOMAINS)]; }

static void opened(void *world) { ((struct world *)world)->opened++; }
static void ran(void *world) { __atomic_add_fetch(&((struct world *)world)->ran, 1, __ATOMIC_RELAXED); }

static void send_mail(struct world *to, unsigned k) {
  struct mailbox *m = &to->mail[k];
  ch_spin_acquire(&m->lock);
  m->units++;
  ch_spin_release(&m->lock);
  __atomic_add_fetch(&to->sent, 1, __ATOMIC_RELAXED);
  ch_waiter_schedule(&m->there);
}
static bool take_mail(struct world *w, struct mailbox *m) {
  ch_spin_acquire(&m->lock);
  bool there = m->units > 0;
  m->units -= there;
  ch_spin_release(&m->lock);
  w->received += there;
  return there;
}
static void receive_mail(struct world *w, unsigned k) {
  struct mailbox *m = &w->mail[k];
  if (m->taken) {
    take_mail(w, m);
    return;
  }
  m->taken = true;
  int error = 0;
  while (!error && !take_mail(w, m))
    error = ch_waiter_wait(&m->there); /* cancelled: nothing was taken, and a schedule that came too late is kept */
  saw(MAIL, error);
  m->taken = false;
}

static int wait_for_unit(struct world *w, unsigned k, long timeout) {
  int error = timeout ? ch_sem_timedwait(&w->s[k], timeout) : ch_sem_wait(&w->s[k]);
  EXPECT(error == 0 || error == ECANCELED || error == ETIMEDOUT);
  if (!error)
    w->got[k]++;
  return error;
}
static void give_unit(struct world *w, unsigned k) {
  w->given[k]++;
  EXPECT(ch_sem_post(&w->s[k]) == 0);
}

struct call {
  struct world *w;
  unsigned k;
};
static int compare(const void *key, const void *element) {
  const struct call *c = key;
  saw(PLAIN_UNIT, wait_for_unit(c->w, c->k, 0));
  return (void)element, 0;
}
static void wait_plainly(struct world *w, unsigned k) {
  struct call c = {w, k};
  size_t n = 1;
  lfind(&c, &n, &n, sizeof n, compare);
}

static void item(void *sem_of) {
  struct call *c = sem_of;
  give_unit(c->w, c->k);
}

static void step(struct world *w, int depth);

static void some_steps(struct world *w, int depth, int n) {
  for (int i = 0; i < n; i++)
    step(w, depth);
}

static void step(struct world *w, int depth) {
  unsigned k = (unsigned)chance(w, SEMAPHORES), p = (unsigned)chance(w, PIPES), m = (unsigned)chance(w, MAILBOXES);
  char byte = 0;
  switch (chance(w, depth < 3 ? 20 : 13)) {
  case 0:
  case 1:
    give_unit(w, k);
    break;
  case 2:
  case 3:
    saw(UNIT, wait_for_unit(w, k, chance(w, 2) ? 0 : 1 + (long)chance(w, 20000)));
    break;
  case 4: { /* pipes hold far more than is ever written */
    ssize_t n = write(w->pipes[p][1], &byte, 1);
    EXPECT(n == 1 || (n < 0 && errno == ECANCELED));
    saw(WRITE, n == 1 ? 0 : ECANCELED);
    w->written[p] += n == 1;
    break;
  }
  case 5: {
    ssize_t n = read(w->pipes[p][0], &byte, 1);
    EXPECT(n == 1 || (n < 0 && errno == ECANCELED));
    saw(READ, n == 1 ? 0 : ECANCELED);
    w->was_read[p] += n == 1;
    break;
  }
  case 6:
    ch_sleep((long)chance(w, 30000));
    break;
  case 7:
    send_mail(any_world(w), m);
    break;
  case 8:
    receive_mail(w, m);
    break;
  case 9: {
    int error = ch_offload(ran, w);
    EXPECT(error == 0 || error == ECANCELED);
    saw(OFFLOAD, error);
    w->offloaded += error == 0;
    break;
  }
  case 10: {
    struct world *to = any_world(w);
    if (__atomic_load_n(&to->inbox, __ATOMIC_ACQUIRE)) {
      __atomic_add_fetch(&to->posted, 1, __ATOMIC_RELAXED);
      EXPECT(ch_post(to->inbox, opened, to) == 0);
    }
    break;
  }
  case 11: {
    int events = ch_fd_wait(w->pipes[p][0], POLLIN, (long)chance(w, 20000));
    EXPECT(events == 0 || events == POLLIN || events == -ECANCELED);
    saw(DESCRIPTOR, events < 0 ? ECANCELED : events ? 0 : ETIMEDOUT);
    break;
  }
  case 12:
    noncancellable {
      pthread_mutex_lock(&w->mutex);
      EXPECT(w->inside++ == 0);
      ch_reschedule();
      EXPECT(--w->inside == 0);
      pthread_mutex_unlock(&w->mutex);
    }
    break;
  case 13:
  case 14:
    within((long)chance(w, 40000)) do some_steps(w, depth + 1, (int)chance(w, 4));
    finish;
    break;
  case 15:
  case 16:
  case 17:
    do {
      for (unsigned long n = chance(w, 4); n; n--)
        async some_steps(w, depth + 1, 2);
      some_steps(w, depth + 1, (int)chance(w, 2));
      if (chance(w, 2))
        cancel;
      else
        async {
          ch_sleep((long)chance(w, 30000));
          cancel;
        }
    }
    finish;
    break;
  case 18:
    do {
      struct call c = {w, k};
      ch_cancel_item i;
      int error = ch_cancel_add(&i, item, &c);
      EXPECT(error == 0 || error == ECANCELED);
      async {
        ch_sleep((long)chance(w, 30000));
        cancel;
      }
      wait_plainly(w, k);
      ch_cancel_remove(&i);
    }
    finish;
    break;
  case 19:
    if (chance(w, 3))
      within((long)chance(w, 20000)) do atomic {
        activate contained { give_unit(w, k); }
        wait_for_unit(w, k, 0);
      }
    finish;
    else ch_activity_cancel(&w->handles[chance(w, ACTIVITIES)]);
    break;
  }
}

/* ---- a domain of them ---- */

static void storm(void *world) {
  struct world *w = world;
  __atomic_store_n(&w->inbox, ch_inbox(), __ATOMIC_RELEASE);
  EXPECT(w->inbox);
  for (int i = 0; i < ACTIVITIES; i++)
    activate[&w->handles[i]](w) {
      within(3000000) do some_steps(w, 0, STEPS); /* in the end everybody is cancelled */
      finish;
      w->ended++;
    }
  for (int i = 0; i < ACTIVITIES; i++)
    EXPECT(ch_activity_wait(&w->handles[i]) == 0);
  EXPECT(w->ended == ACTIVITIES);
  __atomic_add_fetch(&over, 1, __ATOMIC_SEQ_CST);
  EXPECT(ch_waiter_suspend(&w->bye) == 0); /* until nobody posts to this domain any more */
}

static void begin(struct world *w, int number, unsigned long seed) {
  *w = (struct world){.random = seed * 0x9e3779b97f4a7c15 + (unsigned long)number * 77 + 1, .number = number};
  pthread_mutex_init(&w->mutex, NULL);
  for (int p = 0; p < PIPES; p++)
    EXPECT(pipe(w->pipes[p]) == 0);
}

static void balance(struct world *w) {
  for (int k = 0; k < SEMAPHORES; k++)
    EXPECT(w->given[k] == w->got[k] + (long)w->s[k].count);
  for (int p = 0; p < PIPES; p++) {
    int left = -1;
    EXPECT(ioctl(w->pipes[p][0], FIONREAD, &left) == 0);
    EXPECT(w->written[p] == w->was_read[p] + left);
    close(w->pipes[p][0]), close(w->pipes[p][1]);
  }
  long units = 0;
  for (int m = 0; m < MAILBOXES; m++)
    units += w->mail[m].units;
  EXPECT(w->sent == w->received + units);
  EXPECT(w->offloaded == w->ran);
  EXPECT(w->posted == w->opened);
  pthread_mutex_destroy(&w->mutex);
}

static void one_round(unsigned long seed) {
  over = 0;
  for (int n = 0; n < DOMAINS; n++)
    begin(&worlds[n], n, seed);
  for (int n = 0; n < DOMAINS; n++)
    EXPECT(ch_domain_start(&worlds[n].thread, storm, &worlds[n]) == 0);
  while (__atomic_load_n(&over, __ATOMIC_SEQ_CST) < DOMAINS)
    ch_sleep(100000);
  for (int n = 0; n < DOMAINS; n++)
    ch_waiter_schedule(&worlds[n].bye);
  for (int n = 0; n < DOMAINS; n++)
    EXPECT(ch_domain_join(&worlds[n].thread) == 0);
  for (int n = 0; n < DOMAINS; n++)
    balance(&worlds[n]);
  struct ch_stats stats;
  ch_stats(&stats);
  EXPECT(stats.activities == 1 && stats.branches == 0);
}
static void storms(unsigned long seed) {
  for (int i = 0; i < rounds() || (!all_seen() && i < 60); i++)
    one_round(seed + (unsigned long)i);
  EXPECT(all_seen());
}

/* The reactor is chosen once in a process. */
static void with_reactor(const char *test, const char *reactor, unsigned long seed) {
  if (!getenv("STORM_HERE")) {
    setenv("STORM_HERE", "1", 1);
    setenv("CHARCOAL_REACTOR", reactor, 1); /* "": the first one that works */
    execl("/proc/self/exe", "test", test, "here", NULL);
  }
  storms(seed);
}
#define STORM(test, reactor, seed)                                                                                     \
  TEST(test) { with_reactor(#test, reactor, seed); }
STORM(law_4_in_a_storm_of_cancels_nothing_is_lost_or_doubled, "", 1)
STORM(law_4_in_a_storm_of_cancels_nothing_is_lost_or_doubled_with_epoll, "epoll", 1001)
