/* A domain that has nothing to do looks for letters before it sleeps (runtime/reactor/looking.h): told by the numbers
 * of looks and of system calls that wake. */
#include "harness.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

/* The runtime's sched_yield, too: how often each thread has given way, and for how long at least. */
static __thread unsigned yields;
static unsigned away_us;
int sched_yield(void) {
  yields++;
  if (away_us)
    usleep(away_us);
  return (int)syscall(SYS_sched_yield);
}

/* LEAST_TOGETHER as in looking.c, and LEAST_LEFT_OUT as LEFT_OUT_AFTER_SET_ASIDE there. In so few rounds no domain gets
 * as many letters. */
enum { ROUNDS = 12, LEAST_TOGETHER = 32, LEAST_LEFT_OUT = 32, SLEEPS = 1000 };

/* What is waited for by letters: a clause of a shared object stands first, which is not offered (runtime/wait/offer.h).
 */
static future(int) never;
static channel(int) there, back;
static struct ch_stats others;

static void make_shared(size_t room) {
  EXPECT(ch_channel_init_shared(&there, room) == 0 && ch_channel_init_shared(&back, room) == 0);
  ch_future_init_shared(&never);
}
static int send_by_letter(channel(int) * c, int x) {
  int error = EINVAL, none;
  waituntil (ch_get(&never, &none)) {}
  or waituntil (error = ch_send(c, &x)) {}
  return error;
}
static int hear_by_letter(channel(int) * c, int *x) {
  int error = EINVAL, none;
  waituntil (ch_get(&never, &none)) {}
  or waituntil (error = ch_recv(c, x)) {}
  return error;
}
static int send_there(int i) { return send_by_letter(&there, i); }
static int hear_back(int *x) { return hear_by_letter(&back, x); }

static void answer(void *unused) {
  int x;
  while (hear_by_letter(&there, &x) == 0)
    send_by_letter(&back, x);
  ch_stats(&others);
}

/* Without room, so that a message is not only tried for again (runtime/sync/retry.h). */
static void play_rounds(struct ch_stats *own, int rounds) {
  ch_thread other;
  make_shared(0);
  EXPECT(ch_domain_start(&other, answer, NULL) == 0);
  for (int i = 0, x = -1; i < rounds; i++) {
    EXPECT(send_there(i) == 0 && hear_back(&x) == 0);
    EXPECT(x == i);
  }
  ch_stats(own);
  ch_close(&there);
  EXPECT(ch_domain_join(&other) == 0);
}
static void play(struct ch_stats *own) { play_rounds(own, ROUNDS); }

static void use_processors(int n) {
  cpu_set_t all, some;
  EXPECT(sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&some);
  for (int i = 0; i < CPU_SETSIZE && n > 0; i++)
    if (CPU_ISSET(i, &all)) {
      CPU_SET(i, &some);
      n--;
    }
  EXPECT(sched_setaffinity(0, sizeof some, &some) == 0);
}
static int has_two_processors(void) {
  cpu_set_t all;
  return sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1;
}

TEST(who_looks_is_woken_without_a_system_call) {
  struct ch_stats own;
  if (!has_two_processors())
    return;
  setenv("CHARCOAL_LOOK_US", "60000000", 1);
  play(&own);
  /* Until the other domain exists this one does not look: it may have to be woken for the first answer. */
  EXPECT(own.wakeups == 0 && others.wakeups <= 3);
  EXPECT(own.looks_paid > 0 && others.looks_paid > 0);
}

TEST(who_sleeps_is_woken_by_one_system_call) {
  struct ch_stats own;
  setenv("CHARCOAL_LOOK_US", "0", 1);
  play(&own);
  EXPECT(own.looks == 0 && others.looks == 0);
  EXPECT(own.wakeups + others.wakeups > 0);
  EXPECT(own.wakeups <= 2 * ROUNDS && others.wakeups <= 2 * ROUNDS);
}

/* How many descriptors of the process are no files: eventfds, rings and epoll objects. */
static int count_anonymous(void) {
  int n = 0;
  DIR *all = opendir("/proc/self/fd");
  EXPECT(all);
  for (struct dirent *e; (e = readdir(all));) {
    char path[300], what[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
    n += readlink(path, what, sizeof what - 1) > 0 && strncmp(what, "anon_inode:", 11) == 0;
  }
  closedir(all);
  return n;
}

TEST(domains_that_only_exchange_messages_sleep_without_a_descriptor) {
  ch_thread other;
  int before = count_anonymous();
  setenv("CHARCOAL_LOOK_US", "0", 1);
  make_shared(0);
  EXPECT(ch_domain_start(&other, answer, NULL) == 0);
  for (int i = 0, x = -1; i < ROUNDS; i++)
    EXPECT(send_there(i) == 0 && hear_back(&x) == 0 && x == i);
  EXPECT(count_anonymous() == before);
  ch_close(&there);
  EXPECT(ch_domain_join(&other) == 0);
}

static void hear_while_a_descriptor_is_awaited(void *unused) {
  int ends[2], x;
  char c;
  EXPECT(pipe(ends) == 0);
  do {
    async EXPECT(read(ends[0], &c, 1) == 1);
    EXPECT(hear_by_letter(&there, &x) == 0);
    EXPECT(write(ends[1], "x", 1) == 1);
  }
  finish;
  close(ends[0]);
  close(ends[1]);
}
/* The second one has the eventfd of the first, for which its own reactor does not wait yet. */
TEST(each_domain_of_several_in_turn_is_woken_while_it_waits_for_a_descriptor) {
  setenv("CHARCOAL_LOOK_US", "0", 1);
  make_shared(0);
  for (int i = 0; i < 3; i++) {
    ch_thread other;
    EXPECT(ch_domain_start(&other, hear_while_a_descriptor_is_awaited, NULL) == 0);
    ch_sleep(20000000);
    EXPECT(send_there(i) == 0 && ch_domain_join(&other) == 0);
  }
}

TEST(with_one_processor_a_look_gives_way) {
  struct ch_stats own;
  use_processors(1);
  setenv("CHARCOAL_LOOK_US", "60000000", 1);
  play(&own);
  EXPECT(own.wakeups == 0 && others.wakeups <= 3);
  EXPECT(own.looks_paid > 0 && yields >= own.looks_paid);
}

TEST(who_gets_its_processor_back_late_looks_no_more_for_a_while) {
  struct ch_stats own;
  use_processors(1);
  away_us = 1000;
  play(&own);
  EXPECT(own.looks == 1 && own.looks_paid == 0);
}

TEST(who_has_got_its_processor_back_late_for_the_first_time_soon_looks_again) {
  struct ch_stats own;
  use_processors(1);
  away_us = 1000;
  play(&own);
  away_us = 0;
  play_rounds(&own, 10 * LEAST_LEFT_OUT);
  EXPECT(own.looks > 1);
}

static void answer_on_one_processor(void *unused) {
  int x;
  EXPECT(hear_by_letter(&there, &x) == 0 && send_by_letter(&back, x) == 0);
  use_processors(1);
  answer(unused);
}

TEST(a_domain_that_shares_a_processor_sleeps_now_and_then_so_that_the_kernel_can_move_it) {
  enum { MANY = 1000 };
  struct ch_stats before, after;
  uint64_t rounds = 0;
  ch_thread other;
  int x = 0;
  if (!has_two_processors())
    return;
  setenv("CHARCOAL_LOOK_US", "60000000", 1);
  make_shared(0);
  EXPECT(ch_domain_start(&other, answer_on_one_processor, NULL) == 0);
  EXPECT(send_there(x) == 0 && hear_back(&x) == 0); /* both have seen that there are several processors */
  use_processors(1);
  ch_stats(&before);
  after = before;
  /* On a busy machine a thread loses its processor again and again, and letters come without its giving way. */
  for (int i = 0; i < MANY || after.wakeups == before.wakeups; i++, rounds++) {
    EXPECT(send_there(i) == 0 && hear_back(&x) == 0 && x == i);
    ch_stats(&after);
  }
  ch_close(&there);
  EXPECT(ch_domain_join(&other) == 0);
  EXPECT(after.wakeups - before.wakeups <= 2 * rounds / LEAST_TOGETHER);
}

static int busy, enough;
static void keep_busy(void *unused) {
  __atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED);
  atomic {
    while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
      sched_yield();
  }
}

TEST(a_look_gives_way_where_other_domains_need_the_processors) {
  struct ch_stats before, after;
  ch_thread other[2];
  use_processors(2);
  EXPECT(ch_inbox());
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_start(&other[i], keep_busy, NULL) == 0);
  while (__atomic_load_n(&busy, __ATOMIC_RELAXED) < 2)
    ch_sleep(1000);
  ch_stats(&before);
  yields = 0;
  for (int i = 0; i < 50; i++)
    ch_sleep(1000000);
  ch_stats(&after);
  __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
  EXPECT(2 * yields >= after.looks - before.looks);
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_join(&other[i]) == 0);
}

TEST(looks_in_vain_become_rare) {
  struct ch_stats s;
  ch_thread other;
  setenv("CHARCOAL_LOOK_US", "1", 1);
  EXPECT(ch_inbox() && ch_channel_init_shared(&there, 1) == 0);
  EXPECT(ch_domain_start(&other, answer, NULL) == 0);
  for (int i = 0; i < SLEEPS; i++)
    ch_sleep(1000);
  ch_stats(&s);
  EXPECT(s.looks_paid == 0 && s.looks < 30);
  /* On a busy machine a look may be left out for a while. */
  for (int i = 0; i < 5000 && s.looks <= 1 && has_two_processors(); i++)
    ch_sleep(1000), ch_stats(&s);
  EXPECT(s.looks > 1 || !has_two_processors());
  ch_close(&there);
  EXPECT(ch_domain_join(&other) == 0);
}

TEST(a_domain_alone_never_looks) {
  struct ch_stats s;
  EXPECT(ch_inbox());
  for (int i = 0; i < 10; i++)
    ch_sleep(1000);
  ch_stats(&s);
  EXPECT(s.looks == 0 && s.wakeups == 0);
}

static ch_mutex lock;
static long taken, wanted;

/* Until somebody else has had it, too. */
static void take_again_and_again(void *unused) {
  while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
    ch_lock(&lock);
    taken++;
    __atomic_store_n(&busy, 1, __ATOMIC_RELAXED);
    ch_unlock(&lock);
  }
}

TEST(a_lock_that_another_domain_takes_again_and_again_is_had_by_those_who_wait) {
  ch_thread other;
  ch_mutex_init(&lock, CH_SHARED);
  EXPECT(ch_domain_start(&other, take_again_and_again, NULL) == 0);
  while (!__atomic_load_n(&busy, __ATOMIC_RELAXED))
    ch_sleep(1000);
  for (int i = 0; i < ROUNDS; i++) {
    ch_lock(&lock);
    long before = taken;
    ch_reschedule(); /* who tries again meanwhile does not get it */
    EXPECT(taken == before);
    wanted++;
    ch_unlock(&lock);
  }
  __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
  EXPECT(ch_domain_join(&other) == 0);
  EXPECT(wanted == ROUNDS && ch_mutex_destroy(&lock) == 0);
}

static void add_many(void *unused) {
  for (int i = 0; i < 20 * SLEEPS; i++) {
    ch_lock(&lock);
    taken++;
    ch_unlock(&lock);
  }
}

/* Whether calls are made again or wait at once. */
TEST(a_lock_that_two_domains_take_all_the_time_is_had_by_one_at_a_time) {
  ch_thread other;
  ch_mutex_init(&lock, CH_SHARED);
  for (int i = 0; i < 2; i++) {
    EXPECT(ch_domain_start(&other, add_many, NULL) == 0);
    add_many(NULL);
    EXPECT(ch_domain_join(&other) == 0);
  }
  EXPECT(taken == 80 * SLEEPS);
}

/* ---- how long it is worth it to try again, which each shared lock learns (runtime/sync/gate.c) ---- */

static int learnt(void) { return __atomic_load_n(&lock.gate.object.retry_level, __ATOMIC_RELAXED); }
enum { MOST_LEARNT = 2 }; /* MOST_LEVEL there */

static void take_for_moments(void *unused) {
  while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
    EXPECT(ch_lock(&lock) == 0);
    taken++;
    EXPECT(ch_unlock(&lock) == 0);
  }
}

TEST(a_lock_learns_to_be_tried_for_longer_while_it_is_had_for_moments_and_not_while_it_is_held_for_long) {
  ch_thread other;
  if (!has_two_processors())
    return;
  ch_mutex_init(&lock, CH_SHARED);
  EXPECT(learnt() == 0 && ch_domain_start(&other, take_for_moments, NULL) == 0);
  for (int round = 0; round < 2; round++) {
    while (learnt() < MOST_LEARNT) {
      EXPECT(ch_lock(&lock) == 0);
      taken++;
      EXPECT(ch_unlock(&lock) == 0);
    }
    while (learnt() > 0) { /* whoever tries again in vain waits in the end */
      EXPECT(ch_lock(&lock) == 0);
      while (__atomic_load_n(&lock.gate.waiting, __ATOMIC_RELAXED) == 0) {
      }
      EXPECT(ch_unlock(&lock) == 0);
    }
  }
  __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
  EXPECT(ch_domain_join(&other) == 0 && ch_mutex_destroy(&lock) == 0);
}
