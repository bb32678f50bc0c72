/* Tests every call that waits for a lock until a certain time, and those that wait for a thread, a message or a signal,
 * in three places: in a comparison function that the C library's qsort calls, in an atomic block, and in interruptible
 * code. An activity of the same domain has the lock meanwhile, or it is the one that lets the thread end, or sends.
 * Other activities go on, the call returns as soon as there is what it waits for, and it does not time out too
 * early. */
#include "harness.h"
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#define MILLISECOND INT64_C(1000000)

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                       checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t units;
static mtx_t c11;
static pthread_t thread;
static thrd_t c11_thread;
static mqd_t queue;
static sigset_t usr1;

/* ---- the limit of the call under test ---- */

static int64_t limit; /* ns from now */
static const struct timespec *on(clockid_t clock) {
  static struct timespec t;
  clock_gettime(clock, &t);
  int64_t ns = t.tv_nsec + limit;
  t.tv_sec += ns / (1000 * MILLISECOND);
  t.tv_nsec = ns % (1000 * MILLISECOND);
  return &t;
}
#define REAL on(CLOCK_REALTIME)
#define MONOTONIC CLOCK_MONOTONIC, on(CLOCK_MONOTONIC)

/* ---- the calls ---- */

static int timed_out_of_c11(int r) { return r == thrd_timedout ? ETIMEDOUT : r; }
static int error_of(int r) { return r < 0 ? errno : 0; }

/* Each thread has a pipe of its own, for the one before may not have read yet what it is told. */
static int gate[2];
static void *end_when_told(void *descriptor) {
  char c;
  EXPECT(read((int)(intptr_t)descriptor, &c, 1) == 1);
  return descriptor;
}
static int end_when_told_c11(void *descriptor) { return (int)(intptr_t)end_when_told(descriptor); }
static int start_thread(void) {
  return pipe(gate) || pthread_create(&thread, NULL, end_when_told, (void *)(intptr_t)gate[0]);
}
static int start_c11_thread(void) {
  return pipe(gate) || thrd_create(&c11_thread, end_when_told_c11, (void *)(intptr_t)gate[0]) != thrd_success;
}
static int let_thread_end(void) { return write(gate[1], "x", 1) != 1; }
static char message[8];
static int timed_out_of_signals(int r) { return r == SIGUSR1 ? 0 : errno == EAGAIN ? ETIMEDOUT : errno; }
static int wait_for_one(void) {
  int number = 0;
  return sigwait(&usr1, &number) != 0 || number != SIGUSR1;
}
static int join_thread(void) {
  void *result = NULL;
  int r = pthread_join(thread, &result);
  return r ? r : result != (void *)(intptr_t)gate[0];
}
static int join_c11_thread(void) {
  int result = 0, r = thrd_join(c11_thread, &result);
  return r != thrd_success || result != gate[0];
}

struct call {
  const char *name;
  int (*hold)(void), (*give)(void); /* what the other activity does before and after */
  int (*make)(void);                /* the call under test */
  int (*end)(void);                 /* what follows when it has been successful */
  pthread_mutex_t *mutex;           /* of a condition */
  int without_limit;                /* the call has no time */
};
#define DO(name, expression)                                                                                           \
  __attribute__((unused)) static int name(void) { return expression; }
DO(nothing, 0)
DO(lock_normal, pthread_mutex_lock(&normal))
DO(unlock_normal, pthread_mutex_unlock(&normal))
DO(lock_recursive, pthread_mutex_lock(&recursive))
DO(unlock_recursive, pthread_mutex_unlock(&recursive))
DO(lock_checking, pthread_mutex_lock(&checking))
DO(unlock_checking, pthread_mutex_unlock(&checking))
DO(lock_c11, mtx_lock(&c11))
DO(unlock_c11, mtx_unlock(&c11))
DO(read_lock, pthread_rwlock_rdlock(&rw))
DO(write_lock, pthread_rwlock_wrlock(&rw))
DO(unlock_rw, pthread_rwlock_unlock(&rw))
DO(post, sem_post(&units))
DO(signal_condition, pthread_cond_signal(&changed))
DO(signal_c11, cnd_signal((cnd_t *)&changed))
DO(wait_for_signal, pthread_cond_wait(&changed, &normal))
DO(timed_mutex, pthread_mutex_timedlock(&normal, REAL))
DO(timed_recursive, pthread_mutex_timedlock(&recursive, REAL))
DO(timed_checking, pthread_mutex_clocklock(&checking, MONOTONIC))
DO(timed_c11, timed_out_of_c11(mtx_timedlock(&c11, REAL)))
DO(timed_reader, pthread_rwlock_timedrdlock(&rw, REAL))
DO(timed_writer, pthread_rwlock_timedwrlock(&rw, REAL))
DO(clock_reader, pthread_rwlock_clockrdlock(&rw, MONOTONIC))
DO(clock_writer, pthread_rwlock_clockwrlock(&rw, MONOTONIC))
DO(timed_semaphore, error_of(sem_timedwait(&units, REAL)))
DO(clock_semaphore, error_of(sem_clockwait(&units, MONOTONIC)))
DO(timed_condition, pthread_cond_timedwait(&changed, &normal, REAL))
DO(clock_condition, pthread_cond_clockwait(&changed, &normal, MONOTONIC))
DO(timed_join, pthread_timedjoin_np(thread, NULL, REAL))
DO(clock_join, pthread_clockjoin_np(thread, NULL, MONOTONIC))
DO(send_message, error_of(mq_send(queue, "m", 1, 0)))
DO(take_message, error_of(mq_receive(queue, message, sizeof message, NULL) == 1 ? 0 : -1))
DO(timed_receive, error_of((int)mq_timedreceive(queue, message, sizeof message, NULL, REAL)))
DO(timed_send, error_of(mq_timedsend(queue, "m", 1, 0, REAL)))
static int sem_v, queue_v;
static struct { long type; char text; } message_v = {1, 'v'};
static int change(int by) { return error_of(semop(sem_v, &(struct sembuf){0, (short)by, 0}, 1)); }
static int change_in_time(void) {
  struct timespec left = {limit / (1000 * MILLISECOND), limit % (1000 * MILLISECOND)};
  int r = error_of(semtimedop(sem_v, &(struct sembuf){0, -1, 0}, 1, &left));
  return r == EAGAIN ? ETIMEDOUT : r;
}
DO(give_unit, change(1))
DO(take_unit, change(-1))
DO(put_message_v, error_of(msgsnd(queue_v, &message_v, 1, 0)))
DO(take_message_v, error_of(msgrcv(queue_v, &message_v, 1, 0, 0) == 1 ? 0 : -1))
DO(send_signal, kill(getpid(), SIGUSR1))
DO(wait_for_info, timed_out_of_signals(sigwaitinfo(&usr1, NULL)))
DO(timed_signals,
   timed_out_of_signals(sigtimedwait(&usr1, NULL,
                                     &(struct timespec){limit / (1000 * MILLISECOND), limit % (1000 * MILLISECOND)})))
DO(timed_cnd, timed_out_of_c11(cnd_timedwait((cnd_t *)&changed, (mtx_t *)&normal, REAL)))

static const struct call calls[] = {
    {"pthread_mutex_timedlock", lock_normal, unlock_normal, timed_mutex, unlock_normal, NULL},
    {"of a recursive one", lock_recursive, unlock_recursive, timed_recursive, unlock_recursive, NULL},
    {"pthread_mutex_clocklock", lock_checking, unlock_checking, timed_checking, unlock_checking, NULL},
    {"mtx_timedlock", lock_c11, unlock_c11, timed_c11, unlock_c11, NULL},
    {"pthread_rwlock_timedrdlock", write_lock, unlock_rw, timed_reader, unlock_rw, NULL},
    {"pthread_rwlock_timedwrlock", read_lock, unlock_rw, timed_writer, unlock_rw, NULL},
    {"pthread_rwlock_clockrdlock", write_lock, unlock_rw, clock_reader, unlock_rw, NULL},
    {"pthread_rwlock_clockwrlock", write_lock, unlock_rw, clock_writer, unlock_rw, NULL},
    {"pthread_cond_timedwait", nothing, signal_condition, timed_condition, nothing, &normal},
    {"pthread_cond_clockwait", nothing, signal_condition, clock_condition, nothing, &normal},
    {"cnd_timedwait", nothing, signal_c11, timed_cnd, nothing, &normal},
/* Sanitizers have functions of their own for these, which know of no activities. */
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
    {"pthread_timedjoin_np", start_thread, let_thread_end, timed_join, nothing, NULL},
    {"pthread_clockjoin_np", start_thread, let_thread_end, clock_join, nothing, NULL},
    {"mq_timedreceive", nothing, send_message, timed_receive, nothing, NULL},
    {"mq_timedsend", send_message, take_message, timed_send, take_message, NULL},
    {"sigtimedwait", nothing, send_signal, timed_signals, nothing, NULL},
    {"pthread_join", start_thread, let_thread_end, join_thread, nothing, NULL, 1},
    {"thrd_join", start_c11_thread, let_thread_end, join_c11_thread, nothing, NULL, 1},
    {"mq_receive", nothing, send_message, take_message, nothing, NULL, 1},
    {"mq_send", send_message, take_message, send_message, take_message, NULL, 1},
    {"sigwait", nothing, send_signal, wait_for_one, nothing, NULL, 1},
    {"sigwaitinfo", nothing, send_signal, wait_for_info, nothing, NULL, 1},
    {"semtimedop", nothing, give_unit, change_in_time, nothing, NULL},
    {"semop", nothing, give_unit, take_unit, nothing, NULL, 1},
    {"msgrcv", nothing, put_message_v, take_message_v, nothing, NULL, 1},
    {"sem_timedwait", nothing, post, timed_semaphore, nothing, NULL},
    {"sem_clockwait", nothing, post, clock_semaphore, nothing, NULL},
#endif
};
enum { NUMBER = sizeof calls / sizeof *calls };

static int make(const struct call *c) {
  if (c->mutex)
    pthread_mutex_lock(c->mutex);
  int r = c->make();
  if (c->mutex)
    pthread_mutex_unlock(c->mutex);
  return r;
}

/* ---- where they are made ---- */

static const struct call *to_make; /* once: sanitizers compare more often */
static int result;
static int compares(const void *a, const void *b) {
  const struct call *c = to_make;
  (void)a, (void)b;
  to_make = NULL;
  if (c)
    result = make(c);
  return 0;
}
static int in_a_callback(const struct call *c) {
  int numbers[2] = {1, 2};
  to_make = c;
  qsort(numbers, 2, sizeof *numbers, compares);
  return result;
}
static int in_an_atomic_block(const struct call *c) {
  atomic result = make(c);
  return result;
}
static int interruptibly(const struct call *c) { return make(c); }

static void expect(const struct call *c, int error, int expected) {
  if (error != expected)
    fprintf(stderr, "%s: %s\n", c->name, strerror(error));
  EXPECT(error == expected);
}

/* ---- the laws ---- */

static void gets_it_in_time(int (*where)(const struct call *)) {
  limit = 1000000 * MILLISECOND;
  for (const struct call *c = calls; c < calls + NUMBER; c++) {
    int held = 0;
    ch_activity holder;
    activate[&holder] {
      EXPECT(c->hold() == 0);
      held = 1;
      ch_sleep(MILLISECOND);
      if (c->mutex)
        pthread_mutex_lock(c->mutex);
      EXPECT(c->give() == 0);
      if (c->mutex)
        pthread_mutex_unlock(c->mutex);
    }
    while (!held)
      ch_reschedule();
    expect(c, where(c), 0);
    ch_activity_wait(&holder);
    EXPECT(c->end() == 0);
  }
}
TEST(plain_code_gets_in_time_what_it_waits_for_from_an_activity_of_its_domain) { gets_it_in_time(in_a_callback); }
TEST(interruptible_code_gets_in_time_what_it_waits_for_from_an_activity_of_its_domain) {
  gets_it_in_time(interruptibly);
}

static int over, turns;
static void holds_until_it_is_over(const struct call *c) {
  EXPECT(c->hold() == 0);
  for (turns = 1; !over; turns++)
    ch_sleep(MILLISECOND);
  if (c->hold != nothing)
    EXPECT(c->give() == 0);
}
static int others_went_on_until_its_time_was_over(const struct call *c, int (*where)(const struct call *)) {
  ch_activity holder;
  over = turns = 0;
  activate[&holder] holds_until_it_is_over(c);
  while (!turns)
    ch_reschedule();
  int before = turns;
  int64_t begin = ch_now();
  expect(c, where(c), ETIMEDOUT);
  EXPECT(ch_now() - begin >= limit * 9 / 10);
  int went_on = turns > before;
  over = 1;
  ch_activity_wait(&holder);
  return went_on;
}
/* On a busy machine a short time may be over before the others have had the processor: then a longer one is tried. */
static void ends_when_its_time_is_over(int (*where)(const struct call *), int others_go_on) {
  for (const struct call *c = calls; c < calls + NUMBER; c++) {
    if (c->without_limit)
      continue;
    for (limit = 10 * MILLISECOND; !others_went_on_until_its_time_was_over(c, where) && others_go_on; limit *= 4)
      EXPECT(limit < 2000 * MILLISECOND);
  }
}
TEST(the_time_of_plain_code_ends_while_others_go_on) { ends_when_its_time_is_over(in_a_callback, 1); }
TEST(the_time_of_an_atomic_block_ends) { ends_when_its_time_is_over(in_an_atomic_block, 0); }
TEST(the_time_of_interruptible_code_ends_while_others_go_on) { ends_when_its_time_is_over(interruptibly, 1); }

static int waiting;
static int waits_without_limit(const void *a, const void *b) {
  (void)a, (void)b;
  pthread_mutex_lock(&normal);
  waiting = 1;
  EXPECT(pthread_cond_wait(&changed, &normal) == 0);
  EXPECT(cnd_wait((cnd_t *)&changed, (mtx_t *)&normal) == thrd_success);
  pthread_mutex_unlock(&normal);
  return 0;
}
static void broadcasts_until_it_is_over(void) {
  while (!over) {
    ch_sleep(MILLISECOND / 10);
    pthread_mutex_lock(&normal);
    EXPECT(!waiting || pthread_cond_broadcast(&changed) == 0);
    pthread_mutex_unlock(&normal);
  }
}
TEST(plain_code_waits_for_a_condition_that_its_own_domain_signals) {
  int numbers[] = {1, 2};
  ch_activity signaller;
  activate[&signaller] broadcasts_until_it_is_over();
  qsort(numbers, 2, sizeof *numbers, waits_without_limit);
  EXPECT(waiting);
  over = 1;
  ch_activity_wait(&signaller);
}

TEST_EXITS(a_condition_that_nobody_can_signal_is_a_deadlock, 70, "deadlock: inside an atomic block") {
  activate ch_sleep(INT64_MAX);
  pthread_mutex_lock(&normal);
  atomic wait_for_signal();
}

static void *broadcasts(void *unused) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    pthread_mutex_lock(&normal);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&normal);
    ch_sleep(MILLISECOND / 10);
  }
  return unused;
}
TEST(a_thread_signals_a_condition_to_an_atomic_block) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, broadcasts, NULL) == 0);
  activate ch_sleep(INT64_MAX);
  pthread_mutex_lock(&normal);
  atomic EXPECT(wait_for_signal() == 0);
  pthread_mutex_unlock(&normal);
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  EXPECT(pthread_join(thread, NULL) == 0);
}

static void remove_objects(void) { semctl(sem_v, 0, IPC_RMID), msgctl(queue_v, IPC_RMID, NULL); }
__attribute__((constructor)) static void make_objects(void) {
  sem_init(&units, 0, 0);
  mtx_init(&c11, mtx_timed);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL); /* for the threads, too */
  char name[40];
  struct mq_attr room_for_one = {.mq_maxmsg = 1, .mq_msgsize = sizeof message};
  snprintf(name, sizeof name, "/charcoal-timed-%d", (int)getpid());
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room_for_one);
  mq_unlink(name);
  sem_v = semget(IPC_PRIVATE, 1, 0600);
  queue_v = msgget(IPC_PRIVATE, 0600);
  atexit(remove_objects);
  if (queue < 0)
    abort();
}
