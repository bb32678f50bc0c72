/* Go's sync.Mutex, RWMutex, Cond and Pool, by the means that C has for them: pthread's objects, between
 * activities of one domain, between branches of one activity (AC paper, section 2.1: "between pieces of async work in
 * the same OS thread, or between different OS threads"), and between domains. On the real reactor: some of these waits
 * are made by threads. */
#include "harness.h"
#include <charcoal/lowlevel.h>
#include <pthread.h>
#include <stdbool.h>

TEST(go_mutex_excludes_and_is_handed_on_in_order) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static int inside;
  static char order[8];
  static int at;
  ch_activity all[4];
  pthread_mutex_lock(&m);
  for (int i = 0; i < 4; i++) {
    activate[&all[i]](i) {
      pthread_mutex_lock(&m);
      EXPECT(inside++ == 0);
      order[at++] = (char)('a' + i);
      ch_sleep(50000);
      EXPECT(--inside == 0);
      pthread_mutex_unlock(&m);
    }
    for (int k = 0; k < 3; k++)
      ch_reschedule(); /* it has arrived */
  }
  EXPECT(pthread_mutex_trylock(&m) == EBUSY); /* ours: a normal mutex */
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&all[i]);
  EXPECT(at == 4);
}
TEST(go_an_rwmutex_lets_readers_share_and_a_writer_alone) {
  static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  static int readers, most, writing;
  ch_activity all[7];
  for (int i = 0; i < 7; i++)
    activate[&all[i]](i) {
      if (i == 3) {
        pthread_rwlock_wrlock(&l);
        EXPECT(readers == 0 && !writing);
        writing = 1;
        ch_sleep(100000);
        writing = 0;
      } else {
        pthread_rwlock_rdlock(&l);
        EXPECT(!writing);
        readers++;
        most = readers > most ? readers : most;
        ch_sleep(100000);
        readers--;
      }
      pthread_rwlock_unlock(&l);
    }
  for (int i = 0; i < 7; i++)
    ch_activity_wait(&all[i]);
  EXPECT(most >= 2);
}
TEST(go_cond_signal_wakes_one_and_broadcast_all) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  static int waiting, woken, tickets;
  ch_activity all[5];
  for (int i = 0; i < 5; i++)
    activate[&all[i]] {
      pthread_mutex_lock(&m);
      waiting++;
      while (tickets == 0)
        pthread_cond_wait(&c, &m);
      tickets--;
      woken++;
      pthread_mutex_unlock(&m);
    }
  while (waiting < 5)
    ch_reschedule();
  pthread_mutex_lock(&m);
  tickets = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  ch_sleep(100000);
  EXPECT(woken == 1);
  pthread_mutex_lock(&m);
  tickets = 4;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 5; i++)
    ch_activity_wait(&all[i]);
  EXPECT(woken == 5);
}
/* ---- AC paper, section 2.1 ---- */

TEST(section_2_1_a_mutex_between_branches_of_one_activity) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int inside = 0, done = 0;
  do {
    for (int i = 0; i < 5; i++)
      async {
        pthread_mutex_lock(&m);
        EXPECT(inside++ == 0);
        ch_sleep(20000);
        EXPECT(--inside == 0);
        pthread_mutex_unlock(&m);
        done++;
      }
    EXPECT(done == 0);
  }
  finish;
  EXPECT(done == 5);
}
TEST(section_2_1_a_condition_between_branches_of_one_activity) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  int items = 0, taken = 0;
  do {
    for (int i = 0; i < 3; i++)
      async {
        pthread_mutex_lock(&m);
        while (items == 0)
          pthread_cond_wait(&c, &m);
        items--;
        taken++;
        pthread_mutex_unlock(&m);
      }
    for (int i = 0; i < 3; i++) {
      pthread_mutex_lock(&m);
      items++;
      pthread_cond_signal(&c);
      pthread_mutex_unlock(&m);
      ch_sleep(20000);
    }
  }
  finish;
  EXPECT(taken == 3 && items == 0);
}

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, plays[3];
/* Three domains and main take turns by one condition. "Work retains affinity to the thread that started it." */
static void plays_in_turn(void *number) {
  int mine = (int)(intptr_t)number;
  pthread_t here = pthread_self();
  for (int i = 0; i < 30; i++) {
    pthread_mutex_lock(&shared);
    while (turn != mine)
      pthread_cond_wait(&changed, &shared);
    plays[mine]++;
    turn = (turn + 1) % 3;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&shared);
    EXPECT(pthread_equal(here, pthread_self()));
  }
}
static void real_reactor(const char *test) { /* the harness's first choice is the simulated one, which has one domain */
  if (strcmp(getenv("CHARCOAL_REACTOR"), "simulated") == 0) {
    setenv("CHARCOAL_REACTOR", "", 1);
    execl("/proc/self/exe", "test", test, "here", NULL);
  }
}
TEST(section_2_1_a_condition_between_domains) {
  ch_thread threads[2];
  real_reactor("section_2_1_a_condition_between_domains");
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_start(&threads[i], plays_in_turn, (void *)(intptr_t)(i + 1)) == 0);
  plays_in_turn((void *)0);
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_join(&threads[i]) == 0);
  EXPECT(plays[0] == 30 && plays[1] == 30 && plays[2] == 30);
}

/* sync.Pool: what is put back is used again; with nothing there a new one is made; no lock is needed within a domain.
 */
TEST(go_a_pool_gives_what_was_put_back) {
  void *free_ones[4];
  int n = 0, made = 0;
  do {
    for (int i = 0; i < 8; i++)
      async(i) {
        void *mine = n ? free_ones[--n] : (made++, malloc(16));
        ch_sleep(i % 2 ? 1000 : 200000);
        if (n < 4)
          free_ones[n++] = mine;
        else
          free(mine);
      }
  }
  finish;
  EXPECT(made == 8 && n == 4);
  while (n)
    free(free_ones[--n]);
}
