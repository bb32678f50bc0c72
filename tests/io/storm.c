/* Cancels operations at random moments, ROUNDS times for each kind. Each operation either has its whole effect and says
 * so, or has none: the other side counts the effects (law 4). */
#include "harness.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/stat.h>

static int rounds(void) {
  const char *text = getenv("ROUNDS");
  return text ? atoi(text) : 10000;
}
enum { TOGETHER = 50 };

static unsigned long state = 88172645463325252ul;
static unsigned long random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int done, cancelled;

/* Some time, mostly very short. How many operations end in it depends on the machine, whose clock may be coarse, too:
 * where one of the outcomes has become rare, the moment lets it happen. */
static void a_moment(int i) {
  if (cancelled < i / 20)
    return;
  if (done < i / 20) {
    ch_sleep(2000000);
    return;
  }
  switch (random_number() % 8) {
  case 0:
    break;
  case 1:
  case 2:
    for (unsigned long i = random_number() % 4; i-- > 0;)
      ch_reschedule();
    break;
  case 3:
    ch_sleep((int64_t)(random_number() % 2000000));
    break;
  default:
    ch_sleep((int64_t)(random_number() % 60000));
  }
}

/* Counts an outcome; anything but success and ECANCELED is a failure. */
static void count(long r, int error) {
  if (r >= 0)
    done++;
  else if (error == ECANCELED)
    cancelled++;
  else {
    fprintf(stderr, "neither done nor cancelled: %s\n", strerror(error));
    _exit(1);
  }
}

/* Runs `one(i)` for all i < n, TOGETHER at a time, each in a scope that is cancelled at a random moment. */
static void one_cancelled(void (*one)(int), int i) {
  do {
    async one(i);
    a_moment(i);
    cancel;
  }
  finish;
}
static void storm(void (*one)(int)) {
  int next = 0, n = rounds();
  done = cancelled = 0;
  state = 88172645463325252ul;
  do {
    for (int k = 0; k < TOGETHER; k++)
      async {
        while (next < n)
          one_cancelled(one, next++);
      }
  }
  finish;
  EXPECT(done + cancelled == n);
  /* A storm that cancels everything, or nothing, tests nothing. */
  if (done < n / 100 || cancelled < n / 100)
    fprintf(stderr, "done %d, cancelled %d\n", done, cancelled);
  EXPECT(done >= n / 100 && cancelled >= n / 100);
}

/* ---- one byte each ---- */

static int ends[2];
static void read_one(int i) {
  char c;
  long r = read(ends[0], &c, 1);
  (void)i;
  count(r, errno);
}
static long left_in(int fd) {
  char b[4096];
  long sum = 0, n;
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while ((n = read(fd, b, sizeof b)) > 0)
    sum += n;
  return sum;
}

static void reads(void) {
  long written = 0;
  ch_activity writer;
  int over = 0;
  activate[&writer] {
    while (!over) {
      EXPECT(write(ends[1], "x", 1) == 1);
      written++;
      ch_sleep(20000);
    }
  }
  storm(read_one);
  over = 1;
  ch_activity_wait(&writer);
  EXPECT(written == done + left_in(ends[0]));
}
TEST(each_byte_of_a_pipe_is_read_once_or_still_there) {
  EXPECT(pipe(ends) == 0);
  reads();
}
TEST(each_byte_of_a_socket_is_read_once_or_still_there) {
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  reads();
}

/* ---- as much as was said ---- */

static long told;
static char block[100000];
static void write_some(int i) {
  long r = write(ends[1], block, 1 + (size_t)(i * 7919) % sizeof block);
  count(r, errno);
  if (r > 0)
    told += r;
}
static void writes(void) {
  long got = 0, n;
  ch_activity reader;
  int over = 0;
  activate[&reader] {
    static char b[65536];
    while ((n = read(ends[0], b, sizeof b)) > 0) {
      got += n;
      if (random_number() % 4 == 0)
        ch_sleep(30000);
    }
    over = 1;
  }
  storm(write_some);
  close(ends[1]);
  ch_activity_wait(&reader);
  EXPECT(over && got == told);
}
TEST(a_pipe_has_as_much_as_its_writers_say) {
  EXPECT(pipe(ends) == 0);
  writes();
}
TEST(a_socket_has_as_much_as_its_senders_say) {
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  writes();
}

/* ---- storage ---- */

static int file;
static char *said; /* what each operation said of itself */
static void write_record(int i) {
  unsigned long record[512];
  for (int k = 0; k < 512; k++)
    record[k] = (unsigned long)i + 1;
  long r = pwrite(file, record, sizeof record, (off_t)i * (off_t)sizeof record);
  count(r, errno);
  EXPECT(r < 0 || r == sizeof record);
  said[i] = r > 0;
}
TEST(a_record_is_there_if_its_writer_says_so) {
  int n = rounds();
  said = calloc((size_t)n, 1);
  EXPECT((file = open("records", O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0 && ftruncate(file, (off_t)n * 4096) == 0);
  storm(write_record);
  for (int i = 0; i < n; i++) {
    unsigned long record[512];
    EXPECT(pread(file, record, sizeof record, (off_t)i * 4096) == 4096);
    for (int k = 0; k < 512; k++)
      EXPECT(record[k] == (said[i] ? (unsigned long)i + 1 : 0));
  }
  close(file);
  unlink("records");
}

static void make_folder(int i) {
  char name[50];
  snprintf(name, sizeof name, "folder-%d", i);
  long r = mkdir(name, 0700);
  count(r, errno);
  said[i] = r == 0;
}
TEST(a_folder_is_there_if_its_maker_says_so) {
  int n = rounds();
  said = calloc((size_t)n, 1);
  storm(make_folder);
  for (int i = 0; i < n; i++) {
    char name[50];
    snprintf(name, sizeof name, "folder-%d", i);
    EXPECT((rmdir(name) == 0) == said[i]);
  }
}

static void open_file(int i) {
  char name[50];
  snprintf(name, sizeof name, "file-%d", i);
  long r = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
  count(r, errno);
  said[i] = r >= 0;
  if (r >= 0)
    close((int)r);
}
TEST(a_file_is_there_if_its_maker_says_so_and_no_descriptor_is_left) {
  int n = rounds(), before = dup(0), after;
  close(before);
  said = calloc((size_t)n, 1);
  storm(open_file);
  for (int i = 0; i < n; i++) {
    char name[50];
    snprintf(name, sizeof name, "file-%d", i);
    EXPECT((unlink(name) == 0) == said[i]);
  }
  after = dup(0);
  EXPECT(after <= before + 3); /* the reactor's own */
}

/* ---- connections ---- */

static void accept_one(int i) {
  long r = accept(file, NULL, NULL);
  (void)i;
  count(r, errno);
  if (r >= 0)
    close((int)r);
}
TEST(each_connection_is_accepted_once_or_still_there) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof a;
  long made = 0, left = 0;
  int over = 0;
  file = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(bind(file, (void *)&a, sizeof a) == 0 && listen(file, 4096) == 0 && getsockname(file, (void *)&a, &n) == 0);
  ch_activity client;
  activate[&client] {
    while (!over) {
      int s = socket(AF_INET, SOCK_STREAM, 0);
      struct linger no = {1, 0};
      EXPECT(connect(s, (void *)&a, sizeof a) == 0);
      made++;
      setsockopt(s, SOL_SOCKET, SO_LINGER, &no, sizeof no);
      struct pollfd p = {.fd = s, .events = POLLIN};
      if (made % 64 == 0)
        poll(&p, 1, 1);
      close(s);
      ch_sleep(100000);
    }
  }
  storm(accept_one);
  over = 1;
  ch_activity_wait(&client);
  fcntl(file, F_SETFL, O_NONBLOCK);
  for (int s; (s = accept(file, NULL, NULL)) >= 0; left++)
    close(s);
  EXPECT(made == done + left);
}

/* ---- threads ---- */

static int ran;
static void foreign(void *unused) {
  (void)unused;
  __atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
}
static void offload_one(int i) {
  int error = ch_offload(foreign, NULL);
  (void)i;
  count(error ? -1 : 0, error);
}
__attribute__((constructor)) static void two_threads(void) {
  setenv("CHARCOAL_THREADS", "2", 1);
} /* before the pool exists */
TEST(an_offloaded_call_has_run_if_it_says_so) {
  ran = 0;
  storm(offload_one);
  EXPECT(ran == done);
}

static sem_t units;
static void take_unit(int i) {
  long r = sem_wait(&units);
  (void)i;
  count(r, errno);
}
TEST(each_unit_of_a_semaphore_is_taken_once_or_still_there) {
  long given = 0;
  int over = 0, left;
  sem_init(&units, 0, 0);
  ch_activity giver;
  activate[&giver] {
    while (!over) {
      sem_post(&units);
      given++;
      ch_sleep(50000);
    }
  }
  storm(take_unit);
  over = 1;
  ch_activity_wait(&giver);
  sem_getvalue(&units, &left);
  EXPECT(given == done + left);
}
