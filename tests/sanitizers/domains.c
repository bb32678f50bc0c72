// Several domains and threads hand data to each other, by each means that there is; usage: domains MEANS|races.
// A hand-over that ThreadSanitizer does not see would be a false alarm: what is handed over is no atomic variable.
#define _GNU_SOURCE
#include <charcoal.h>
#include <charcoal/lowlevel.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DOMAINS = 3, ROUNDS = 100 };

static long shared, total;
static int unexpected;
static void expect(int is) { __atomic_fetch_add(&unexpected, !is, __ATOMIC_RELAXED); }

// ---- there and back: the other domain adds, and says so ----

static ch_waiter ask, answer;
static void by_waiter(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    expect(ch_waiter_wait(&ask) == 0);
    shared++;
    ch_waiter_schedule(&answer);
  }
}
static void ask_by_waiter(void) {
  for (int i = 0; i < ROUNDS; i++) {
    shared++;
    ch_waiter_schedule(&ask);
    expect(ch_waiter_wait(&answer) == 0);
  }
}

static ch_sem asks, answers;
static void by_semaphore(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    expect(ch_sem_wait(&asks) == 0);
    shared++;
    ch_sem_post(&answers);
  }
}
static void ask_by_semaphore(void) {
  for (int i = 0; i < ROUNDS; i++) {
    shared++;
    ch_sem_post(&asks);
    expect(ch_sem_wait(&answers) == 0);
  }
}

static sem_t posix_asks, posix_answers;
static void by_posix_semaphore(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    expect(sem_wait(&posix_asks) == 0);
    shared++;
    sem_post(&posix_answers);
  }
}
static void ask_by_posix_semaphore(void) {
  for (int i = 0; i < ROUNDS; i++) {
    shared++;
    sem_post(&posix_asks);
    expect(sem_wait(&posix_answers) == 0);
  }
}

static int ends[2];
static void by_socket(void *unused) {
  (void)unused;
  char c;
  for (int i = 0; i < ROUNDS; i++) {
    expect(read(ends[1], &c, 1) == 1);
    shared++;
    expect(write(ends[1], "a", 1) == 1);
  }
}
static void ask_by_socket(void) {
  char c;
  for (int i = 0; i < ROUNDS; i++) {
    shared++;
    expect(write(ends[0], "q", 1) == 1);
    expect(read(ends[0], &c, 1) == 1);
  }
}

// ---- one at a time: all domains and a thread of the program's own add ----

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void by_mutex(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    shared++;
    if (i % 10 == 0)
      usleep(1);
    pthread_mutex_unlock(&mutex);
  }
}

// Those who write add; those who read see all that was added, some of them at the same time and in the same domain.
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void read_and_write(void) {
  for (int i = 0; i < ROUNDS; i++) {
    if (i % 4 == 0) {
      pthread_rwlock_wrlock(&rwlock);
      shared++;
    } else {
      pthread_rwlock_rdlock(&rwlock);
      expect(shared > 0);
      if (i % 10 == 0)
        usleep(1);
    }
    pthread_rwlock_unlock(&rwlock);
  }
}
static void by_rwlock(void *unused) {
  (void)unused;
  ch_activity others[2];
  for (int i = 0; i < 2; i++)
    activate [&others[i]] read_and_write();
  for (int i = 0; i < 2; i++)
    ch_activity_wait(&others[i]);
}

static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, takers;
static void take_turns(int plainly) {
  pthread_mutex_lock(&mutex);
  int own = takers++;
  for (int i = 0; i < ROUNDS; i++) {
    while (turn % DOMAINS != own)
      pthread_cond_wait(&turned, &mutex);
    shared++;
    turn++;
    if (plainly)
      atomic pthread_cond_broadcast(&turned);
    else
      pthread_cond_broadcast(&turned);
  }
  pthread_mutex_unlock(&mutex);
}
static void by_condition(void *unused) { (void)unused, take_turns(0); }
static void by_plain_signals(void *unused) { (void)unused, take_turns(1); }

static ch_spinlock spinlock;
static void by_spinlock(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    ch_spin_acquire(&spinlock);
    shared++;
    ch_spin_release(&spinlock);
  }
}

static pthread_barrier_t barrier;
static int arrived;
static void by_barrier(void *unused) {
  (void)unused;
  int own = __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < ROUNDS; i++)
    for (int k = 0; k < DOMAINS; k++) {
      if (k == own)
        shared++;
      pthread_barrier_wait(&barrier);
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void set_up(void) {
  shared = DOMAINS * ROUNDS;
  usleep(1000);
}
static void by_once(void *unused) {
  (void)unused;
  pthread_once(&once, set_up);
  expect(shared == DOMAINS * ROUNDS);
}

static void not_at_all(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    shared++;
    usleep(1);
  }
}

// ---- others ----

static void add(void *number) { ++*(long *)number; }
static void by_offload(void *unused) {
  (void)unused;
  long number = 0;
  for (int i = 0; i < ROUNDS; i++) {
    number++;
    ch_offload(add, &number);
  }
  pthread_mutex_lock(&mutex);
  shared += number / 2;
  pthread_mutex_unlock(&mutex);
}

static ch_sem posts;
static struct ch_inbox *home;
static void open_post(void *number) {
  shared += *(long *)number;
  ch_sem_post(&posts);
}
static void by_post(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    static _Thread_local long numbers[ROUNDS];
    numbers[i] = 1;
    ch_post(home, open_post, &numbers[i]);
  }
  usleep(100000); // what was posted lies in this thread's memory
}

static void by_join(void *number) { *(long *)number = ROUNDS; }

static const struct {
  const char *name;
  void (*other)(void *);
  void (*here)(void); // NULL: as the others
  int others;
  long wanted;
} means[] = {
    {"waiter", by_waiter, ask_by_waiter, 1, 2 * ROUNDS},
    {"semaphore", by_semaphore, ask_by_semaphore, 1, 2 * ROUNDS},
    {"posix_semaphore", by_posix_semaphore, ask_by_posix_semaphore, 1, 2 * ROUNDS},
    {"socket", by_socket, ask_by_socket, 1, 2 * ROUNDS},
    {"mutex", by_mutex, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"rwlock", by_rwlock, NULL, DOMAINS - 1, 2 * DOMAINS * ROUNDS / 4},
    {"condition", by_condition, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"condition_plainly", by_plain_signals, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"spinlock", by_spinlock, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"barrier", by_barrier, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"once", by_once, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"offload", by_offload, NULL, DOMAINS - 1, DOMAINS * ROUNDS},
    {"races", not_at_all, NULL, DOMAINS - 1, -1},
};

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || sem_init(&posix_asks, 0, 0) || sem_init(&posix_answers, 0, 0) ||
      pthread_barrier_init(&barrier, NULL, DOMAINS))
    return 2;
  if (strcmp(name, "post") == 0) {
    ch_thread thread;
    home = ch_inbox();
    ch_domain_start(&thread, by_post, NULL);
    for (int i = 0; i < ROUNDS; i++)
      ch_sem_wait(&posts);
    ch_domain_join(&thread);
    printf("%s\n", shared == ROUNDS ? "right" : "wrong");
  }
  if (strcmp(name, "join") == 0) {
    ch_thread threads[DOMAINS];
    long numbers[DOMAINS];
    for (int i = 0; i < DOMAINS; i++)
      ch_domain_start(&threads[i], by_join, &numbers[i]);
    for (int i = 0; i < DOMAINS; i++) {
      ch_domain_join(&threads[i]);
      total += numbers[i];
    }
    printf("%s\n", total == DOMAINS * ROUNDS ? "right" : "wrong");
  }
  for (size_t k = 0; k < sizeof means / sizeof *means; k++)
    if (strcmp(name, means[k].name) == 0) {
      ch_thread threads[DOMAINS];
      for (int i = 0; i < means[k].others; i++)
        ch_domain_start(&threads[i], means[k].other, NULL);
      if (means[k].here)
        means[k].here();
      else
        means[k].other(NULL);
      for (int i = 0; i < means[k].others; i++)
        ch_domain_join(&threads[i]);
      printf("%s\n",
             __atomic_load_n(&unexpected, __ATOMIC_RELAXED) == 0 && (shared == means[k].wanted || means[k].wanted < 0)
                 ? "right"
                 : "wrong");
    }
}
