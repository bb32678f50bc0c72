/* A few programs, each of which goes on when something has run out: what an error reports has had no effect, what
 * reports none has had its whole effect. It ends with status 0, or the runtime ends it with a message. */
#include <charcoal.h>
#include <charcoal/lowlevel.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "line %d: expected %s (errno %d)\n", __LINE__, #condition, errno);                               \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  while (0)
static int ran_out(int error) {
  return error == ENOMEM || error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOBUFS;
}

static ch_sem gate;

static void spawn(void) {
  ch_activity h[40];
  int ran[40] = {0};
  for (int i = 0; i < 40; i++)
    activate[&h[i]](i) {
      ch_sleep(1000);
      ran[i] = 1;
    }
  for (int i = 0; i < 40; i++) {
    int error = ch_activity_wait(&h[i]);
    EXPECT(error ? error == ENOMEM && !ran[i] : ran[i]);
  }
}

static void large(void) {
  char big[9000] = {7};
  ch_activity h;
  int ran = 0;
  activate[&h](big) {
    char mine[5000] = {1};
    ch_sleep(1000);
    ran = big[0] + mine[0];
  }
  int error = ch_activity_wait(&h);
  EXPECT(error ? error == ENOMEM && !ran : ran == 8);
}

static void within_atomic(void) {
  ch_activity h[2];
  int ran[2] = {0};
  atomic {
    activate contained[&h[0]] { ran[0] = 1; }
    activate[&h[1]] { ran[1] = 1; }
  }
  for (int i = 0; i < 2; i++) {
    int error = ch_activity_wait(&h[i]);
    EXPECT(error ? error == ENOMEM && !ran[i] : ran[i]);
  }
}

static int deep(int n) {
  int result = n ? deep(n - 1) : ch_sem_timedwait(&gate, 1000000);
  return result + (n ? 1 : 0);
}
static void branches(void) {
  int sum = 0;
  within(1000000000) do {
    for (int i = 0; i < 50; i++)
      async(i) {
        if (ch_sem_wait(&gate) == 0)
          sum++;
      }
    async sum += deep(30) == 30 + ETIMEDOUT ? 100 : 0;
    for (int i = 0; i < 50; i++)
      ch_sem_post(&gate);
    do {
      async ch_sem_wait(&gate);
      cancel;
    }
    finish;
  }
  finish;
  EXPECT(sum == 150);
}

static void timers(void) {
  int ended = 0;
  do {
    for (int i = 0; i < 200; i++)
      async(i) {
        ch_sleep(1000 * i);
        ended++;
      }
  }
  finish;
  EXPECT(ended == 200);
}

static void pipes(void) {
  int ends[2];
  char byte = 0;
  EXPECT(pipe(ends) == 0);
  ssize_t got = -2;
  int ready = -2;
  do {
    async {
      got = read(ends[0], &byte, 1);
      if (got < 0)
        EXPECT(ran_out(errno));
    }
    async {
      ready = ch_fd_wait(ends[1], POLLOUT, 20000000000);
      EXPECT(ready == POLLOUT || (ready < 0 && ran_out(-ready)));
    }
    do /* who waits for a descriptor that is closed gets EBADF */
      ch_sleep(100000);
    while (ready == -2);
    EXPECT(write(ends[1], "x", 1) == 1 || ran_out(errno));
    close(ends[1]);
  }
  finish;
  EXPECT(got != 1 || byte == 'x');
  close(ends[0]);
}

static void polls(void) {
  enum { N = 30 };
  int ends[N][2];
  struct pollfd p[N];
  fd_set set;
  FD_ZERO(&set);
  for (int i = 0; i < N; i++) {
    EXPECT(pipe(ends[i]) == 0);
    p[i] = (struct pollfd){ends[i][0], POLLIN, 0};
    FD_SET(ends[i][0], &set);
  }
  do {
    async {
      int n = poll(p, N, -1);
      EXPECT(n == 1 ? p[7].revents == POLLIN : n < 0 && ran_out(errno));
    }
    async {
      struct timeval limit = {20, 0};
      int n = select(ends[N - 1][1] + 1, &set, NULL, NULL, &limit);
      EXPECT(n == 1 ? FD_ISSET(ends[7][0], &set) : n < 0 && ran_out(errno));
    }
    ch_sleep(100000);
    EXPECT(write(ends[7][1], "x", 1) == 1 || ran_out(errno));
  }
  finish;
}

static void sockets(void) {
  int pair[2];
  char text[4] = "";
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  do {
    async {
      ssize_t n = recv(pair[0], text, 3, MSG_WAITALL);
      EXPECT(n < 0 ? ran_out(errno) : strncmp(text, "abc", (size_t)n) == 0);
    }
    ch_sleep(100000);
    EXPECT(send(pair[1], "abc", 3, 0) == 3 || ran_out(errno));
    shutdown(pair[1], SHUT_WR);
  }
  finish;
}

static void files(void) {
  char name[] = "/tmp/charcoal-memory-XXXXXX", text[4] = "";
  int fd = mkstemp(name);
  struct stat st;
  EXPECT(fd >= 0);
  do {
    async {
      ssize_t n = pwrite(fd, "abc", 3, 0);
      EXPECT(n == 3 || (n < 0 && ran_out(errno)));
      int r = fsync(fd);
      EXPECT(r == 0 || ran_out(errno));
      ssize_t m = pread(fd, text, 3, 0);
      EXPECT(m < 0 ? ran_out(errno) : n == 3 ? m == 3 && !strcmp(text, "abc") : m == 0);
    }
    async {
      int r = stat(name, &st);
      EXPECT(r == 0 || ran_out(errno));
      int other = open(name, O_RDONLY);
      EXPECT(other >= 0 || ran_out(errno));
      EXPECT(other < 0 || close(other) == 0 || ran_out(errno));
    }
  }
  finish;
  atomic unlink(name);
}

static void adds(void *n) { ++*(int *)n; }
static void offloads(void) {
  int ran[5] = {0};
  do {
    for (int i = 0; i < 5; i++)
      async(i) {
        int error = ch_offload(adds, &ran[i]);
        EXPECT(error ? ran_out(error) && !ran[i] : ran[i] == 1);
      }
  }
  finish;
}

static void posts(void *s) { ch_sem_post(s); }
static void *from_thread(void *inbox) { return (void *)(intptr_t)ch_post(inbox, posts, &gate); }
static void letters(void) {
  struct ch_inbox *in = ch_inbox();
  if (!in) {
    EXPECT(ran_out(errno));
    return;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, from_thread, in))
    return;
  void *error;
  EXPECT(pthread_join(thread, &error) == 0);
  EXPECT(error ? (intptr_t)error == ENOMEM : ch_sem_wait(&gate) == 0);
}

static ch_waiter w;
static ch_spinlock lock;
static void waiters(void) {
  do {
    async {
      ch_spin_acquire(&lock);
      int error = ch_waiter_suspend_unlock(&w, &lock);
      EXPECT(error == 0 || ran_out(error));
      ch_spin_acquire(&lock); /* it has been released */
      ch_spin_release(&lock);
    }
    ch_yield_to(&w);
    ch_waiter_schedule(&w);
  }
  finish;
}

static void domain(void *ran) {
  int sum = 0;
  do {
    async {
      ch_sleep(1000);
      sum++;
    }
    async sum += deep(3) == 3 + ETIMEDOUT;
  }
  finish;
  *(int *)ran = sum;
}
static void domains(void) {
  ch_thread threads[2];
  int ran[2] = {0};
  for (int i = 0; i < 2; i++) {
    int error = ch_domain_start(&threads[i], domain, &ran[i]);
    EXPECT(error == 0 || ran_out(error));
    if (error)
      continue;
    while ((error = ch_domain_join(&threads[i]))) {
      EXPECT(ran_out(error));
      ch_sleep(1000000);
    }
    EXPECT(ran[i] == 2);
  }
}

static void names(void) {
  ch_activity h;
  int error = ch_set_name("first");
  EXPECT(error == 0 ? !strcmp(ch_name(), "first") : error == ENOMEM);
  activate[&h] {
    char long_name[300];
    memset(long_name, 'n', 299);
    long_name[299] = 0;
    int e = ch_set_name("second");
    EXPECT(e == 0 || e == ENOMEM);
    int f = ch_set_name(long_name);
    EXPECT(f == 0 ? !strcmp(ch_name(), long_name) : f == ENOMEM && (e ? !ch_name() : !strcmp(ch_name(), "second")));
  }
  ch_activity_wait(&h);
  EXPECT(error || !strcmp(ch_name(), "first"));
}

static void hosts(void) {
  struct addrinfo *list = NULL, hints = {.ai_socktype = SOCK_STREAM};
  do {
    async {
      int error = getaddrinfo("127.0.0.1", "80", &hints, &list);
      EXPECT(error ? error == EAI_MEMORY || error == EAI_AGAIN || error == EAI_SYSTEM : list != NULL);
      if (!error)
        freeaddrinfo(list);
      error = getaddrinfo("localhost", NULL, &hints, &list);
      EXPECT(error ? error == EAI_MEMORY || error == EAI_AGAIN || error == EAI_SYSTEM : list != NULL);
      if (!error)
        freeaddrinfo(list);
    }
  }
  finish;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void locks(void) {
  int inside = 0, ready = 0, woken = 0;
  do {
    for (int i = 0; i < 3; i++)
      async {
        int error = pthread_mutex_lock(&mutex);
        EXPECT(error == 0 || ran_out(error));
        if (!error) {
          EXPECT(!inside);
          inside = 1;
          ch_sleep(1000);
          inside = 0;
          EXPECT(pthread_mutex_unlock(&mutex) == 0);
        }
      }
    async {
      int error = pthread_mutex_lock(&mutex);
      EXPECT(error == 0 || ran_out(error));
      while (!error && !ready)
        if ((error = pthread_cond_wait(&condition, &mutex)))
          EXPECT(ran_out(error));
      woken++;
      pthread_mutex_unlock(&mutex);
    }
    ch_sleep(10000000);
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
  }
  finish;
  EXPECT(woken == 1);
}

/* For longer than anybody waits before he asks a thread of the pool. */
static void held_long(void) {
  static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  int got = 0;
  do {
    async {
      int error = pthread_mutex_lock(&held);
      ch_sleep(60000000);
      if (!error)
        pthread_mutex_unlock(&held);
    }
    async {
      int error = pthread_mutex_lock(&held);
      EXPECT(error == 0 || ran_out(error));
      got++;
      if (!error)
        pthread_mutex_unlock(&held);
    }
  }
  finish;
  EXPECT(got == 1);
}

static int compare(const void *a, const void *b) { return ch_sleep(1000), *(const char *)a - *(const char *)b; }
static void natives(void) {
  int sum = 0;
  do {
    async {
      char letters[] = "dacb";
      qsort(letters, 4, 1, compare);
      sum += !strcmp(letters, "abcd");
    }
    async {
      ch_sleep(100);
      sum++;
    }
  }
  finish;
  EXPECT(sum == 2);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } all[] = {{"spawn", spawn},       {"large", large},         {"within_atomic", within_atomic},
             {"branches", branches}, {"timers", timers},       {"pipes", pipes},
             {"polls", polls},       {"sockets", sockets},     {"files", files},
             {"offloads", offloads}, {"letters", letters},     {"waiters", waiters},
             {"domains", domains},   {"names", names},         {"hosts", hosts},
             {"locks", locks},       {"held_long", held_long}, {"natives", natives}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (argc < 2)
      puts(all[i].name);
    else if (!strcmp(argv[1], all[i].name))
      all[i].run();
  return 0;
}
