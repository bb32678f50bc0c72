/* Tests children of fork, and a lack of descriptors: a recompiled program survives what the plain program survives. */
#include "harness.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

static int all[4096], taken;
static void take_all_descriptors(void) {
  struct rlimit limit;
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 200;
  EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  while ((all[taken] = (int)syscall(SYS_dup, 0)) >= 0) taken++;
}
static void give_back(int n) {
  while (n-- > 0) syscall(SYS_close, all[--taken]);
}
static int status_of(pid_t child) {
  int status = -1;
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

#if !__has_feature(address_sanitizer) /* whose own locks lie in other pages */
/* How many pages this process writes, or looks at for the first time, at a fork. */
static double pages_of(pid_t (*make)(void)) {
  enum { TIMES = 20 };
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < TIMES; i++) {
    pid_t child = make();
    if (child == 0) _exit(0);
    EXPECT(status_of(child) == 0);
  }
  getrusage(RUSAGE_SELF, &after);
  return (double)(after.ru_minflt - before.ru_minflt) / TIMES;
}

/* The kernel copies each page that is written after a fork. */
TEST(the_locks_that_a_fork_takes_lie_in_few_pages) {
  double with_locks = pages_of(fork), without = pages_of(_Fork);
  EXPECT(with_locks - without < 5);
}
#endif

/* A wait for a socket, in an operation of the ring if there is one, and one for a pipe. */
static int s[2], p[2];
static long got_socket, got_pipe;
static void read_socket(void) {
  char c;
  got_socket = read(s[0], &c, 1);
}
static void read_pipe(void) {
  char c;
  got_pipe = read(p[0], &c, 1);
}
static void make_both(void) {
  alarm(60);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(p) == 0);
}
static ch_activity on_socket, on_pipe;
static void others_wait(void) {
  make_both();
  activate [&on_socket] read_socket();
  activate [&on_pipe] read_pipe();
  ch_sleep(1000000);
}
static void write_both(void) {
  EXPECT(raw_syscall(SYS_write, s[1], "x", 1) == 1 && raw_syscall(SYS_write, p[1], "x", 1) == 1);
}

TEST(a_child_that_only_ends_needs_no_descriptor) {
  others_wait();
  take_all_descriptors();
  pid_t child = fork();
  if (child == 0) _exit(7);
  EXPECT(WEXITSTATUS(status_of(child)) == 7);
}

/* The caller's branches read both. It forks, and first the child and then the parent writes what both have waited for.
 * The child has to end with status 5. */
static pid_t fork_beside_readers(bool without_descriptors) {
  pid_t child;
  make_both();
  do {
    async read_socket();
    async read_pipe();
    ch_sleep(1000000);
    if (without_descriptors) take_all_descriptors();
    child = fork();
    int status; /* plainly: the parent's branches wait for the same files, and leave them to the child */
    if (child > 0) EXPECT(raw_syscall(SYS_wait4, child, &status, 0, NULL) == child && status == 5 << 8);
    if (child == 0) {
      alarm(20);
      ch_sleep(1000000);
    }
    write_both();
  }
  finish;
  EXPECT(got_socket == 1 && got_pipe == 1);
  return child;
}

TEST(a_childs_waits_are_its_own) {
  if (fork_beside_readers(false) == 0) _exit(5);
}

/* What it waits for comes, though there is nothing to wait with. */
TEST(a_child_waits_without_a_descriptor) {
  if (fork_beside_readers(true) > 0) return;
  int done = 0;
  ch_activity more;
  activate [&more] {
    ch_sleep(2000000);
    done = 1;
  }
  EXPECT(ch_activity_wait(&more) == 0 && done == 1);
  give_back(8); /* and from now on as ever */
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  long r = 0;
  char c;
  do {
    async r = read(s[0], &c, 1);
    ch_sleep(1000000);
    EXPECT(write(s[1], "y", 1) == 1);
  }
  finish;
  EXPECT(r == 1 && c == 'y');
  _exit(5);
}

/* What the others would do between fork and exec would be done twice. */
static int turns;
static void call(void) { __asm__ volatile("" ::: "memory"); }
static void take_turns(void) {
  while (turns >= 0) ch_sleep(1000), turns++;
}
TEST(a_childs_branches_rest_until_it_waits) {
  alarm(60);
  do {
    async take_turns();
    while (turns == 0) ch_sleep(1000);
    pid_t child = fork();
    if (child == 0) {
      int before = turns;
      alarm(60);
      for (int i = 0; i < 1000; i++) call();
      close(dup(0));
      if (turns != before) _exit(9);
      while (turns == before) ch_sleep(1);
      _exit(0);
    }
    EXPECT(status_of(child) == 0);
    exit(0);
  }
  finish;
}

/* ---- who is in a child ---- */

static ch_sem semaphore_of_others, ours;
static pthread_mutex_t mutex_of_others = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posix_semaphore;
static int others_ran;

static void others_want_everything(ch_activity *a) {
  int i = 0;
  others_wait();
  EXPECT(sem_init(&posix_semaphore, 0, 0) == 0);
  pthread_mutex_lock(&mutex_of_others);
  pthread_rwlock_rdlock(&rwlock);
  activate { for (;; others_ran++) ch_reschedule(); }
  activate [&a[i++]] { ch_sem_wait(&semaphore_of_others), others_ran++; }
  activate [&a[i++]] {
    waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    or waituntil (ch_sleep(300000000)) others_ran++;
  }
  activate [&a[i++]] {
    waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    and waituntil (ch_sleep(300000000)) others_ran++;
  }
  activate [&a[i++]] { pthread_mutex_lock(&mutex_of_others), others_ran++; }
  activate [&a[i++]] { pthread_rwlock_wrlock(&rwlock), others_ran++; }
  activate [&a[i++]] { pthread_rwlock_rdlock(&rwlock), others_ran++; }
  activate [&a[i++]] { sem_wait(&posix_semaphore), others_ran++; }
  activate [&a[i++]] {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    pthread_cond_wait(&condition, &own);
    others_ran++;
  }
  activate [&a[i++]] (a) { ch_activity_wait(&a[0]), others_ran++; }
  activate [&a[i++]] {
    within (300000000) do {
      async ch_sem_wait(&semaphore_of_others);
      async usleep(300000);
    }
    finish;
    others_ran++;
  }
  activate [&a[i++]] { usleep(300000), others_ran++; }
}

static int activities_in_the_dump(void) {
  static char text[1 << 15];
  int out[2], n = 0;
  EXPECT(pipe(out) == 0);
  ch_dump(out[1]);
  EXPECT(read(out[0], text, sizeof text - 1) > 0);
  for (char *at = text; (at = strstr(at, "activity 0x")); at++) n++;
  close(out[0]), close(out[1]);
  return n;
}

/* The child: everything that the others wait for comes, and all of it is the child's. */
static void take_everything(ch_activity *a, int n) {
  int before = others_ran;
  alarm(20);
  EXPECT(activities_in_the_dump() == 1);
  for (int i = 0; i < n; i++) EXPECT(ch_activity_wait(&a[i]) == ESRCH);
  for (int i = 0; i < n; i++) ch_sem_post(&semaphore_of_others);
  for (int i = 0; i < n; i++) ch_sem_wait(&semaphore_of_others);
  EXPECT(sem_post(&posix_semaphore) == 0 && sem_wait(&posix_semaphore) == 0);
  EXPECT(pthread_cond_broadcast(&condition) == 0);
  EXPECT(pthread_mutex_unlock(&mutex_of_others) == 0 && pthread_mutex_lock(&mutex_of_others) == 0);
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_wrlock(&rwlock) == 0);
  ch_sleep(600000000);
  int done = 0;
  do {
    async { usleep(1000), done++; }
    async ch_sem_wait(&ours), done++;
    activate { ch_sem_post(&ours); }
  }
  finish;
  write_both();
  char c;
  EXPECT(read(s[0], &c, 1) == 1 && read(p[0], &c, 1) == 1);
  EXPECT(done == 2 && others_ran == before);
}

TEST(only_the_activity_that_forks_is_in_the_child) {
  static ch_activity a[11];
  others_want_everything(a);
  ch_sleep(1000000);
  pid_t child = fork();
  if (child == 0) {
    take_everything(a, 11);
    pid_t grandchild = fork();
    if (grandchild == 0) _exit(2);
    EXPECT(status_of(grandchild) == 2 << 8);
    _exit(6);
  }
  int status;
  EXPECT(raw_syscall(SYS_wait4, child, &status, 0, NULL) == child && status == 6 << 8);
  exit(0);
}

/* Some of the others have had one clause of two. Withdrawn once more, its timer would take out another one, which has
 * the same place by now. */
TEST(timers_of_a_child_fire_although_others_have_had_theirs) {
  enum { OTHERS = 64, BRANCHES = 300 };
  static int had, slept;
  for (int i = 0; i < OTHERS; i++)
    activate {
      waituntil (ch_sleep(1000 * 1000)) had++;
      and waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    }
  while (had < OTHERS) ch_sleep(1000 * 1000);
  pid_t child = -1;
  do {
    for (int i = 0; i < BRANCHES; i++) async { ch_sleep(20 * 1000 * 1000), slept++; }
    child = fork();
    if (child == 0) alarm(60);
  }
  finish;
  EXPECT(slept == BRANCHES && others_ran == 0);
  if (child == 0) _exit(7);
  EXPECT(status_of(child) == 7 << 8);
  exit(0);
}

/* The others are between the clauses of an `and`: so they are not blocked in it, and one clause is still listed. */
static ch_sem sooner, never;
static channel(int) messages, shared_messages;
static ch_sem *semaphore_after_a_wait(void) {
  ch_sem_wait(&never);
  return &never;
}
static void wait_for_both(int i) {
  int got;
  switch (i) {
  case 0: /* has been made ready */
    waituntil (ch_sem_wait(&sooner)) others_ran++;
    and waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    return;
  case 1:
    waituntil (ch_sem_wait(&sooner)) others_ran++;
    and waituntil (ch_recv(&messages, &got)) others_ran++;
    return;
  case 2: /* waits in a body */
    waituntil (ch_recv(&messages, &got)) others_ran++;
    and waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    and waituntil (ch_sleep(0)) ch_sem_wait(&never);
    return;
  default: /* waits in an argument */
    waituntil (ch_sem_wait(&semaphore_of_others)) others_ran++;
    and waituntil (ch_recv(&messages, &got)) others_ran++;
    and waituntil (ch_sem_wait(semaphore_after_a_wait())) others_ran++;
  }
}
static int receive_what_is_sent(int n) {
  int got, sum = 0;
  activate (n) {
    for (int i = 1; i <= n; i++) ch_send(&messages, &i);
  }
  for (int i = 0; i < n && ch_recv(&messages, &got) == 0; i++) sum += got;
  return sum;
}
TEST(nothing_in_a_child_goes_to_others_that_are_between_two_clauses) {
  alarm(60);
  EXPECT(ch_channel_init(&messages, 0) == 0);
  for (int i = 0; i < 4; i++) activate wait_for_both(i);
  ch_sleep(1000000);
  ch_sem_post(&sooner), ch_sem_post(&sooner);
  pid_t child = fork();
  if (child == 0) {
    int before = others_ran;
    alarm(20);
    for (int i = 0; i < 6; i++) ch_sem_post(&semaphore_of_others);
    for (int i = 0; i < 6; i++) ch_sem_wait(&semaphore_of_others);
    EXPECT(receive_what_is_sent(6) == 21 && others_ran == before);
    _exit(6);
  }
  EXPECT(status_of(child) == 6 << 8);
  exit(0);
}

static int domains_waiting;
static void receives_plainly(void *unused) {
  int got;
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_recv(&shared_messages, &got);
}
static void receives_or_sleeps(void *unused) {
  int got;
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  waituntil (ch_recv(&shared_messages, &got)) {}
  or waituntil (ch_sleep(INT64_C(3600000000000))) {}
}
static void receives_and_waits(void *unused) {
  int got;
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  waituntil (ch_recv(&shared_messages, &got)) {}
  and waituntil (ch_sleep(INT64_C(3600000000000))) {}
}
TEST(nothing_in_a_child_goes_to_the_domains_of_other_threads) {
  static ch_thread threads[3];
  static void (*const how[])(void *) = {receives_plainly, receives_or_sleeps, receives_and_waits};
  alarm(60);
  EXPECT(ch_channel_init_shared(&shared_messages, 8) == 0);
  for (int i = 0; i < 3; i++) EXPECT(ch_domain_start(&threads[i], how[i], NULL) == 0);
  while (__atomic_load_n(&domains_waiting, __ATOMIC_RELAXED) < 3) ch_sleep(1000000);
  ch_sleep(5000000);
  pid_t child = fork();
  if (child == 0) {
    int got, sum = 0;
    alarm(20);
    for (int i = 1; i <= 6; i++) EXPECT(ch_send(&shared_messages, &i) == 0);
    for (int i = 1; i <= 6 && ch_recv(&shared_messages, &got) == 0; i++) sum += got;
    EXPECT(sum == 21);
    _exit(6);
  }
  EXPECT(status_of(child) == 6 << 8);
  _exit(0);
}

static channel(int) meeting;
static future(int) shared_answer;
static void receives_at_the_meeting(void *unused) {
  int got;
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  waituntil (ch_recv(&meeting, &got)) {}
  or waituntil (ch_get(&shared_answer, &got)) {}
}
TEST(in_a_child_nobody_waits_for_an_object_but_those_who_are_there) {
  ch_thread thread;
  alarm(60);
  EXPECT(ch_channel_init_shared(&meeting, 0) == 0);
  ch_future_init_shared(&shared_answer);
  EXPECT(ch_domain_start(&thread, receives_at_the_meeting, NULL) == 0);
  while (!__atomic_load_n(&domains_waiting, __ATOMIC_RELAXED)) ch_sleep(1000000);
  ch_sleep(5000000);
  EXPECT(ch_channel_destroy(&meeting) == EBUSY && ch_future_reset(&shared_answer) == EBUSY);
  pid_t child = fork();
  if (child == 0) {
    int x = 1, slept = 0, other = 0;
    alarm(20);
    EXPECT(ch_try_send(&meeting, &x) == EAGAIN);
    waituntil (ch_sleep(0)) slept = 1;
    and waituntil (ch_send(&meeting, &x)) slept = 2;
    else other = 1;
    EXPECT(!slept && other && ch_future_reset(&shared_answer) == 0 && ch_channel_destroy(&meeting) == 0);
    _exit(6);
  }
  EXPECT(status_of(child) == 6 << 8);
  _exit(0);
}

static ch_mutex shared_mutex;
static ch_cond shared_cond;
static ch_barrier shared_barrier;
static ch_permits shared_permits;
static ch_rwlock shared_rwlock;
static void waits_for_a_signal(void *unused) {
  ch_lock(&shared_mutex);
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_cond_wait(&shared_cond, &shared_mutex);
}
static void waits_at_a_barrier(void *unused) {
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_barrier_wait(&shared_barrier);
}
static void wants_many_permits(void *unused) {
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_permits_take(&shared_permits, 5);
}
static void wants_to_write(void *unused) {
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_write_lock(&shared_rwlock);
}
static void use_locks_alone(void) {
  EXPECT(ch_cond_signal(&shared_cond) == 0); /* nobody is there */
  EXPECT(ch_lock(&shared_mutex) == 0);
  within (50000000) do { EXPECT(ch_cond_wait(&shared_cond, &shared_mutex) == ECANCELED); } finish;
  within (50000000) do { EXPECT(ch_barrier_wait(&shared_barrier) == ECANCELED); } finish;
  do {
    async ch_barrier_wait(&shared_barrier);
    EXPECT(ch_barrier_wait(&shared_barrier) == CH_BARRIER_LAST);
  } finish;
  within (5000000000) do {
    EXPECT(ch_permits_take(&shared_permits, 1) == 0 && ch_read_lock(&shared_rwlock) == 0);
  } finish;
  EXPECT(ch_barrier_destroy(&shared_barrier) == 0 && ch_cond_destroy(&shared_cond) == 0);
}
TEST(no_lock_in_a_child_counts_those_who_are_not_there_and_nobody_waits_behind_them) {
  static ch_thread threads[4];
  static void (*const how[])(void *) = {waits_for_a_signal, waits_at_a_barrier, wants_many_permits, wants_to_write};
  alarm(60);
  ch_mutex_init(&shared_mutex, CH_SHARED);
  ch_cond_init(&shared_cond, CH_SHARED);
  ch_barrier_init(&shared_barrier, 2, CH_SHARED);
  ch_permits_init(&shared_permits, 2, CH_SHARED);
  ch_rwlock_init(&shared_rwlock, CH_SHARED);
  EXPECT(ch_read_lock(&shared_rwlock) == 0);
  for (int i = 0; i < 4; i++) EXPECT(ch_domain_start(&threads[i], how[i], NULL) == 0);
  while (__atomic_load_n(&domains_waiting, __ATOMIC_RELAXED) < 4) ch_sleep(1000000);
  EXPECT(ch_lock(&shared_mutex) == 0 && ch_unlock(&shared_mutex) == 0); /* who waits for the signal has given it back */
  ch_sleep(5000000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    use_locks_alone();
    _exit(6);
  }
  EXPECT(status_of(child) == 6 << 8);
  _exit(0);
}

static int changes_end;
static void changes_it_again_and_again(void *unused) {
  while (!__atomic_load_n(&changes_end, __ATOMIC_RELAXED))
    EXPECT(ch_lock(&shared_mutex) == 0 && ch_unlock(&shared_mutex) == 0);
}
/* A child has the lock as some other thread has left it, and perhaps is told that this one was changing it. */
TEST(a_child_does_not_wait_for_the_thread_that_was_changing_an_object) {
  static ch_thread thread;
  alarm(120);
  ch_mutex_init(&shared_mutex, CH_SHARED);
  EXPECT(ch_domain_start(&thread, changes_it_again_and_again, NULL) == 0);
  for (int i = 0; i < 300; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      ch_try_lock(&shared_mutex);
      _exit(6);
    }
    int status = status_of(child);
    EXPECT(status == 6 << 8 || status == CH_EXIT_MISUSE << 8);
  }
  __atomic_store_n(&changes_end, 1, __ATOMIC_RELAXED);
  EXPECT(ch_domain_join(&thread) == 0);
}

static ch_sem awaited_elsewhere;
static void waits_for_a_unit(void *unused) {
  __atomic_fetch_add(&domains_waiting, 1, __ATOMIC_RELAXED);
  ch_sem_wait(&awaited_elsewhere);
}
TEST(units_in_a_child_go_to_nobody_in_another_threads_domain) {
  static ch_thread thread;
  alarm(60);
  EXPECT(ch_domain_start(&thread, waits_for_a_unit, NULL) == 0);
  while (__atomic_load_n(&domains_waiting, __ATOMIC_RELAXED) < 1) ch_sleep(1000000);
  ch_sleep(5000000);
  for (int how = 0; how < 3; how++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      if (how == 0) EXPECT(ch_sem_post(&awaited_elsewhere) == 0 && ch_sem_wait(&awaited_elsewhere) == 0);
      if (how == 1) EXPECT(ch_sem_timedwait(&awaited_elsewhere, 1000000) == ETIMEDOUT);
      if (how == 2) EXPECT(ch_sem_destroy(&awaited_elsewhere) == 0);
      _exit(6);
    }
    EXPECT(status_of(child) == 6 << 8);
  }
  _exit(0);
}

static void nap(ch_activity *a) {
  activate [a] { ch_sleep(1000000); }
}
/* Those that are in none of the two are dropped once. */
TEST(a_childs_child_has_only_the_activity_that_forks_again) {
  ch_activity a[3], b[3], c;
  alarm(60);
  for (int i = 0; i < 3; i++) nap(&a[i]);
  ch_sleep(0);
  pid_t child = fork();
  if (child > 0) {
    EXPECT(status_of(child) == 3 << 8);
    for (int i = 0; i < 3; i++) ch_activity_wait(&a[i]);
    return;
  }
  for (int i = 0; i < 3; i++) nap(&b[i]);
  ch_sleep(0);
  memset(a, 0, sizeof a); /* their memory may mean something else by now */
  pid_t grandchild = fork();
  if (grandchild > 0) {
    EXPECT(status_of(grandchild) == 2 << 8);
    _exit(3);
  }
  alarm(20);
  for (int i = 0; i < 3; i++) EXPECT(ch_activity_wait(&b[i]) == ESRCH && ch_activity_wait(&a[i]) == EINVAL);
  EXPECT(activities_in_the_dump() == 1);
  nap(&c);
  EXPECT(ch_activity_wait(&c) == 0);
  exit(2);
}

/* As the process of a thread that forks and returns from its start routine. */
TEST(a_child_without_main_ends_with_its_activity) {
  for (int spawns = 0; spawns < 2; spawns++) {
    pid_t child = -1;
    ch_activity forks;
    activate [&forks] (spawns) {
      child = fork();
      if (child == 0) {
        alarm(20);
        ch_sleep(1000000);
        if (spawns) activate { ch_sleep(1000000), ch_sleep(1000000); }
      }
    }
    ch_activity_wait(&forks);
    EXPECT(status_of(child) == 0);
  }
}

/* In the child nobody ends the blocks in which its activity was spawned. */
static void forks_and_waits(pid_t *child) {
  *child = fork();
  if (*child != 0) return;
  int naps = 0;
  ch_activity a;
  alarm(20);
  ch_sleep(1000000);
  activate [&a] { ch_sleep(1000000), naps++; }
  EXPECT(ch_activity_wait(&a) == 0);
  do { async { ch_sleep(1000), naps++; } async { ch_sleep(1000), naps++; } } finish;
  atomic contained { activate { naps++; } }
  exit(naps);
}
TEST(a_child_of_an_activity_in_the_atomic_block_of_another_goes_on) {
  for (int inner = 0; inner < 2; inner++)
    for (int free_of_it = 0; free_of_it < 2; free_of_it++) {
      pid_t child = -1;
      ch_activity beside[2], forks;
      nap(&beside[0]);
      atomic contained {
        nap(&beside[1]);
        if (inner)
          activate { atomic contained { activate [&forks] { forks_and_waits(&child); } } }
        else if (free_of_it)
          activate free [&forks] { forks_and_waits(&child); }
        else
          activate [&forks] { forks_and_waits(&child); }
      }
      EXPECT(ch_activity_wait(&forks) == 0 && status_of(child) == 4 << 8);
      for (int i = 0; i < 2; i++) ch_activity_wait(&beside[i]);
    }
}

static ch_sem at_fork;
static int prepared, in_parent, in_child;
static void prepare(void) { prepared++; }
static void parent(void) { in_parent++; }
static void child_of_it(void) { in_child++, ch_sem_post(&at_fork); }
TEST(handlers_of_atfork_and_buffers_are_the_childs) {
  ch_activity waits;
  int got = 0, out[2];
  alarm(60);
  activate [&waits] { ch_sem_wait(&at_fork), got++; }
  ch_sleep(1000000);
  EXPECT(pthread_atfork(prepare, parent, child_of_it) == 0 && pipe(out) == 0);
  FILE *f = fdopen(out[1], "w");
  EXPECT(fputs("twice ", f) >= 0);
  pid_t child = fork();
  if (child == 0) {
    ch_sem_wait(&at_fork);
    EXPECT(prepared == 1 && in_parent == 0 && in_child == 1 && got == 0);
    fputs("child ", f);
    ch_sleep(1000000);
    exit(8);
  }
  EXPECT(status_of(child) == 8 << 8);
  EXPECT(prepared == 1 && in_parent == 1 && in_child == 0 && got == 0);
  fputs("parent", f);
  fclose(f);
  char text[100] = "";
  EXPECT(read(out[0], text, sizeof text) > 0);
  EXPECT(strcmp(text, "twice child twice parent") == 0);
  ch_sem_post(&at_fork);
  ch_activity_wait(&waits);
}

/* Registered before the runtime waits for anything, so before most of it knows that there are children. */
static int spawned_in_child, read_in_child;
static void waits_and_spawns(void) {
  char c;
  int own[2]; /* what is written to `s` the parent may read */
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, own) == 0);
  activate { spawned_in_child++; }
  ch_sleep(1000000);
  EXPECT(raw_syscall(SYS_write, own[1], "x", 1) == 1);
  read_in_child = read(own[0], &c, 1) == 1;
  activate { ch_sleep(1000000), spawned_in_child++; }
}
TEST(handlers_of_atfork_may_wait_and_spawn_in_the_child) {
  EXPECT(pthread_atfork(NULL, NULL, waits_and_spawns) == 0);
  others_wait();
  pid_t child = fork();
  if (child == 0) {
    ch_sleep(50000000);
    exit(read_in_child == 1 ? spawned_in_child : 100);
  }
  EXPECT(status_of(child) == 2 << 8);
  write_both();
  EXPECT(ch_activity_wait(&on_socket) == 0 && ch_activity_wait(&on_pipe) == 0 && got_socket == 1 && got_pipe == 1);
}

/* Another thread, which is not in the child, may be using a shared object at that moment. */
TEST(a_child_needs_no_shared_object_that_is_in_use) {
  static ch_mutex shared;
  ch_activity waits;
  ch_mutex_init(&shared, CH_SHARED);
  EXPECT(ch_lock(&shared) == 0);
  activate [&waits] { EXPECT(ch_lock(&shared) == 0 && ch_unlock(&shared) == 0); }
  ch_sleep(1000000);
  __atomic_store_n(&shared.gate.object.lock, 1, __ATOMIC_SEQ_CST);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ch_sleep(1000);
    _exit(7);
  }
  __atomic_store_n(&shared.gate.object.lock, 0, __ATOMIC_SEQ_CST);
  EXPECT(status_of(child) == 7 << 8 && ch_unlock(&shared) == 0 && ch_activity_wait(&waits) == 0);
}

/* A thread sends a letter now and then to a domain that waits for a socket, but had no descriptor for waiting. */
static ch_sem letters = CH_SEM_INIT(0);
enum { LETTERS = 7 };
static _Atomic int64_t sent_at;
static int64_t monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void *send_letters(void *unused) {
  for (int i = 0; i < LETTERS; i++) {
    raw_syscall(SYS_nanosleep, &(struct timespec){0, 300000000}, NULL);
    sent_at = monotonic();
    ch_sem_post(&letters);
  }
  return unused;
}
/* The median, in ns. */
static int64_t median_without_descriptor(bool with_reactor) {
  int64_t took[LETTERS], smaller;
  pthread_t thread;
  if (with_reactor) ch_sleep(1000);
  make_both();
  activate [&on_socket] read_socket();
  EXPECT(ch_inbox() != NULL && pthread_create(&thread, NULL, send_letters, NULL) == 0);
  take_all_descriptors();
  for (int i = 0; i < LETTERS; i++) {
    EXPECT(ch_sem_wait(&letters) == 0);
    took[i] = monotonic() - sent_at;
  }
  give_back(8);
  write_both();
  EXPECT(ch_activity_wait(&on_socket) == 0 && pthread_join(thread, NULL) == 0);
  for (int i = 0;; i++) {
    smaller = 0;
    for (int j = 0; j < LETTERS; j++) smaller += took[j] < took[i];
    if (smaller == LETTERS / 2) return took[i];
  }
}
static bool is_default(int signal) {
  struct sigaction is;
  sigset_t mask;
  return sigaction(signal, NULL, &is) == 0 && is.sa_handler == SIG_DFL &&
         pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && !sigismember(&mask, signal);
}
/* In one of several processes: on a busy machine a thread may run late, though it was woken in time. */
static bool letters_come_soon_without_descriptor(bool with_reactor) {
  const bool was_default = is_default(SIGURG);
  for (int tries = 0; tries < 5; tries++) {
    pid_t child = fork();
    if (child == 0) _exit(median_without_descriptor(with_reactor) >= 5000000 || is_default(SIGURG) != was_default);
    if (status_of(child) == 0) return true;
  }
  return false;
}
TEST(a_letter_needs_no_descriptor) { EXPECT(letters_come_soon_without_descriptor(false)); }
TEST(a_letter_needs_no_descriptor_where_there_is_a_reactor) { EXPECT(letters_come_soon_without_descriptor(true)); }
TEST(a_letter_needs_no_descriptor_where_the_program_uses_sigurg) {
  EXPECT(signal(SIGURG, SIG_IGN) == SIG_DFL && letters_come_soon_without_descriptor(true));
}
TEST(a_letter_is_found_where_the_program_uses_all_signals) {
  EXPECT(signal(SIGURG, SIG_IGN) == SIG_DFL && signal(SIGRTMAX - 1, SIG_IGN) == SIG_DFL);
  EXPECT(median_without_descriptor(true) < 60000000000);
}

TEST(the_first_wait_of_all_needs_no_descriptor) {
  alarm(60);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  take_all_descriptors();
  char c[10];
  long r = 0, second = 0;
  do {
    async r = read(s[0], c, sizeof c);
    ch_sleep(1000000);
    EXPECT(write(s[1], "first", 5) == 5);
  }
  finish;
  EXPECT(r == 5);
  do {
    async second = readv(s[0], &(struct iovec){c, 3}, 1);
    async EXPECT(ch_fd_wait(s[1], POLLIN, 5000000) == 0);
    ch_sleep(1000000);
    EXPECT(write(s[1], "second", 6) == 6);
  }
  finish;
  EXPECT(second == 3);
  give_back(5);
  do {
    async second = read(s[0], c, sizeof c);
    ch_sleep(1000000);
  }
  finish;
  EXPECT(second == 3);
}

static void slow(void *x) {
  usleep(3000);
  *(int *)x = 1;
}
TEST(a_thread_does_not_wake_in_vain_without_a_descriptor) {
  int done = 0;
  alarm(60);
  activate { ch_sleep(INT64_C(100000000000)); }
  take_all_descriptors();
  EXPECT(ch_offload(slow, &done) == 0 && done == 1);
  exit(0);
}

/* ---- what the pool was doing ---- */

TEST(a_wait_on_a_thread_is_begun_anew_in_a_child) {
  int f = open("name", O_CREAT | O_RDWR, 0600), g = open("name", O_RDWR), r = -1;
  pid_t child;
  alarm(60);
  EXPECT(lockf(f, F_LOCK, 0) == 0);
  struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  EXPECT(fcntl(g, F_OFD_SETLK, &mine) == -1); /* taken by the process's own lock */
  do {
    async r = fcntl(g, F_OFD_SETLKW, &mine);
    ch_sleep(5000000);
    EXPECT(r == -1);
    child = fork();
    if (child == 0) alarm(20); /* and wait for the parent's lock */
    if (child > 0) ch_sleep(5000000);
    if (child > 0) EXPECT(lockf(f, F_ULOCK, 0) == 0);
  }
  finish;
  if (child == 0) _exit(r == 0 ? 0 : 3);
  EXPECT(r == 0);
  EXPECT(status_of(child) == 0); /* the description is one: it has the lock, too */
  unlink("name");
}

static sem_t semaphore;
TEST(a_semaphore_of_threads_is_waited_for_in_a_child) {
  int r = -1;
  pid_t child;
  alarm(60);
  EXPECT(sem_init(&semaphore, 0, 0) == 0);
  do {
    async r = sem_wait(&semaphore);
    ch_sleep(5000000);
    child = fork();
    if (child == 0) alarm(20);
    if (child > 0) EXPECT(status_of(child) == 0 && r == -1);
    sem_post(&semaphore);
  }
  finish;
  if (child == 0) _exit(r == 0 ? 0 : 3);
  EXPECT(r == 0);
}

/* The waiters that are counted in it are the parent's. */
static sem_t *new_shared_semaphore(void) {
  sem_t *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(s != MAP_FAILED && sem_init(s, 1, 0) == 0);
  return s;
}
TEST(a_child_posts_a_semaphore_that_its_parents_activities_wait_for) {
  sem_t *s = new_shared_semaphore();
  ch_activity waits[3];
  int got = 0;
  alarm(20);
  for (int i = 0; i < 3; i++)
    activate[&waits[i]] {
      if (sem_wait(s) == 0)
        got++;
    }
  ch_sleep(5000000);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; i++)
      sem_post(s);
    _exit(0);
  }
  for (int i = 0; i < 3; i++)
    ch_activity_wait(&waits[i]);
  EXPECT(got == 3 && status_of(child) == 0);
}
TEST(a_child_waits_for_a_semaphore_beside_its_parent) {
  sem_t *s = new_shared_semaphore();
  int r = -1;
  pid_t child;
  do {
    async r = sem_wait(s);
    ch_sleep(5000000);
    child = fork();
    alarm(20);
    if (child > 0) {
      ch_sleep(5000000);
      sem_post(s);
      sem_post(s);
    }
  }
  finish;
  if (child == 0)
    _exit(r == 0 ? 0 : 3);
  EXPECT(r == 0 && status_of(child) == 0);
}

/* A thread of the pool has asked for the lock for an activity that is not in the child. */
static pthread_rwlock_t lent_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void *holds_the_rwlock(void *gives_back) {
  EXPECT(pthread_rwlock_wrlock(&lent_rwlock) == 0);
  EXPECT(__atomic_exchange_n((int *)gives_back, 1, __ATOMIC_SEQ_CST) == 0);
  while (__atomic_load_n((int *)gives_back, __ATOMIC_SEQ_CST) == 1) usleep(1000);
  return (void *)(intptr_t)pthread_rwlock_unlock(&lent_rwlock);
}
static void uses_the_rwlock(void) {
  EXPECT(pthread_rwlock_wrlock(&lent_rwlock) == 0);
  EXPECT(pthread_rwlock_unlock(&lent_rwlock) == 0);
}
TEST(a_rwlock_that_others_wait_for_is_nothing_that_a_child_waits_for) {
  static int gives_back;
  pthread_t thread;
  ch_activity waits;
  EXPECT(pthread_create(&thread, NULL, holds_the_rwlock, &gives_back) == 0);
  while (!__atomic_load_n(&gives_back, __ATOMIC_SEQ_CST)) ch_sleep(1000000);
  activate [&waits] uses_the_rwlock();
  ch_sleep(5000000);
  pid_t child = fork();
  if (child == 0) {
    static ch_sem never;
    alarm(20);
    close(2); /* the report of the deadlock */
    ch_sem_wait(&never);
    _exit(6);
  }
  EXPECT(status_of(child) == 70 << 8);
  const int holder = lent_rwlock.__data.__cur_writer; /* until now */
  __atomic_store_n(&gives_back, 2, __ATOMIC_SEQ_CST);
  atomic while (__atomic_load_n(&lent_rwlock.__data.__cur_writer, __ATOMIC_SEQ_CST) == holder ||
                __atomic_load_n(&lent_rwlock.__data.__cur_writer, __ATOMIC_SEQ_CST) == 0);
  child = fork(); /* the pool's thread has it, and the domain has not yet heard of that */
  if (child == 0) {
    alarm(20);
    ch_sleep(5000000);
    _exit(pthread_rwlock_tryrdlock(&lent_rwlock) == EBUSY ? 6 : 7);
  }
  EXPECT(status_of(child) == 6 << 8);
  EXPECT(ch_activity_wait(&waits) == 0 && pthread_join(thread, NULL) == 0);
}

/* The thread that would do it is the parent's, and whether it has done it nobody knows. */
TEST(what_is_not_a_wait_was_interrupted_in_a_child) {
  int done = 0, r = -1;
  pid_t child;
  alarm(60);
  do {
    async r = ch_offload(slow, &done);
    child = fork();
    if (child == 0) alarm(20);
    if (child > 0) EXPECT(status_of(child) == 0);
  }
  finish;
  if (child == 0) _exit(r == EINTR || (r == 0 && done) ? 0 : 3);
  EXPECT(r == 0 && done);
}

/* The pool's queues are the parent's. */
TEST(what_was_begun_on_a_thread_is_cancelled_in_a_child) {
  int done[20] = {0}, r[20];
  pid_t child;
  alarm(60);
  do {
    for (int i = 0; i < 20; i++) async (i) { r[i] = ch_offload(slow, &done[i]); }
    child = fork();
    if (child == 0) {
      alarm(20);
      cancel;
    }
  }
  finish;
  for (int i = 0; i < 20; i++)
    EXPECT((r[i] == 0 && done[i]) || (child == 0 && (r[i] == ECANCELED || r[i] == EINTR)));
  if (child == 0) _exit(0);
  EXPECT(status_of(child) == 0);
}

static long in_the_domain;
static void reads(void *from) {
  char c;
  ch_activity more;
  activate [&more] { ch_sleep(1000000); }
  in_the_domain = read(*(int *)from, &c, 1);
  ch_activity_wait(&more);
}
TEST(a_domain_for_which_there_is_no_descriptor_waits_all_the_same) {
  ch_thread thread;
  others_wait();
  int other[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0);
  take_all_descriptors();
  EXPECT(ch_domain_start(&thread, reads, &other[0]) == 0);
  ch_sleep(5000000);
  EXPECT(raw_syscall(SYS_write, other[1], "x", 1) == 1);
  EXPECT(ch_domain_join(&thread) == 0 && in_the_domain == 1);
  exit(0);
}

/* ---- what the program does at a fork ---- */

static pthread_mutex_t programs = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_locked;
static void lock_it(void) { pthread_mutex_lock(&programs); }
static void unlock_it(void) { pthread_mutex_unlock(&programs); }
static void *writes_under_the_lock(void *unused) {
  ch_activity beside;
  int f = open("name", O_CREAT | O_RDWR, 0600);
  activate [&beside] { ch_sleep(1000000); } /* which must not wait for the calls: they go to the pool */
  pthread_mutex_lock(&programs);
  sem_post(&is_locked);
  for (int i = 0; i < 10; i++) fsync(f);
  pthread_mutex_unlock(&programs);
  close(f);
  ch_activity_wait(&beside);
  return unused;
}
TEST(a_fork_may_wait_for_a_lock_under_which_others_write_files) {
  alarm(100);
  EXPECT(sem_init(&is_locked, 0, 0) == 0);
  EXPECT(pthread_atfork(lock_it, unlock_it, unlock_it) == 0);
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, writes_under_the_lock, NULL) == 0 && sem_wait(&is_locked) == 0);
    pid_t child = fork();
    if (child == 0) _exit(0);
    EXPECT(status_of(child) == 0 && pthread_join(thread, NULL) == 0);
  }
}

/* ---- the signal that takes a thread out of its call ---- */

TEST(the_urgent_signal_stays_the_programs) {
  struct sigaction is;
  int f = open("name", O_CREAT | O_RDWR, 0600), g = open("name", O_RDWR);
  alarm(60);
  EXPECT(raw_syscall(SYS_flock, f, LOCK_EX) == 0);
  for (int i = 0; i < 20; i++) {
    int r = 0, error = 0;
    do {
      async {
        r = flock(g, LOCK_EX);
        error = errno;
      }
      ch_sleep(1000000);
      EXPECT(sigaction(SIGURG, NULL, &is) == 0 && is.sa_handler == SIG_DFL); /* nobody is taken out of anything */
      cancel;
    }
    finish;
    EXPECT(r == -1 && error == ECANCELED);
    EXPECT(sigaction(SIGURG, NULL, &is) == 0 && is.sa_handler == SIG_DFL);
  }
  unlink("name");
}

/* ---- a child whose activity is alone ---- */

static void nothing_to_handle(int signal) {}

static int signal_ends_sleep(void) {
  struct sigaction action = {.sa_handler = nothing_to_handle};
  struct itimerval soon = {.it_value = {0, 10000}};
  struct timespec long_time = {20, 0};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  return nanosleep(&long_time, NULL) == -1 && errno == EINTR;
}

/* Also if others could run when it was made. */
TEST(a_signal_ends_the_first_wait_of_a_child_whose_only_activity_it_is) {
  bool over = false;
  ch_activity others[3];
  for (int i = 0; i < 3; i++)
    activate[&others[i]] {
      while (!over) ch_reschedule();
    }
  ch_reschedule();
  pid_t child = fork();
  if (child == 0) _exit(signal_ends_sleep() ? 0 : 1);
  EXPECT(status_of(child) == 0);
  over = true;
  for (int i = 0; i < 3; i++) ch_activity_wait(&others[i]);
}

/* Or if threads of the parent waited for them. */
TEST(a_signal_ends_the_first_wait_of_a_child_although_threads_waited_for_others) {
  struct {
    long type;
    char text[8];
  } message;
  int q = msgget(IPC_PRIVATE, 0600);
  sem_t units;
  ch_activity others[2];
  EXPECT(q >= 0 && sem_init(&units, 0, 0) == 0);
  activate[&others[0]] { msgrcv(q, &message, sizeof message.text, 0, 0); }
  activate[&others[1]] { sem_wait(&units); }
  ch_sleep(1000000);
  pid_t child = fork();
  if (child == 0) _exit(signal_ends_sleep() ? 0 : 1);
  EXPECT(status_of(child) == 0);
  msgctl(q, IPC_RMID, NULL);
  sem_post(&units);
  for (int i = 0; i < 2; i++) ch_activity_wait(&others[i]);
}
