/* Random programs over locks of every kind: activities, several domains and threads that know of none lock, try, time
 * out, are cancelled, wait and signal. Whatever they do, exclusion holds, no unit is lost or made, nobody is forgotten,
 * and all of them end. SEED=n repeats one program; ROUNDS=n runs so many. */
#include "harness.h"
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { KINDS = 8, LOCKS = 9, MOST_ACTIVITIES = 12 };

static uint64_t random_number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}
/* What an activity or a thread does at random. */
struct actor {
  uint64_t state;
  bool in_callback;
};
static unsigned below(struct actor *r, unsigned n) { return (unsigned)(random_number(&r->state) % n); }

/* Each lock guards two numbers, which nobody else may see differ. */
static struct guarded {
  pthread_mutex_t m;
  volatile long a, b;
} mutexes[LOCKS];
static struct {
  pthread_rwlock_t l;
  volatile long a, b;
} rws[2];
static struct {
  sem_t s;
  volatile int inside;
  int units;
} sems[2];
static struct {
  pthread_mutex_t m;
  pthread_cond_t c;
  int items, waiting;
  long put, got;
} buffer;

static void make_locks(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                              PTHREAD_MUTEX_ADAPTIVE_NP};
  for (int i = 0; i < LOCKS; i++) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, types[i % 4]);
    if (i == 4 || i == 5) pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    if (i == 6) pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    if (i == 7) pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    EXPECT(pthread_mutex_init(&mutexes[i].m, &a) == 0);
  }
  for (int i = 0; i < 2; i++) {
    EXPECT(pthread_rwlock_init(&rws[i].l, NULL) == 0);
    sems[i].units = 1 + i;
    EXPECT(sem_init(&sems[i].s, 0, (unsigned)sems[i].units) == 0);
  }
  EXPECT(pthread_mutex_init(&buffer.m, NULL) == 0 && pthread_cond_init(&buffer.c, NULL) == 0);
}

static struct timespec soon(clockid_t clock, unsigned us) {
  struct timespec t;
  clock_gettime(clock, &t);
  int64_t ns = t.tv_nsec + us * INT64_C(1000);
  return (struct timespec){t.tv_sec + ns / 1000000000, ns % 1000000000};
}

/* Something that lasts, and in which others run. */
static void stay_a_moment(struct actor *r) {
  unsigned how = r->in_callback ? 7 : below(r, 8); /* code that the C library calls keeps no lock while it waits */
  if (how == 0) usleep(below(r, 200));
  if (how == 1) sched_yield();
}

static long done_of_mutex[LOCKS];
static void hold_mutex(struct actor *r, unsigned i) {
  struct guarded *g = &mutexes[i];
  EXPECT(g->a == g->b);
  long is = g->a;
  g->a = is + 1;
  if (i % 4 == 1) EXPECT(pthread_mutex_lock(&g->m) == 0 && pthread_mutex_unlock(&g->m) == 0); /* recursive */
  if (i % 4 == 2) EXPECT(pthread_mutex_lock(&g->m) == EDEADLK);
  stay_a_moment(r);
  EXPECT(g->a == is + 1 && g->b == is);
  g->b = is + 1;
  done_of_mutex[i]++;
  EXPECT(pthread_mutex_unlock(&g->m) == 0);
}
static void use_mutex(struct actor *r) {
  unsigned i = below(r, LOCKS);
  struct guarded *g = &mutexes[i];
  struct timespec t;
  int got;
  switch (below(r, 4)) {
  case 0: got = pthread_mutex_trylock(&g->m); break;
  case 1: t = soon(CLOCK_REALTIME, below(r, 300)), got = pthread_mutex_timedlock(&g->m, &t); break;
  case 2: t = soon(CLOCK_MONOTONIC, below(r, 300)), got = pthread_mutex_clocklock(&g->m, CLOCK_MONOTONIC, &t); break;
  default: got = pthread_mutex_lock(&g->m); EXPECT(got == 0);
  }
  EXPECT(got == 0 || got == EBUSY || got == ETIMEDOUT);
  if (got == 0) hold_mutex(r, i);
}

static void use_rwlock(struct actor *r) {
  unsigned i = below(r, 2), write = below(r, 3) == 0;
  struct timespec t = soon(CLOCK_REALTIME, below(r, 500));
  pthread_rwlock_t *l = &rws[i].l;
  int got = 0;
  switch (below(r, 3)) {
  case 0: got = write ? pthread_rwlock_trywrlock(l) : pthread_rwlock_tryrdlock(l); break;
  case 1: got = write ? pthread_rwlock_timedwrlock(l, &t) : pthread_rwlock_timedrdlock(l, &t); break;
  default: got = write ? pthread_rwlock_wrlock(l) : pthread_rwlock_rdlock(l); EXPECT(got == 0);
  }
  EXPECT(got == 0 || got == EBUSY || got == ETIMEDOUT);
  if (got) return;
  EXPECT(rws[i].a == rws[i].b);
  long is = rws[i].a;
  if (write) rws[i].a++;
  stay_a_moment(r);
  if (write) rws[i].b++;
  EXPECT(rws[i].a == is + (long)write && rws[i].b == rws[i].a);
  EXPECT(pthread_rwlock_unlock(l) == 0);
}

static void use_semaphore(struct actor *r) {
#if __has_feature(address_sanitizer) /* whose sem_wait is before the runtime's, and stops the thread in plain code */
  if (r->in_callback) return;
#endif
  unsigned i = below(r, 2);
  struct timespec t = soon(CLOCK_REALTIME, below(r, 300));
  int got = below(r, 2) ? sem_wait(&sems[i].s) : sem_timedwait(&sems[i].s, &t);
  EXPECT(got == 0 || errno == ETIMEDOUT || errno == ECANCELED || errno == EINTR);
  if (got) return;
  EXPECT(__atomic_add_fetch(&sems[i].inside, 1, __ATOMIC_SEQ_CST) <= sems[i].units);
  stay_a_moment(r);
  __atomic_sub_fetch(&sems[i].inside, 1, __ATOMIC_SEQ_CST);
  EXPECT(sem_post(&sems[i].s) == 0);
}

static void put_item(struct actor *r) {
  EXPECT(pthread_mutex_lock(&buffer.m) == 0);
  buffer.items++;
  buffer.put++;
  if (below(r, 2)) EXPECT(pthread_cond_signal(&buffer.c) == 0);
  EXPECT(pthread_mutex_unlock(&buffer.m) == 0);
  EXPECT(pthread_cond_signal(&buffer.c) == 0); /* also without the mutex */
}
static void get_item(struct actor *r) {
  EXPECT(pthread_mutex_lock(&buffer.m) == 0);
  int over = 0;
  for (int n = 0; !buffer.items && !over && n < 3; n++) {
    struct timespec t = soon(CLOCK_REALTIME, below(r, 2000));
    int e = pthread_cond_timedwait(&buffer.c, &buffer.m, &t);
    EXPECT(e == 0 || e == ETIMEDOUT || e == ECANCELED);
    over = e != 0;
  }
  if (buffer.items) buffer.items--, buffer.got++;
  EXPECT(buffer.items >= 0);
  EXPECT(pthread_mutex_unlock(&buffer.m) == 0);
}

/* In plain code: a comparison that the C library's lfind calls. (AddressSanitizer keeps that of a qsort in a variable
 * of the thread, where other activities change it.) */
static void act(struct actor *);
static int acts(const void *actor, const void *element) {
  struct actor *r = *(struct actor *const *)actor;
  r->in_callback = true;
  act(r);
  r->in_callback = false;
  return 1;
}
static void use_callback(struct actor *r) {
  int two[2] = {1, 2};
  size_t n = 2;
  if (!r->in_callback) EXPECT(lfind(&r, two, &n, sizeof *two, acts) == NULL);
}

static void use_any_mutex(struct actor *r) {
  unsigned i = below(r, LOCKS), k = below(r, LOCKS), got = LOCKS;
  if (r->in_callback) return use_mutex(r);
  waituntil(pthread_mutex_lock(&mutexes[i].m)) got = i;
  or waituntil(pthread_mutex_lock(&mutexes[k].m)) got = k;
  or waituntil(ch_sleep(below(r, 300) * INT64_C(1000))) got = LOCKS;
  if (got == LOCKS) return;
  hold_mutex(r, got);
}

static void act(struct actor *r) {
  switch (below(r, KINDS)) {
  case 4: use_callback(r); break;
  case 5: use_any_mutex(r); break;
  case 0: use_rwlock(r); break;
  case 1: use_semaphore(r); break;
  case 2: put_item(r); break;
  case 3: get_item(r); break;
  default: use_mutex(r);
  }
}

static unsigned steps;
static void *work(void *seed) {
  struct actor r = {.state = *(uint64_t *)seed};
  for (unsigned i = 0; i < steps; i++) act(&r);
  return NULL;
}

/* Some activities, of which some are cancelled on the way; in the end all that are left meet at a barrier. */
static void work_in_domain(void *seed) {
  struct actor r = {.state = *(uint64_t *)seed};
  ch_activity all[MOST_ACTIVITIES];
  uint64_t seeds[MOST_ACTIVITIES];
  unsigned n = 1 + below(&r, MOST_ACTIVITIES);
  pthread_barrier_t meet;
  int last = 0;
  pthread_barrier_init(&meet, NULL, n);
  for (unsigned i = 0; i < n; i++) {
    seeds[i] = random_number(&r.state);
    activate [&all[i]] (i) {
      work(&seeds[i]);
      noncancellable last += pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD;
    }
  }
  for (unsigned i = 0; i < n; i++)
    if (below(&r, 4) == 0) {
      ch_sleep(below(&r, 300) * INT64_C(1000));
      ch_activity_cancel(&all[i]);
    }
  for (unsigned i = 0; i < n; i++) EXPECT(ch_activity_wait(&all[i]) == 0);
  EXPECT(last == 1 && pthread_barrier_destroy(&meet) == 0);
}

static void one_program(uint64_t seed) {
  struct actor r = {.state = seed};
  uint64_t seeds[6];
  ch_thread domains[2];
  pthread_t threads[3];
  unsigned ds = below(&r, 3), ts = below(&r, 4);
  steps = 10 + below(&r, 40);
  memset((void *)mutexes, 0, sizeof mutexes);
  memset((void *)rws, 0, sizeof rws);
  memset((void *)&buffer, 0, sizeof buffer);
  memset((void *)sems, 0, sizeof sems);
  memset(done_of_mutex, 0, sizeof done_of_mutex);
  make_locks();
  for (int i = 0; i < 6; i++) seeds[i] = random_number(&r.state);
  for (unsigned i = 0; i < ds; i++) EXPECT(ch_domain_start(&domains[i], work_in_domain, &seeds[i]) == 0);
  for (unsigned i = 0; i < ts; i++) EXPECT(pthread_create(&threads[i], NULL, work, &seeds[2 + i]) == 0);
  work_in_domain(&seeds[5]);
  for (unsigned i = 0; i < ds; i++) EXPECT(ch_domain_join(&domains[i]) == 0);
  for (unsigned i = 0; i < ts; i++) EXPECT(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < LOCKS; i++) {
    EXPECT(mutexes[i].a == mutexes[i].b && mutexes[i].a == done_of_mutex[i]);
    EXPECT(pthread_mutex_trylock(&mutexes[i].m) == 0 && pthread_mutex_unlock(&mutexes[i].m) == 0);
    EXPECT(pthread_mutex_destroy(&mutexes[i].m) == 0);
  }
  for (int i = 0; i < 2; i++) {
    int value;
    EXPECT(sem_getvalue(&sems[i].s, &value) == 0 && value == sems[i].units && sem_destroy(&sems[i].s) == 0);
    EXPECT(pthread_rwlock_trywrlock(&rws[i].l) == 0 && pthread_rwlock_unlock(&rws[i].l) == 0);
    EXPECT(pthread_rwlock_destroy(&rws[i].l) == 0);
  }
  EXPECT(buffer.put == buffer.got + buffer.items);
  EXPECT(pthread_mutex_destroy(&buffer.m) == 0 && pthread_cond_destroy(&buffer.c) == 0);
}

static uint64_t seed;
static void programs(void) {
  const char *one = getenv("SEED"), *rounds = getenv("RANDOM_LOCKS");
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  seed = one ? strtoull(one, NULL, 0) : (uint64_t)t.tv_nsec ^ (uint64_t)getpid() << 32;
  for (long n = one ? 1 : rounds ? atol(rounds) : 40; n > 0; n--) {
    alarm(60);
    one_program(seed);
    random_number(&seed);
  }
}
static void say_seed(int number) {
  char text[80];
  int n = snprintf(text, sizeof text, "stands still: SEED=%#llx\n", (unsigned long long)seed);
  if (write(2, text, (size_t)n) > 0) ch_dump(2);
  _exit(number);
}
TEST(random_programs_over_locks_keep_what_locks_promise) {
  signal(SIGALRM, say_seed);
  programs();
}
