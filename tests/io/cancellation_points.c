/* Tests that pthread_cancel ends each of the C library's calls that are cancellation points while it waits: in a thread
 * with one activity, and in one where another activity goes on meanwhile. Handlers of pthread_cleanup_push run. Each
 * call is tried in a process of its own.
 *
 * Not among them: flock, semop and semtimedop, which glibc does not make cancellation points; and system, which waits
 * for its command's end in a thread with several activities. cancel.c tries the calls in activities that are
 * cancelled. */
#include "harness.h"
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <time.h>

/* ---- what never comes ---- */

static int empty[2], full[2], s[2], full_socket[2], listener, unconnected, locked, messages, epoll;
static struct sockaddr_un busy = {.sun_family = AF_UNIX, .sun_path = "busy"};
static mqd_t empty_queue, full_queue;
static sem_t semaphore;
static pthread_t stays;
static pid_t child;
static char b[4096];
static struct iovec v = {b, 10};
static struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
static struct mmsghdr mm = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};
static struct {
  long type;
  char text[8];
} message = {1, ""};
static struct flock range = {.l_type = F_WRLCK};
static struct pollfd readable;
static struct epoll_event event = {.events = EPOLLIN};
static fd_set set;
static sigset_t usr1;
static siginfo_t info;
static int number;
static const struct timespec hour = {3600, 0}, late = {INT32_MAX, 0};
static struct aiocb request;
static const struct aiocb *requests[] = {&request};

static void *stay(void *unused) {
  for (;;)
    pause();
  return unused;
}
static void fill(int fd) {
  int mode = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, mode | O_NONBLOCK);
  while (write(fd, b, sizeof b) > 0 || write(fd, b, 1) > 0)
    ;
  fcntl(fd, F_SETFL, mode);
}
static mqd_t new_queue(const char *kind) {
  struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 8};
  char name[64];
  snprintf(name, sizeof name, "/charcoal-%s-%d", kind, (int)getpid());
  mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &one);
  EXPECT(q >= 0 && mq_unlink(name) == 0);
  return q;
}
static int new_listener(struct sockaddr_un *name, int backlog) {
  int l = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(name->sun_path);
  EXPECT(bind(l, (void *)name, sizeof *name) == 0 && listen(l, backlog) == 0);
  return l;
}
static void set_up(void) {
  struct sockaddr_un nobody = {.sun_family = AF_UNIX, .sun_path = "nobody"};
  int ready[2], reads[2], holder = open("locked", O_CREAT | O_RDWR, 0600);
  char c;
  EXPECT(pipe(empty) == 0 && pipe(full) == 0 && pipe(ready) == 0 && pipe(reads) == 0);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, full_socket) == 0);
  fill(full[1]);
  fill(full_socket[1]);
  listener = new_listener(&nobody, 1);
  new_listener(&busy, 0);
  EXPECT(connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&busy, sizeof busy) == 0);
  unconnected = socket(AF_UNIX, SOCK_STREAM, 0);
  mkfifo("fifo", 0600);
  child = fork();
  if (child == 0) {
    alarm(60);
    EXPECT(fcntl(holder, F_SETLK, &range) == 0 && write(ready[1], "x", 1) == 1);
    stay(NULL);
  }
  EXPECT(child > 0 && read(ready[0], &c, 1) == 1);
  locked = open("locked", O_RDWR);
  messages = msgget(IPC_PRIVATE, 0600);
  empty_queue = new_queue("empty");
  full_queue = new_queue("full");
  EXPECT(mq_send(full_queue, "x", 1, 0) == 0);
  sem_init(&semaphore, 0, 0);
  epoll = epoll_create1(0);
  EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, empty[0], &event) == 0);
  readable = (struct pollfd){.fd = empty[0], .events = POLLIN};
  FD_SET(empty[0], &set);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  request = (struct aiocb){.aio_fildes = reads[0], .aio_buf = b, .aio_nbytes = 1};
  EXPECT(aio_read(&request) == 0);
  EXPECT(pthread_create(&stays, NULL, stay, NULL) == 0);
}

/* ---- calls with a handler ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int handled;
static void unlock(void *held) {
  handled++;
  EXPECT(!held || pthread_mutex_unlock(held) == 0);
}
#define WITH_HANDLER(name, before, held, call)                                                                         \
  static long name(void) {                                                                                             \
    long r;                                                                                                            \
    handled--;                                                                                                         \
    before;                                                                                                            \
    pthread_cleanup_push(unlock, held);                                                                                \
    r = (call);                                                                                                        \
    pthread_cleanup_pop(1);                                                                                            \
    return r;                                                                                                          \
  }
WITH_HANDLER(wait_for_condition, pthread_mutex_lock(&mutex), &mutex, pthread_cond_wait(&condition, &mutex))
WITH_HANDLER(wait_for_condition_until, pthread_mutex_lock(&mutex), &mutex,
             pthread_cond_timedwait(&condition, &mutex, &late))
WITH_HANDLER(wait_for_semaphore, (void)0, NULL, sem_wait(&semaphore))
WITH_HANDLER(wait_for_thread, (void)0, NULL, pthread_join(stays, NULL))
WITH_HANDLER(wait_for_message, (void)0, NULL, mq_receive(empty_queue, b, 8, NULL))
WITH_HANDLER(wait_for_signal, (void)0, NULL, sigwaitinfo(&usr1, &info))

/* ---- all of them ---- */

/* Sanitizers have functions of their own for these, which stop the domain in plain code. */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OF_NO_SANITIZER
#else
#define OF_NO_SANITIZER X(wait_for_semaphore()) X(wait_for_thread()) X(wait_for_message()) X(wait_for_signal())
#endif

#define CALLS                                                                                                          \
  X(read(empty[0], b, 1))                                                                                              \
  X(readv(empty[0], &v, 1))                                                                                            \
  X(write(full[1], b, 10))                                                                                             \
  X(writev(full[1], &v, 1))                                                                                            \
  X(read(s[0], b, 1))                                                                                                  \
  X(recv(s[0], b, 1, 0))                                                                                               \
  X(recvfrom(s[0], b, 1, 0, NULL, NULL))                                                                               \
  X(recvmsg(s[0], &m, 0))                                                                                              \
  X(recvmmsg(s[0], &mm, 1, 0, NULL))                                                                                   \
  X(send(full_socket[1], b, 10, 0))                                                                                    \
  X(sendto(full_socket[1], b, 10, 0, NULL, 0))                                                                         \
  X(sendmsg(full_socket[1], &m, 0))                                                                                    \
  X(sendmmsg(full_socket[1], &mm, 1, 0))                                                                               \
  X(accept(listener, NULL, NULL))                                                                                      \
  X(accept4(listener, NULL, NULL, 0))                                                                                  \
  X(connect(unconnected, (void *)&busy, sizeof busy))                                                                  \
  X(poll(&readable, 1, -1))                                                                                            \
  X(ppoll(&readable, 1, NULL, NULL))                                                                                   \
  X(select(empty[0] + 1, &set, NULL, NULL, NULL))                                                                      \
  X(pselect(empty[0] + 1, &set, NULL, NULL, NULL, NULL))                                                               \
  X(epoll_wait(epoll, &event, 1, -1))                                                                                  \
  X(epoll_pwait(epoll, &event, 1, -1, NULL))                                                                           \
  X(sleep(3600))                                                                                                       \
  X(usleep(1000000000))                                                                                                \
  X(nanosleep(&hour, NULL))                                                                                            \
  X(clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL))                                                                  \
  X(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &late, NULL))                                                       \
  X(thrd_sleep(&hour, NULL))                                                                                           \
  X(pause())                                                                                                           \
  X(sigsuspend(&usr1))                                                                                                 \
  X(sigwait(&usr1, &number))                                                                                           \
  X(sigwaitinfo(&usr1, &info))                                                                                         \
  X(sigtimedwait(&usr1, &info, &hour))                                                                                 \
  X(waitpid(child, NULL, 0))                                                                                           \
  X(wait(NULL))                                                                                                        \
  X(waitid(P_ALL, 0, &info, WEXITED))                                                                                  \
  X(wait4(child, NULL, 0, NULL))                                                                                       \
  X(wait3(NULL, 0, NULL))                                                                                              \
  X(fcntl(locked, F_SETLKW, &range))                                                                                   \
  X(lockf(locked, F_LOCK, 0))                                                                                          \
  X(open("fifo", O_RDONLY))                                                                                            \
  X(open("fifo", O_WRONLY))                                                                                            \
  X(openat(AT_FDCWD, "fifo", O_RDONLY))                                                                                \
  X(creat("fifo", 0600))                                                                                               \
  X(sem_wait(&semaphore))                                                                                              \
  X(sem_timedwait(&semaphore, &late))                                                                                  \
  X(sem_clockwait(&semaphore, CLOCK_REALTIME, &late))                                                                  \
  X(pthread_join(stays, NULL))                                                                                         \
  X(pthread_timedjoin_np(stays, NULL, &late))                                                                          \
  X(pthread_clockjoin_np(stays, NULL, CLOCK_REALTIME, &late))                                                          \
  X(mq_receive(empty_queue, b, 8, NULL))                                                                               \
  X(mq_timedreceive(empty_queue, b, 8, NULL, &late))                                                                   \
  X(mq_send(full_queue, b, 8, 0))                                                                                      \
  X(mq_timedsend(full_queue, b, 8, 0, &late))                                                                          \
  X(msgrcv(messages, &message, sizeof message.text, 0, 0))                                                             \
  X(aio_suspend(requests, 1, NULL))                                                                                    \
  X(wait_for_condition())                                                                                              \
  X(wait_for_condition_until())                                                                                        \
  OF_NO_SANITIZER

#define X(call) {#call, __COUNTER__},
static const struct {
  const char *name;
  int number;
} calls[] = {CALLS};
#undef X
enum { NUMBER = sizeof calls / sizeof *calls };

static long make(int which) {
  switch (which + NUMBER) {
#define X(call)                                                                                                        \
  case __COUNTER__:                                                                                                    \
    return (long)(call);
    CALLS
#undef X
  }
  return 0;
}

static int called, returned, turns;
static void *one_activity(void *which) {
  called = 1;
  make((int)(intptr_t)which);
  return which;
}
static void *beside_another(void *which) {
  activate {
    for (; !returned; turns++)
      ch_sleep(200000);
  }
  called = 1;
  make((int)(intptr_t)which);
  returned = 1;
  return which;
}

static void cancel_within(int which, void *(*how)(void *)) {
  pthread_t t;
  void *end = NULL;
  alarm(30);
  set_up();
  EXPECT(pthread_create(&t, NULL, how, (void *)(intptr_t)which) == 0);
  while (!called || (how == beside_another && turns < 3))
    ch_sleep(200000);
  int before = turns;
  EXPECT(pthread_cancel(t) == 0);
  while (how == beside_another && !returned && turns < before + 5)
    ch_sleep(200000);
  returned = 1; /* a call that ends its activity does not say so: the other one need not go on */
  EXPECT(pthread_join(t, &end) == 0);
  if (end != PTHREAD_CANCELED || handled != 0)
    fprintf(stderr, "%s: not cancelled, or no handler\n", calls[which].name);
  EXPECT(end == PTHREAD_CANCELED && handled == 0 && pthread_mutex_trylock(&mutex) == 0);
  EXPECT(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child); /* its lock is gone */
  msgctl(messages, IPC_RMID, NULL);
  _exit(0);
}
static void try_each(void *(*how)(void *)) {
  for (int i = 0; i < NUMBER; i++) {
    int status;
    pid_t process = fork();
    if (process == 0)
      cancel_within(i, how);
    EXPECT(waitpid(process, &status, 0) == process);
    if (status != 0)
      fprintf(stderr, "%s: status %x\n", calls[i].name, status);
    EXPECT(status == 0);
  }
}
TEST(a_thread_that_waits_is_cancelled) { try_each(one_activity); }
TEST(a_thread_whose_first_activity_waits_is_cancelled_while_another_goes_on) { try_each(beside_another); }

/* ---- calls whose results nobody looks at ---- */

static int destroyed;
static pthread_key_t specific;
static void destroy(void *value) { destroyed++; }
static void sleeps(void) { usleep(200); }
static void sleeps_precisely(void) { nanosleep(&(struct timespec){0, 200000}, NULL); }
static void reads(void) {
  char c;
  (void)!read(empty[0], &c, 1);
}
static void polls(void) { poll(NULL, 0, 1); }
static void asks(void) {
  ch_sleep(200000);
  pthread_testcancel();
}
static void (*volatile again)(void);
static void *goes_on_for_ever(void *unused) {
  activate {
    for (; !returned; turns++)
      ch_sleep(200000);
  }
  pthread_setspecific(specific, &specific);
  called = 1;
  for (;;)
    again();
}
TEST(a_thread_that_goes_on_for_ever_ends_at_its_next_call_when_it_is_cancelled) {
  static void (*const ways[])(void) = {sleeps, sleeps_precisely, reads, polls, asks};
  alarm(60);
  EXPECT(pipe(empty) == 0 && pthread_key_create(&specific, destroy) == 0);
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    pthread_t t;
    void *end = NULL;
    again = ways[i];
    called = returned = turns = destroyed = 0;
    EXPECT(pthread_create(&t, NULL, goes_on_for_ever, NULL) == 0);
    while (!called || turns < 3)
      ch_sleep(200000);
    int before = turns;
    EXPECT(pthread_cancel(t) == 0);
    while (turns < before + 3)
      ch_sleep(200000);
    returned = 1;
    EXPECT(pthread_join(t, &end) == 0 && end == PTHREAD_CANCELED && destroyed == 1);
  }
}

/* ---- handlers of several activities ---- */

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)

static sem_t one, other;
static int ran_one, ran_other;
static void count(void *counter) { (*(int *)counter)++; }
static void first_waits(void) {
  pthread_cleanup_push(count, &ran_one);
  sem_wait(&one);
  pthread_cleanup_pop(0);
}
static void second_waits_and_exits(void) {
  pthread_cleanup_push(count, &ran_other);
  sem_wait(&other);
  pthread_exit(&other);
  pthread_cleanup_pop(0);
}
static void *in_turn(void *unused) {
  static ch_activity first, second; /* the second outlives this function */
  activate[&first] first_waits();
  activate[&second] second_waits_and_exits();
  ch_sleep(1000000);
  sem_post(&one);
  ch_activity_wait(&first);
  sem_post(&other); /* pthread_exit waits for the others: nobody waits for the second */
  return unused;
}
TEST(handlers_belong_to_the_activity_that_has_pushed_them) {
  pthread_t t;
  alarm(30);
  EXPECT(pthread_create(&t, NULL, in_turn, NULL) == 0 && pthread_join(t, NULL) == 0);
  EXPECT(ran_one == 0 && ran_other == 1);
}
#endif

/* ---- a function that runs once ---- */

static pthread_once_t once;
static int begun;
static void (*in_once)(void);
static void runs_once(void) {
  if (__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST) == 1) in_once();
}
static void waits(void) {
  char c;
  (void)!read(empty[0], &c, 1);
}
static void exits(void) {
  usleep(5000);
  pthread_exit(NULL);
}
static pthread_once_t around;
static void calls_once(void) { EXPECT(pthread_once(&once, runs_once) == 0); }
static void *calls_both(void *unused) {
  EXPECT(pthread_once(&around, calls_once) == 0);
  return unused;
}

/* POSIX: a pthread_once whose function is cancelled was never called. Activities and another thread wait for it. */
TEST(a_function_whose_thread_ends_in_it_has_not_run_once) {
  static void (*const ways[])(void) = {waits, exits};
  alarm(60);
  EXPECT(pipe(empty) == 0);
  for (int i = 0; i < 2; i++) {
    pthread_t first, second;
    ch_activity here;
    once = around = (pthread_once_t)PTHREAD_ONCE_INIT;
    begun = 0;
    in_once = ways[i];
    EXPECT(pthread_create(&first, NULL, calls_both, NULL) == 0);
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) ch_sleep(100000);
    EXPECT(pthread_create(&second, NULL, calls_both, NULL) == 0);
    activate [&here] calls_once();
    ch_sleep(2000000);
    if (i == 0) EXPECT(pthread_cancel(first) == 0);
    EXPECT(pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0 && ch_activity_wait(&here) == 0);
    EXPECT(begun == 2);
  }
}
