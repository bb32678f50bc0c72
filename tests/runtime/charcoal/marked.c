/* One law for all calls that may wait (law 4): in a scope that is cancelled, or whose deadline has passed, a call
 * returns ECANCELED and has no effect, also if it could have had its effect at once. Each row of the table is a call
 * that is ready. It is made alone and in statements, in each of the ways in which a scope can be marked. */
#include "harness.h"
#include "charcoal/broadcast.h"
#include "charcoal/channel.h"
#include "charcoal/domains.h"
#include "charcoal/future.h"
#include "charcoal/locks.h"
#include "charcoal/lowlevel.h"
#include "charcoal/offload.h"
#include "charcoal/watch.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <threads.h>

struct row {
  const char *name;
  void (*prepare)(void);  /* makes the call ready */
  int (*call)(void);      /* the error of the call, or 0 */
  int (*statement)(void); /* whether a body of some statement with the call has run; NULL: it has no clause form */
  int (*kept)(void);      /* whether the call has had no effect; gives back what `prepare` has made */
  int is_posix;           /* in an `atomic` block it is the system's own call, which knows no scope (law 5) */
  struct row *next;
};
static struct row *rows, **last_row = &rows;

#define ROW(id, first, error, run, posix, without)                                                                     \
  static void prepare_##id(void) { first; }                                                                            \
  static int call_##id(void) { return error; }                                                                         \
  static int kept_##id(void) { return without; }                                                                       \
  __attribute__((constructor)) static void add_##id(void) {                                                            \
    static struct row r = {#id, prepare_##id, call_##id, run, kept_##id, posix, NULL};                                 \
    *last_row = &r;                                                                                                    \
    last_row = &r.next;                                                                                                \
  }
#define STATEMENT(id, call)                                                                                            \
  static int statement_##id(void) {                                                                                    \
    int ran = 0;                                                                                                       \
    waituntil(call) ran++;                                                                                             \
    or waituntil(ch_sleep(0)) ran++;                                                                                   \
    waituntil(call) ran++;                                                                                             \
    else ran++;                                                                                                        \
    return ran;                                                                                                        \
  }
/* A lock call cannot stand beside `and`. */
#define TAKES(id, first, call, without)                                                                                \
  STATEMENT(id, call)                                                                                                  \
  ROW(id, first, call, statement_##id, 0, without)
#define ALL(id, call)                                                                                                  \
  STATEMENT(of_##id, call)                                                                                             \
  static int statement_##id(void) {                                                                                    \
    int ran = statement_of_##id();                                                                                     \
    waituntil(ch_sleep(0)) ran++;                                                                                      \
    and waituntil(call) ran++;                                                                                         \
    waituntil(call) ran++;                                                                                             \
    and waituntil(ch_sleep(0)) ran++;                                                                                  \
    else ran++;                                                                                                        \
    return ran;                                                                                                        \
  }
#define OBJECT(id, first, call, without)                                                                               \
  ALL(id, call)                                                                                                        \
  ROW(id, first, call, statement_##id, 0, without)
#define POSIX(id, first, call, without)                                                                                \
  ALL(id, call)                                                                                                        \
  ROW(id, first, (call) == -1 ? errno : 0, statement_##id, 1, without)
#define ALONE(id, first, call, without) ROW(id, first, call, NULL, 0, without)

/* ---- time, semaphores, activities ---- */

static ch_sem units;
static ch_activity ended;
static ch_ticker ticker;
static ch_waiter waiter;
OBJECT(a_sleep_of_no_time, , ch_sleep(0), 1)
OBJECT(a_sleep_until_a_time_that_has_passed, , ch_sleep_until(0), 1)
OBJECT(a_tick_that_is_due, (ch_ticker_init(&ticker, 1000), ch_sleep(2000)), ch_tick(&ticker), ch_tick(&ticker) == 0)
OBJECT(a_unit, ch_sem_post(&units), ch_sem_wait(&units), ch_sem_trywait(&units) == 0)
ALONE(a_unit_within_a_time, ch_sem_post(&units), ch_sem_timedwait(&units, 1000), ch_sem_trywait(&units) == 0)
static void end_one(void) {
  activate[&ended] {}
  ch_activity_wait(&ended);
}
OBJECT(an_activity_that_has_ended, end_one(), ch_activity_wait(&ended), ch_activity_finished(&ended))
ALONE(a_waiter_that_was_scheduled, (ch_waiter_schedule(&waiter)), ch_waiter_wait(&waiter), ch_waiter_wait(&waiter) == 0)

/* ---- objects with messages and values, local and shared ---- */

static channel(int) full, empty, shared_full, shared_empty;
static broadcast(int) news, shared_news;
static subscription(int) reader, shared_reader;
static future(int) answer, shared_answer;
static watch(int) level, shared_level;
static int word = 7, got;
static uint64_t seen;
__attribute__((constructor)) static void make_objects(void) {
  ch_channel_init(&full, 4);
  ch_channel_init(&empty, 4);
  ch_channel_init_shared(&shared_full, 4);
  ch_channel_init_shared(&shared_empty, 4);
  ch_broadcast_init(&news, 4, CH_SLOW_WAIT);
  ch_broadcast_init_shared(&shared_news, 4, CH_SLOW_WAIT);
  ch_future_init_shared(&shared_answer);
  ch_watch_init_shared(&shared_level);
}
#define SENDS_AND_RECEIVES(kind, full, empty, news, reader, answer, level)                                             \
  OBJECT(kind##_receive, ch_send(&full, &word), ch_recv(&full, &got),                                                  \
         ch_length(&full) == 1 && ch_try_recv(&full, &got) == 0)                                                       \
  OBJECT(kind##_send, , ch_send(&empty, &word), ch_length(&empty) == 0)                                                \
  ALONE(kind##_try_for_a_message, ch_send(&full, &word), ch_try_recv(&full, &got), ch_try_recv(&full, &got) == 0)      \
  ALONE(kind##_try_to_send, , ch_try_send(&empty, &word), ch_length(&empty) == 0)                                      \
  ALONE(kind##_batch_received, ch_send(&full, &word), -(int)ch_recv_some(&full, &got, 1),                              \
        ch_try_recv(&full, &got) == 0)                                                                                 \
  ALONE(kind##_batch_sent, , -(int)ch_send_some(&empty, &word, 1), ch_length(&empty) == 0)                             \
  OBJECT(kind##_next, (ch_subscribe(&news, &reader), ch_publish(&news, &word)), ch_next(&reader, &got),                \
         ch_try_next(&reader, &got) == 0 && ch_unsubscribe(&reader) == 0)                                              \
  OBJECT(kind##_publish, ch_subscribe(&news, &reader), ch_publish(&news, &word),                                       \
         ch_try_next(&reader, &got) == EAGAIN && ch_unsubscribe(&reader) == 0)                                         \
  ALONE(kind##_try_next, (ch_subscribe(&news, &reader), ch_publish(&news, &word)), ch_try_next(&reader, &got),         \
        ch_try_next(&reader, &got) == 0 && ch_unsubscribe(&reader) == 0)                                               \
  ALONE(kind##_try_to_publish, ch_subscribe(&news, &reader), ch_try_publish(&news, &word),                             \
        ch_try_next(&reader, &got) == EAGAIN && ch_unsubscribe(&reader) == 0)                                          \
  OBJECT(kind##_future, (ch_future_reset(&answer), ch_future_set(&answer, 7), got = 0), ch_get(&answer, &got),         \
         got == 0)                                                                                                     \
  OBJECT(kind##_watched_value, (ch_watch_set(&level, 7), seen = 0, got = 0), ch_watch_next(&level, &seen, &got),       \
         got == 0 && seen == 0)
SENDS_AND_RECEIVES(local, full, empty, news, reader, answer, level)
SENDS_AND_RECEIVES(shared, shared_full, shared_empty, shared_news, shared_reader, shared_answer, shared_level)

/* ---- locks ---- */

static ch_mutex mutex;
static ch_rwlock book;
static ch_permits permits;
static ch_latch latch;
static ch_once once;
static ch_cond cond;
static ch_barrier barrier;
static int has_run;
static int run_once(void *unused) {
  (void)unused;
  has_run++;
  return 0;
}
static int is_free(void) { return ch_try_lock(&mutex) == 0 && ch_unlock(&mutex) == 0; }
static int is_free_book(void) { return ch_try_write_lock(&book) == 0 && ch_rw_unlock(&book) == 0; }
static int is_held_after_all(void) { return ch_unlock(&mutex) == 0; }
TAKES(a_mutex, , ch_lock(&mutex), is_free())
OBJECT(a_hold, , ch_hold(&mutex), is_free())
ALONE(a_try_for_a_mutex, , ch_try_lock(&mutex), is_free())
TAKES(a_read_lock, , ch_read_lock(&book), is_free_book())
TAKES(a_write_lock, , ch_write_lock(&book), is_free_book())
OBJECT(a_read_hold, , ch_read_hold(&book), is_free_book())
OBJECT(a_write_hold, , ch_write_hold(&book), is_free_book())
ALONE(a_try_to_read, , ch_try_read_lock(&book), is_free_book())
ALONE(a_try_to_write, , ch_try_write_lock(&book), is_free_book())
TAKES(permits, ch_permits_init(&permits, 3, 0), ch_permits_take(&permits, 2), ch_permits_try(&permits, 3) == 0)
ALONE(a_try_for_permits, ch_permits_init(&permits, 3, 0), ch_permits_try(&permits, 2), ch_permits_try(&permits, 3) == 0)
OBJECT(a_latch_that_is_open, ch_latch_init(&latch, 0, 0), ch_latch_wait(&latch), 1)
TAKES(a_call_to_be_made_once, (once = (ch_once){0}, has_run = 0), ch_once_run(&once, run_once, NULL), has_run == 0)
ALONE(a_condition, ch_lock(&mutex), ch_cond_wait(&cond, &mutex), is_held_after_all())
ALONE(a_barrier_for_one, ch_barrier_init(&barrier, 1, 0), ch_barrier_wait(&barrier), ch_barrier_destroy(&barrier) == 0)

/* ---- the C library, and threads ---- */

static int ends[2], offloaded;
static struct sockaddr_in here;
static socklen_t length;
static sigset_t users;
static int arrived;
static const struct timespec no_time, a_second = {1, 0};
static void make_pipe(void) { EXPECT(pipe(ends) == 0 && write(ends[1], "x", 1) == 1); }
static void make_pair(void) { EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[1], "x", 1) == 1); }
static int has(int bytes) { /* that many have been left, and none has been sent back */
  char b[2];
  int n = (int)recv(ends[0], b, 2, MSG_DONTWAIT), back = (int)recv(ends[1], b, 2, MSG_DONTWAIT);
  close(ends[0]), close(ends[1]);
  return n == bytes && back == -1;
}
static int pipe_has(int bytes) {
  char b[3];
  int n = (int)read(ends[0], b, 3);
  close(ends[0]), close(ends[1]);
  return n == bytes;
}
static void listen_here(int begin) {
  EXPECT((ends[0] = socket(AF_INET, SOCK_STREAM, 0)) >= 0 && (ends[1] = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
  here = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  length = sizeof here;
  EXPECT(bind(ends[0], (void *)&here, length) == 0 && listen(ends[0], 1) == 0);
  EXPECT(getsockname(ends[0], (void *)&here, &length) == 0);
  if (begin)
    EXPECT(connect(ends[1], (void *)&here, length) == 0);
}
static int has_connection(int one) {
  struct pollfd p = {ends[0], POLLIN, 0};
  int there = poll(&p, 1, 0) == 1;
  close(ends[0]), close(ends[1]);
  return there == one;
}
static void raise_one(void) {
  sigemptyset(&users);
  sigaddset(&users, SIGUSR1);
  sigprocmask(SIG_BLOCK, &users, NULL);
  kill(getpid(), SIGUSR1);
}
static int is_pending(void) { return sigtimedwait(&users, NULL, &no_time) == SIGUSR1; }
static pid_t child;
static int status;
static void end_child(void) {
  siginfo_t info;
  if ((child = fork()) == 0)
    _exit(3);
  EXPECT(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
}
static int is_there(void) { return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3; }
static void call_back(void *unused) {
  (void)unused;
  offloaded = 1;
}
POSIX(read_, make_pipe(), read(ends[0], &got, 1), pipe_has(1))
POSIX(write_, make_pipe(), write(ends[1], "y", 1), pipe_has(1))
POSIX(recv_, make_pair(), recv(ends[0], &got, 1, 0), has(1))
POSIX(recvfrom_, make_pair(), recvfrom(ends[0], &got, 1, 0, NULL, NULL), has(1))
POSIX(send_, make_pair(), send(ends[0], "y", 1, 0), has(1))
POSIX(sendto_, make_pair(), sendto(ends[0], "y", 1, 0, NULL, 0), has(1))
POSIX(accept_, listen_here(1), accept(ends[0], NULL, NULL), has_connection(1))
POSIX(accept4_, listen_here(1), accept4(ends[0], NULL, NULL, SOCK_CLOEXEC), has_connection(1))
POSIX(connect_, listen_here(0), connect(ends[1], (void *)&here, length), has_connection(0))
POSIX(waitpid_, end_child(), waitpid(child, &status, 0), is_there())
POSIX(sigwaitinfo_, raise_one(), sigwaitinfo(&users, NULL), is_pending())
POSIX(sigtimedwait_, raise_one(), sigtimedwait(&users, NULL, &a_second), is_pending())
ALL(sigwait_, sigwait(&users, &arrived))
ROW(sigwait_, raise_one(), sigwait(&users, &arrived), statement_sigwait_, 1, is_pending())
ALONE(a_descriptor_that_is_ready, make_pipe(), -ch_fd_wait(ends[0], POLLIN, 1000000000), pipe_has(1))
/* Calls of the C library without a clause form. */
static siginfo_t info;
static struct iovec one = {&word, 1};
static struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
static struct mmsghdr messages = {.msg_hdr = {.msg_iov = &one, .msg_iovlen = 1}};
static struct pollfd polled;
static fd_set set;
static int events;
static void poll_pipe(void) {
  make_pipe();
  polled = (struct pollfd){ends[0], POLLIN, 0};
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
}
static int is_not_polled(void) { return polled.revents == 0 && FD_ISSET(ends[0], &set) && pipe_has(1); }
static void make_events(void) {
  make_pipe();
  EXPECT((events = epoll_create1(0)) >= 0);
  EXPECT(epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN | EPOLLET}) == 0);
}
static int has_event(void) {
  struct epoll_event e;
  int there = epoll_wait(events, &e, 1, 0) == 1;
  return close(events) == 0 && pipe_has(1) && there;
}
static sem_t posix_sem;
static pthread_t thread;
static thrd_t c11_thread;
static void *return_at_once(void *unused) { return unused; }
static int return_nothing(void *unused) { return unused != NULL; }
static void end_thread(void) {
  EXPECT(pthread_create(&thread, NULL, return_at_once, NULL) == 0);
  ch_sleep(2000000);
}
static int queue;
static struct {
  long type;
  char text[2];
} letter = {1, "x"};
static struct sembuf take_one = {0, -1, 0}, give_one = {0, 1, 0};
static void make_queue(int with) {
  EXPECT((queue = msgget(IPC_PRIVATE, 0600)) >= 0 && (!with || msgsnd(queue, &letter, 1, 0) == 0));
}
static int queue_has(int n) {
  struct msqid_ds is;
  return msgctl(queue, IPC_STAT, &is) == 0 && (int)is.msg_qnum == n && msgctl(queue, IPC_RMID, NULL) == 0;
}
static void make_semaphore(void) {
  EXPECT((queue = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semop(queue, &give_one, 1) == 0);
}
static int semaphore_has_one(void) { return semctl(queue, 0, GETVAL) == 1 && semctl(queue, 0, IPC_RMID) == 0; }
#define LIBRARY(id, first, call, without) ROW(id, first, (call) == -1 ? errno : 0, NULL, 1, without)
LIBRARY(readv_, make_pipe(), readv(ends[0], &one, 1), pipe_has(1))
LIBRARY(writev_, make_pipe(), writev(ends[1], &one, 1), pipe_has(1))
LIBRARY(recvmsg_, make_pair(), recvmsg(ends[0], &message, 0), has(1))
LIBRARY(sendmsg_, make_pair(), sendmsg(ends[0], &message, 0), has(1))
LIBRARY(recvmmsg_, make_pair(), recvmmsg(ends[0], &messages, 1, 0, NULL), has(1))
LIBRARY(sendmmsg_, make_pair(), sendmmsg(ends[0], &messages, 1, 0), has(1))
LIBRARY(poll_, poll_pipe(), poll(&polled, 1, 1000), is_not_polled())
LIBRARY(ppoll_, poll_pipe(), ppoll(&polled, 1, &a_second, NULL), is_not_polled())
LIBRARY(select_, poll_pipe(), select(ends[0] + 1, &set, NULL, NULL, NULL), is_not_polled())
LIBRARY(pselect_, poll_pipe(), pselect(ends[0] + 1, &set, NULL, NULL, NULL, NULL), is_not_polled())
LIBRARY(epoll_wait_, make_events(), epoll_wait(events, &(struct epoll_event){0}, 1, -1), has_event())
LIBRARY(nanosleep_, , nanosleep(&no_time, NULL), 1)
LIBRARY(usleep_, , usleep(0), 1)
LIBRARY(wait_, end_child(), wait(&status), is_there())
LIBRARY(wait3_, end_child(), wait3(&status, 0, NULL), is_there())
LIBRARY(wait4_, end_child(), wait4(child, &status, 0, NULL), is_there())
LIBRARY(waitid_, end_child(), waitid(P_PID, (id_t)child, &info, WEXITED), is_there())
LIBRARY(sem_wait_, sem_init(&posix_sem, 0, 1), sem_wait(&posix_sem), sem_trywait(&posix_sem) == 0)
LIBRARY(pthread_join_, end_thread(), (errno = pthread_join(thread, NULL)) ? -1 : 0, pthread_join(thread, NULL) == 0)
LIBRARY(thrd_join_, thrd_create(&c11_thread, return_nothing, NULL), thrd_join(c11_thread, NULL) == thrd_error ? -1 : 0,
        thrd_join(c11_thread, NULL) == thrd_success)
LIBRARY(msgrcv_, make_queue(1), msgrcv(queue, &letter, 1, 0, 0), queue_has(1))
LIBRARY(msgsnd_, make_queue(0), msgsnd(queue, &letter, 1, 0), queue_has(0))
LIBRARY(semop_, make_semaphore(), semop(queue, &take_one, 1), semaphore_has_one())
LIBRARY(semtimedop_, make_semaphore(), semtimedop(queue, &take_one, 1, &a_second), semaphore_has_one())
LIBRARY(splice_, make_pair(), splice(ends[0], NULL, events, NULL, 1, 0), has(1))
LIBRARY(open_, , open("/dev/null", O_RDONLY), 1)
LIBRARY(syscall_read, make_pipe(), (int)syscall(SYS_read, ends[0], &got, 1), pipe_has(1))
OBJECT(an_offloaded_call, offloaded = 0, ch_offload(call_back, NULL), offloaded == 0)

/* ---- the ways in which a scope can be marked ---- */

enum how { CANCELLED, FURTHER_OUT, NO_TIME, PAST, PASSED, MOVED, ACTIVITY, PLAIN, PLAIN_AND_PASSED, WAYS };
static volatile int steps;
static int marked(enum how how, int (*f)(void)) {
  int result = -1;
  ch_activity a;
  switch (how) {
  case CANCELLED:
    do {
      cancel;
      result = f();
    }
    finish;
    break;
  case FURTHER_OUT:
    do {
      cancel;
      do
        within(CH_FOREVER) do result = f();
      finish;
      finish;
    }
    finish;
    break;
  case NO_TIME:
    within(0) do result = f();
    finish;
    break;
  case PAST:
    by(ch_now() - 1) do result = f();
    finish;
    break;
  case PASSED:
    within(1000) do {
      while (!ch_cancelled())
        steps++;
      result = f();
    }
    finish;
    break;
  case MOVED:
    within(CH_FOREVER) do {
      ch_deadline_move(ch_scope_here(), ch_now() - 1);
      result = f();
    }
    finish;
    break;
  case ACTIVITY:
    activate[&a] {
      ch_activity_cancel(ch_self());
      result = f();
    }
    ch_activity_wait(&a);
    break;
  case PLAIN:
    do {
      cancel;
      atomic result = f();
    }
    finish;
    break;
  default:
    within(0) do atomic result = f();
    finish;
  }
  return result;
}

static void each_row(int in_statements) {
  for (struct row *r = rows; r; r = r->next) {
    if (in_statements && !r->statement)
      continue;
    for (enum how how = 0; how < (r->is_posix && !in_statements ? PLAIN : WAYS); how++) {
      r->prepare();
      int result = marked(how, in_statements ? r->statement : r->call);
      if (result != (in_statements ? 0 : ECANCELED)) {
        fprintf(stderr, "%s, way %d: %d\n", r->name, how, result);
        _exit(1);
      }
      if (!r->kept()) {
        fprintf(stderr, "%s, way %d: has had an effect\n", r->name, how);
        _exit(1);
      }
    }
  }
}
TEST(law_4_a_call_that_is_ready_is_refused_in_a_marked_scope) { each_row(0); }
TEST(law_4_a_statement_that_is_ready_runs_no_body_in_a_marked_scope) { each_row(1); }
