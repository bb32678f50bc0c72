/* Everything at once for as long as SOAK seconds: echo over TCP and local sockets, pipes, storage, timers, locks, foreign
 * calls, with scopes cancelled at random. Every byte is checked; at the end nothing is left. */
#include "harness.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

static unsigned long state = 88172645463325252ul;
static unsigned long random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static int64_t end;
static unsigned long echoes, records, cancels, calls;
static struct sockaddr_in address;

static int go_on(void) { return ch_now() < end; }

static void serve(int s) {
  char b[4096];
  ssize_t r;
  while ((r = read(s, b, sizeof b)) > 0)
    if (write(s, b, (size_t)r) != r) break;
  close(s);
}

static void converse(int i) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  unsigned char out[3000], in[3000];
  EXPECT(connect(s, (void *)&address, sizeof address) == 0);
  for (int k = 0; k < 50 && go_on(); k++) {
    size_t n = 1 + random_number() % sizeof out, got = 0;
    for (size_t j = 0; j < n; j++) out[j] = (unsigned char)(j * 7 + (size_t)i);
    EXPECT(send(s, out, n, 0) == (ssize_t)n);
    while (got < n) {
      ssize_t r = recv(s, in + got, n - got, 0);
      EXPECT(r > 0);
      got += (size_t)r;
    }
    EXPECT(memcmp(in, out, n) == 0);
    echoes++;
    if (k % 16 == 0) ch_sleep((int64_t)(random_number() % 2000000));
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
      while ((n = read(s[1], c, sizeof c)) > 0) got += n;
    }
    ch_sleep((int64_t)(random_number() % 300000));
    cancel;
  } finish;
  fcntl(s[1], F_SETFL, O_NONBLOCK);
  for (ssize_t n; (n = read(s[1], c, sizeof c)) > 0;) got += n;
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

static int descriptors(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d)) n++;
  closedir(d);
  return n;
}

TEST(soak) {
  const char *text = getenv("SOAK");
  int64_t seconds = text ? atol(text) : 10;
  socklen_t n = sizeof address;
  int l = socket(AF_INET, SOCK_STREAM, 0);
  struct ch_stats before, after;
  void (*const kinds[])(int) = {converse, converse, cut_off, keep_records, call};
  ch_activity all[60], server;
  alarm((unsigned)seconds + 60);
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  EXPECT(bind(l, (void *)&address, sizeof address) == 0 && listen(l, 100) == 0 &&
         getsockname(l, (void *)&address, &n) == 0);
  EXPECT(ch_inbox() != NULL);
  call(0);
  int open_before = descriptors();
  ch_sleep(1000000);
  ch_stats(&before);
  end = ch_now() + seconds * 1000000000;
  activate [&server] {
    int s;
    while ((s = accept(l, NULL, NULL)) >= 0) activate (s) { serve(s); }
    EXPECT(errno == ECANCELED);
  }
  for (int i = 0; i < 60; i++)
    activate [&all[i]] (i) {
      while (go_on()) kinds[i % 5](i);
    }
  for (int i = 0; i < 60; i++) ch_activity_wait(&all[i]);
  ch_activity_cancel(&server);
  ch_activity_wait(&server);
  ch_sleep(50000000);
  ch_stats(&after);
  printf("%lu echoes, %lu records, %lu scopes cancelled, %lu foreign calls in %ld s; %lu kB mapped\n", echoes, records, cancels,
         calls, (long)seconds, (unsigned long)after.mapped_bytes / 1024);
  EXPECT(echoes > 0 && records > 0 && cancels > 0 && calls > 0);
  EXPECT(descriptors() == open_before);
  EXPECT(after.activities == before.activities && after.frames == before.frames);
}
