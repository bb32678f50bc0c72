/* Everything at once for as long as SOAK seconds: echo over TCP and local sockets, pipes, storage, timers, locks,
 * foreign calls, streams, child processes, channels, and activities by the hundred, with scopes cancelled at random and
 * deadlines. Every byte and every message is checked; at the end nothing is left, and the process is as large as it was
 * when each kind of work had been done for a while. */
#include "harness.h"
#include <arpa/inet.h>
#include <charcoal/channel.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>

static unsigned long state = 88172645463325252ul;
static unsigned long random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static int64_t end;
static unsigned long echoes, records, cancels, calls, lines, children, messages, spawned, deadlines;
static struct sockaddr_in address;

static int go_on(void) { return ch_now() < end; }

static void serve(int s) {
  char b[4096];
  ssize_t r;
  while ((r = read(s, b, sizeof b)) > 0)
    if (write(s, b, (size_t)r) != r)
      break;
  close(s);
}

static void converse(int i) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  unsigned char out[3000], in[3000];
  EXPECT(connect(s, (void *)&address, sizeof address) == 0);
  for (int k = 0; k < 50 && go_on(); k++) {
    size_t n = 1 + random_number() % sizeof out, got = 0;
    for (size_t j = 0; j < n; j++)
      out[j] = (unsigned char)(j * 7 + (size_t)i);
    EXPECT(send(s, out, n, 0) == (ssize_t)n);
    while (got < n) {
      ssize_t r = recv(s, in + got, n - got, 0);
      EXPECT(r > 0);
      got += (size_t)r;
    }
    EXPECT(memcmp(in, out, n) == 0);
    echoes++;
    if (k % 16 == 0)
      ch_sleep((int64_t)(random_number() % 2000000));
  }
  close(s);
}

/* A conversation that may be cut off at any moment. */
static void cut_off(int i) {
  long r = 0, sent = 0;
  int s[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  char b[512] = {0}, c[100000];
  long got = 0;
  do {
    async {
      while ((r = write(s[0], b, 1 + random_number() % sizeof b)) > 0) {
        sent += r;
        ch_sleep((int64_t)(random_number() % 20000));
      }
    }
    async {
      ssize_t n;
      while ((n = read(s[1], c, sizeof c)) > 0)
        got += n;
    }
    ch_sleep((int64_t)(random_number() % 300000));
    cancel;
  }
  finish;
  fcntl(s[1], F_SETFL, O_NONBLOCK);
  for (ssize_t n; (n = read(s[1], c, sizeof c)) > 0;)
    got += n;
  EXPECT(got == sent);
  close(s[0]);
  close(s[1]);
  cancels++;
  (void)i;
}

static void keep_records(int i) {
  char name[40], b[8192], c[8192];
  snprintf(name, sizeof name, "record-%d", i);
  int f = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  EXPECT(f >= 0);
  for (int k = 0; k < 8; k++) {
    memset(b, 'a' + (i + k) % 26, sizeof b);
    EXPECT(pwrite(f, b, sizeof b, k * (off_t)sizeof b) == sizeof b);
    EXPECT(pread(f, c, sizeof c, k * (off_t)sizeof b) == sizeof c && memcmp(b, c, sizeof b) == 0);
  }
  EXPECT(close(f) == 0 && unlink(name) == 0);
  records++;
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void foreign(void *n) {
  pthread_mutex_lock(&m);
  ++*(unsigned long *)n;
  pthread_mutex_unlock(&m);
}
static void call(int i) {
  (void)i;
  EXPECT(ch_offload(foreign, &calls) == 0);
  EXPECT(pthread_mutex_lock(&m) == 0);
  ch_sleep(10000);
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

/* A line through a stream of the C library, which may be flushed anywhere. */
static void write_lines(int descriptor, int n) {
  FILE *to = fdopen(descriptor, "w");
  for (int k = 0; k < n; k++) {
    fprintf(to, "line %d of %d\n", k, n);
    if (random_number() % 4 == 0) {
      EXPECT(fflush(to) == 0);
      ch_sleep((int64_t)(random_number() % 1000000));
    }
  }
  EXPECT(fclose(to) == 0);
}
static void speak(int i) {
  int ends[2], n = 1 + (int)(random_number() % 100), k = 0, number, all;
  char *line = NULL;
  size_t size = 0;
  (void)i;
  EXPECT(pipe(ends) == 0);
  do {
    async write_lines(ends[1], n);
    FILE *from = fdopen(ends[0], "r");
    for (; getline(&line, &size, from) > 0; k++)
      EXPECT(sscanf(line, "line %d of %d", &number, &all) == 2 && number == k && all == n);
    EXPECT(fclose(from) == 0);
  }
  finish;
  EXPECT(k == n);
  free(line);
  lines += (unsigned)n;
}

/* Every other child gives back what it is told; the others are told nothing, and killed when the deadline has come. */
static pid_t start_child(const char *command, const char *argument, int descriptor) {
  if (random_number() % 2) {
    pid_t child = fork();
    if (child == 0) {
      dup2(descriptor, 0);
      dup2(descriptor, 1);
      execlp(command, command, argument, (char *)NULL);
      _exit(127);
    }
    return child;
  }
  pid_t child = -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, descriptor, 0);
  posix_spawn_file_actions_adddup2(&actions, descriptor, 1);
  EXPECT(posix_spawnp(&child, command, &actions, NULL, (char *[]){(char *)command, (char *)argument, NULL}, environ) ==
         0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}
static void have_child(int i) {
  int s[2], status = 0, gives_back = random_number() % 2;
  pid_t child, ended = 0;
  char in[64];
  (void)i;
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s) == 0);
  child = gives_back ? start_child("cat", "-", s[1]) : start_child("sleep", "20", s[1]);
  EXPECT(child > 0 && close(s[1]) == 0);
  if (gives_back) {
    EXPECT(write(s[0], "hello", 5) == 5 && recv(s[0], in, 5, MSG_WAITALL) == 5 && memcmp(in, "hello", 5) == 0);
    EXPECT(shutdown(s[0], SHUT_WR) == 0 && read(s[0], in, sizeof in) == 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  } else {
    within((int64_t)(random_number() % 20000000)) do ended = waitpid(child, &status, 0);
    finish;
    EXPECT(ended == -1 && kill(child, SIGKILL) == 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  close(s[0]);
  children++;
}

/* Two that send over two channels, and one that waits for either of them, or for a time that is often too short. */
static void send_numbers(channel(int) * to, int n) {
  for (int k = 0; k < n; k++) {
    EXPECT(ch_send(to, &k) == 0);
    if (random_number() % 8 == 0)
      ch_sleep((int64_t)(random_number() % 1000000));
  }
  EXPECT(ch_close(to) == 0);
}
static void exchange(int i) {
  int n = (int)(random_number() % 50), next[2] = {0, 0}, open[2] = {1, 1}, k[2], error;
  channel(int) c[2];
  (void)i;
  ch_channel_init(&c[0], random_number() % 4);
  ch_channel_init(&c[1], random_number() % 4);
  do {
    async send_numbers(&c[0], n);
    async send_numbers(&c[1], n);
    while (open[0] || open[1]) {
      when(open[0]) waituntil fair(error = ch_recv(&c[0], &k[0])) {
        if (error)
          open[0] = 0;
        else
          EXPECT(k[0] == next[0]++);
      }
      or when(open[1]) waituntil(error = ch_recv(&c[1], &k[1])) {
        if (error)
          open[1] = 0;
        else
          EXPECT(k[1] == next[1]++);
      }
      or waituntil(ch_sleep((int64_t)(random_number() % 300000))) deadlines++;
    }
  }
  finish;
  EXPECT(next[0] == n && next[1] == n);
  EXPECT(ch_channel_destroy(&c[0]) == 0 && ch_channel_destroy(&c[1]) == 0);
  messages += 2 * (unsigned)n;
}

/* Activities that wait for units, of which there are not enough: some have one, some are cancelled, some run out of
 * time. */
static void storm(int i) {
  enum { MANY = 30 };
  ch_activity all[MANY];
  ch_sem units = CH_SEM_INIT(0), *u = &units;
  int got = 0, *g = &got, given = 0;
  (void)i;
  for (int k = 0; k < MANY; k++)
    activate[&all[k]](u, g, k) {
      switch (k % 3 ? ch_sem_wait(u) : ch_sem_timedwait(u, (int64_t)(random_number() % 2000000))) {
      case 0:
        ++*g;
        break;
      case ETIMEDOUT:
        deadlines++;
        break;
      case ECANCELED:
        cancels++;
        break;
      default:
        EXPECT(!"another error");
      }
    }
  for (int k = 0; k < MANY / 2; k++, given++) {
    ch_sem_post(&units);
    if (random_number() % 4 == 0)
      ch_sleep((int64_t)(random_number() % 500000));
  }
  for (int k = 0; k < MANY; k++)
    ch_activity_cancel(&all[k]);
  for (int k = 0; k < MANY; k++)
    ch_activity_wait(&all[k]);
  while (ch_sem_timedwait(&units, 0) == 0)
    got++;
  EXPECT(got == given);
  spawned += MANY;
}

static long resident_kb(void) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  EXPECT(f && fscanf(f, "%*d %ld", &pages) == 1);
  fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The largest size in the second tenth of the time, and in the last: the first is for warming up. */
static long size_in_tenth[10];
static void watch_size(int64_t begin) {
  while (go_on()) {
    long *size = &size_in_tenth[(ch_now() - begin) * 10 / (end - begin) % 10], now = resident_kb();
    if (*size < now)
      *size = now;
    ch_sleep((end - begin) / 1000);
  }
}

static int descriptors(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

TEST(soak) {
  const char *text = getenv("SOAK");
  int64_t seconds = text ? atol(text) : 10;
  socklen_t n = sizeof address;
  int l = socket(AF_INET, SOCK_STREAM, 0);
  struct ch_stats before, after;
  void (*const kinds[])(int) = {converse, converse,   cut_off,  keep_records, call,
                                speak,    have_child, exchange, storm,        converse};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  ch_activity all[60], server, size;
  alarm((unsigned)seconds + 300);
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  EXPECT(bind(l, (void *)&address, sizeof address) == 0 && listen(l, 100) == 0 &&
         getsockname(l, (void *)&address, &n) == 0);
  EXPECT(ch_inbox() != NULL);
  call(0);
  int open_before = descriptors();
  ch_sleep(1000000);
  ch_stats(&before);
  int64_t begin = ch_now();
  end = begin + seconds * 1000000000;
  activate[&server] {
    int s;
    while ((s = accept(l, NULL, NULL)) >= 0)
      activate(s) { serve(s); }
    EXPECT(errno == ECANCELED);
  }
  for (int i = 0; i < 60; i++)
    activate[&all[i]](i) {
      while (go_on()) {
        kinds[i % KINDS](i);
        ch_sleep((int64_t)(random_number() % 200000000));
      }
    }
  activate[&size] watch_size(begin);
  for (int i = 0; i < 60; i++)
    ch_activity_wait(&all[i]);
  ch_activity_wait(&size);
  ch_activity_cancel(&server);
  ch_activity_wait(&server);
  ch_sleep(50000000);
  ch_stats(&after);
  printf("%lu echoes, %lu records, %lu cancelled, %lu foreign calls, %lu lines, %lu children, %lu messages,\n"
         "%lu activities in storms, %lu times too late in %ld s; %lu kB mapped; resident kB at most in each tenth:",
         echoes, records, cancels, calls, lines, children, messages, spawned, deadlines, (long)seconds,
         (unsigned long)after.mapped_bytes / 1024);
  for (int i = 0; i < 10; i++)
    printf(" %ld", size_in_tenth[i]);
  printf("\n");
  EXPECT(echoes > 0 && records > 0 && cancels > 0 && calls > 0 && lines > 0 && children > 0 && messages > 0 &&
         spawned > 0 && deadlines > 0);
  EXPECT(seconds < 100 || size_in_tenth[9] < size_in_tenth[1] + size_in_tenth[1] / 10 + 4096);
  EXPECT(descriptors() <= open_before + 2); /* the reactor and the inbox get theirs when they are first needed */
  EXPECT(after.activities == before.activities && after.frames == before.frames);
}
