/* Each allocation of the runtime fails once, and once with all that follow: the program gets the documented error, or
 * ends with the documented message; it never crashes, hangs or goes on with a wrong result. */
#include "harness.h"
#include <charcoal/channel.h>
#include <charcoal/domains.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>

/* ---- the sweep ---- */

/* 1: all is as it should be; 0: there was no such allocation; -1: wrong. */
static int run_with_failure(const char *name, const char *at) {
  int told[2], errors[2], status;
  char descriptor[12], byte;
  static char text[65536];
  size_t used = 0;
  EXPECT(pipe(told) == 0 && pipe(errors) == 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    snprintf(descriptor, sizeof descriptor, "%d", told[1]);
    setenv("FAIL_AT", at, 1);
    setenv("FAIL_TO", descriptor, 1);
    dup2(errors[1], 2);
    close(errors[0]), close(errors[1]), close(told[0]);
    alarm(100);
    execl("/proc/self/exe", "no_memory", name, "here", NULL);
    _exit(98);
  }
  close(told[1]), close(errors[1]);
  for (ssize_t n; (n = read(errors[0], text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)n;
  text[used] = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  int had = read(told[0], &byte, 1) == 1;
  close(told[0]), close(errors[0]);
  int with_message = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, "charcoal: ") &&
                     (strstr(text, "out of memory") || strstr(text, "no memory"));
  int without_ring =
      WIFEXITED(status) && WEXITSTATUS(status) == CH_EXIT_MISUSE && strstr(text, "Cannot allocate memory");
  if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || (had && (with_message || without_ring)))
    return had;
  fprintf(stderr, "FAIL_AT=%s: status %x: %s\n", at, (unsigned)status, text);
  return -1;
}

static void sweep(const char *name) {
  int wrong = 0, n = 1;
  for (int has = 1; has; n++) {
    char at[20];
    for (const char *how = "+"; has && how; how = *how ? "" : NULL) {
      snprintf(at, sizeof at, "%d%s", n, how);
      has = run_with_failure(name, at);
      wrong += has < 0;
    }
  }
  EXPECT(n > 10); /* there were some */
  EXPECT(wrong == 0);
}

#define WITHOUT_MEMORY(name)                                                                                           \
  static void name##_here(void);                                                                                       \
  TEST(name) { getenv("FAIL_AT") ? name##_here() : sweep(#name); }                                                     \
  static void name##_here(void)

/* The result, or the errors of those for whom there is no memory. */
#define OR_NO_MEMORY(call, condition)                                                                                  \
  do {                                                                                                                 \
    errno = 0;                                                                                                         \
    long r = (long)(call);                                                                                             \
    if (!(condition) && errno != ENOMEM && errno != EAGAIN) {                                                          \
      fprintf(stderr, "%s:%d: %s = %ld, errno %d\n", __FILE__, __LINE__, #call, r, errno);                             \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)
#define ERROR_OR_NO_MEMORY(call)                                                                                       \
  do {                                                                                                                 \
    int e = (call);                                                                                                    \
    if (e && e != ENOMEM && e != EAGAIN) {                                                                             \
      fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, e);                                               \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

/* ---- what programs do ---- */

static void write_soon(int fd, size_t n) {
  activate(fd, n) {
    ch_sleep(1000000);
    EXPECT(write(fd, "abcdefgh\n", n) == (ssize_t)n);
  }
}

WITHOUT_MEMORY(descriptors) {
  int p[2], s[2];
  char b[20];
  struct iovec v[2] = {{b, 4}, {b + 4, 4}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  write_soon(p[1], 3);
  OR_NO_MEMORY(read(p[0], b, 20), r == 3);
  write_soon(s[1], 3);
  OR_NO_MEMORY(recv(s[0], b, 20, 0), r == 3);
  write_soon(s[1], 8);
  OR_NO_MEMORY(recvmsg(s[0], &m, MSG_WAITALL), r == 8);
  write_soon(p[1], 1);
  struct pollfd one = {.fd = p[0], .events = POLLIN};
  struct timespec limit = {20, 0};
  sigset_t none;
  fd_set set;
  sigemptyset(&none);
  FD_ZERO(&set);
  FD_SET(p[0], &set);
  OR_NO_MEMORY(poll(&one, 1, 20000), r == 1);
  OR_NO_MEMORY(ppoll(&one, 1, &limit, &none), r == 1);
  OR_NO_MEMORY(select(p[0] + 1, &set, NULL, NULL, NULL), r == 1);
  int e = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  EXPECT(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event) == 0);
  OR_NO_MEMORY(epoll_wait(e, &event, 1, 20000), r == 1);
}

WITHOUT_MEMORY(files) {
  struct stat st;
  activate { ch_sleep(1000000); }
  int a, b;
  OR_NO_MEMORY(a = open("file", O_RDWR | O_CREAT, 0600), r >= 0);
  if (a < 0)
    _exit(0);
  OR_NO_MEMORY(write(a, "abc", 3), r == 3);
  OR_NO_MEMORY(fsync(a), r == 0);
  OR_NO_MEMORY(stat("file", &st), r == 0);
  OR_NO_MEMORY(b = open("file", O_RDWR), r >= 0);
  OR_NO_MEMORY(flock(a, LOCK_EX), r == 0);
  activate(a) {
    ch_sleep(1000000);
    flock(a, LOCK_UN);
  }
  if (b >= 0)
    OR_NO_MEMORY(flock(b, LOCK_EX), r == 0);
  OR_NO_MEMORY(unlink("file"), r == 0);
}

WITHOUT_MEMORY(streams) {
  int p[2], q[2];
  char b[20], *line = NULL;
  size_t room = 0;
  EXPECT(pipe(p) == 0 && pipe(q) == 0);
  FILE *in = fdopen(p[0], "r"), *out = fdopen(q[1], "w");
  write_soon(p[1], 9);
  OR_NO_MEMORY(fgets(b, 20, in) != NULL, r == 1 && strcmp(b, "abcdefgh\n") == 0);
  clearerr(in);
  write_soon(p[1], 9);
  OR_NO_MEMORY(getline(&line, &room, in), r == 9);
  clearerr(in);
  write_soon(p[1], 9);
  OR_NO_MEMORY(fscanf(in, "%15s", b), r == 1);
  activate(out) {
    flockfile(out);
    ch_sleep(1000000);
    funlockfile(out);
  }
  ch_reschedule();
  OR_NO_MEMORY(fprintf(out, "%d", 12345), r == 5);
  OR_NO_MEMORY(fflush(out), r == 0);
  errno = EPIPE;
  perror("charcoal: not out of memory");
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int state, inits;
static void initialise(void) { ch_sleep(1000000), inits++; }

WITHOUT_MEMORY(locks) {
  static sem_t s;
  sem_init(&s, 0, 0);
  activate {
    EXPECT(pthread_mutex_lock(&m) == 0);
    ch_sleep(1000000);
    state = 1;
    EXPECT(pthread_cond_signal(&c) == 0 && pthread_mutex_unlock(&m) == 0);
    sem_post(&s);
  }
  ch_reschedule();
  EXPECT(pthread_mutex_lock(&m) == 0);
  while (!state)
    EXPECT(pthread_cond_wait(&c, &m) == 0);
  EXPECT(pthread_mutex_unlock(&m) == 0);
  EXPECT(sem_wait(&s) == 0);
  activate {
    if (pthread_rwlock_wrlock(&rw) == 0) {
      ch_sleep(1000000);
      EXPECT(pthread_rwlock_unlock(&rw) == 0);
    }
  }
  ch_reschedule();
  int e = pthread_rwlock_rdlock(&rw);
  EXPECT(e == 0 || e == EAGAIN || e == ENOMEM);
  if (!e)
    EXPECT(pthread_rwlock_unlock(&rw) == 0);
  activate { pthread_once(&once, initialise); }
  ch_reschedule();
  pthread_once(&once, initialise);
  EXPECT(inits == 1);
}

static int shared[2];
static void *reads(void *p) {
  char b;
  OR_NO_MEMORY(read(shared[0], &b, 1), r == 1);
  return p;
}
static int reads_c11(void *p) { return reads(p) == p ? 7 : 8; }
static void domain(void *p) { *(int *)p = 1; }
static intptr_t task(void *p) { return *(int *)p; }

/* The thread is no domain before it spawns. */
static void *spawns(void *p) {
  ch_activity a;
  activate[&a] {}
  int error = ch_activity_finished(&a) ? a.error : 0;
  ERROR_OR_NO_MEMORY(error);
  if (!error)
    OR_NO_MEMORY(ch_activity_wait(&a), r == 0);
  return p;
}

WITHOUT_MEMORY(domain_of_a_thread) {
  pthread_t t;
  int made;
  atomic made = pthread_create(&t, NULL, spawns, NULL);
  ERROR_OR_NO_MEMORY(made);
  if (!made)
    atomic EXPECT(pthread_join(t, NULL) == 0);
}

WITHOUT_MEMORY(threads) {
  pthread_t t;
  thrd_t u;
  ch_thread d;
  void *result = NULL;
  int made, value = 0;
  EXPECT(pipe(shared) == 0);
  EXPECT(write(shared[1], "xx", 2) == 2);
  made = pthread_create(&t, NULL, reads, &t);
  ERROR_OR_NO_MEMORY(made);
  if (!made) {
    do
      made = pthread_join(t, &result);
    while (made == ENOMEM || made == EAGAIN);
    EXPECT(made == 0 && result == &t);
  }
  made = thrd_create(&u, reads_c11, &u);
  EXPECT(made == thrd_success || made == thrd_nomem);
  if (made == thrd_success && thrd_join(u, &value) == thrd_success)
    EXPECT(value == 7);
  value = 0;
  made = ch_domain_start(&d, domain, &value);
  ERROR_OR_NO_MEMORY(made);
  if (!made) {
    EXPECT(ch_domain_join(&d) == 0 && value == 1);
  }
  ch_domains *some;
  OR_NO_MEMORY(some = ch_domains_start(2, NULL), r != 0);
  if (some) {
    ch_task *asked;
    intptr_t answer = 0;
    OR_NO_MEMORY(asked = ch_domain_spawn(some, CH_ANY_DOMAIN, task, &value), r != 0);
    if (asked)
      EXPECT(ch_task_join(asked, &answer) == 0 && answer == 1);
    ch_domains_end(some, 0);
  }
}

WITHOUT_MEMORY(scopes_and_times) {
  int done = 0;
  do {
    async {
      ch_sleep(1000000);
      done++;
    }
    async {
      ch_sleep(2000000);
      done++;
    }
  }
  finish;
  EXPECT(done == 2);
  do {
    async {
      EXPECT(ch_sleep(INT64_C(60000000000)) == ECANCELED);
      done++;
    }
    cancel;
  }
  finish;
  EXPECT(done == 3);
  struct timespec t = {0, 1000000};
  OR_NO_MEMORY(nanosleep(&t, NULL), r == 0);
  within(1000000) do { ch_sleep(INT64_C(60000000000)); }
  finish;
}

WITHOUT_MEMORY(names) {
  struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
  activate { ch_sleep(1000000); }
  for (int numeric = 1; numeric >= 0; numeric--) {
    hints.ai_flags = numeric ? AI_NUMERICHOST : 0;
    int e = getaddrinfo(numeric ? "127.0.0.1" : "localhost", "80", &hints, &found);
    EXPECT(e == 0 || e == EAI_MEMORY || e == EAI_AGAIN || (e == EAI_SYSTEM && (errno == ENOMEM || errno == EAGAIN)));
    if (e)
      continue;
    char host[100];
    e = getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    EXPECT(e == 0 || e == EAI_MEMORY || (e == EAI_SYSTEM && (errno == ENOMEM || errno == EAGAIN)));
    freeaddrinfo(found);
  }
}

WITHOUT_MEMORY(children_and_signals) {
  int status = 0, s = 0;
  sigset_t set;
  activate { ch_sleep(1000000); }
  pid_t child = fork();
  if (child == 0)
    _exit(7);
  OR_NO_MEMORY(waitpid(child, &status, 0), r == child && WEXITSTATUS(status) == 7);
  child = fork();
  if (child == 0)
    _exit(7);
  OR_NO_MEMORY(wait(&status), r > 0 && WEXITSTATUS(status) == 7);
  OR_NO_MEMORY(system("exit 0"), r == 0);
  FILE *f = popen("exit 3", "r");
  if (f)
    OR_NO_MEMORY(pclose(f), WEXITSTATUS((int)r) == 3);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  activate {
    ch_sleep(1000000);
    kill(getpid(), SIGUSR1);
  }
  ERROR_OR_NO_MEMORY(sigwait(&set, &s));
}

static void offloaded(void *p) { *(int *)p = 5; }

WITHOUT_MEMORY(objects) {
  channel(int) numbers;
  int value = 0, got = 0, made = ch_channel_init(&numbers, CH_UNBOUNDED);
  ERROR_OR_NO_MEMORY(made);
  if (!made) {
    activate {
      for (int i = 1; i <= 100; i++) {
        int e = ch_send(&numbers, &i);
        EXPECT(e == 0 || e == ENOMEM);
        if (e)
          _exit(0);
      }
    }
    for (int i = 1; i <= 100; i++)
      EXPECT(ch_recv(&numbers, &got) == 0 && got == i);
  }
  ERROR_OR_NO_MEMORY(ch_offload(offloaded, &value));
  EXPECT(value == 5 || value == 0);
}
