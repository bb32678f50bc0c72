/* Tests messages of a program about itself: the functions of err.h write the same lines as the C library's, and wait
 * for a slow reader without stopping other activities. The same holds for a FIFO that is opened as a stream. */
#include "harness.h"
#include <stdbool.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <wchar.h>

static ch_sem never;
static void not_alone(void) {
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  ch_reschedule();
}

static void say_all(void) {
  errno = ENOENT;
  warn("a %s with %d", "warning", 5);
  EXPECT(errno == ENOENT);
  warn(NULL);
  warnx("%s", "without a reason");
  warnx(NULL);
  errno = 12345;
  warn("%m, and");
}

/* With a standard error for bytes (-1), for wide characters (1), or for neither yet: only perror leaves it so. */
static int orientation, two_way;
static void say_oriented(int unused) {
  (void)unused;
  if (orientation)
    fwide(stderr, orientation);
  errno = EPIPE;
  perror("perror");
  dprintf(2, "orientation %d\n", fwide(stderr, 0));
  psignal(SIGTERM, "psignal");
  dprintf(2, "orientation %d\n", fwide(stderr, 0));
  errno = ENOENT;
  warn("a %s", "warning");
  _exit(ferror(stderr) ? 5 : 6);
}

static void ends(int how) {
  errno = EPERM;
  if (how == 0)
    err(3, "the end %d", 1);
  if (how == 1)
    errx(4, "the end %d", 2);
}

/* Into what a child writes to its standard error; its exit status. */
static int run(void (*body)(int), int how, bool alone, char *text, size_t n) {
  int p[2], status;
  size_t used = 0;
  EXPECT((two_way ? socketpair(AF_UNIX, SOCK_STREAM, 0, p) : pipe(p)) == 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(p[1], 2);
    if (!alone)
      not_alone();
    if (body != say_oriented)
      say_all();
    body(how);
    _exit(99);
  }
  close(p[1]);
  for (ssize_t r; (r = read(p[0], text + used, n - 1 - used)) > 0;)
    used += (size_t)r;
  text[used] = 0;
  close(p[0]);
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(lines_and_ends_are_the_c_librarys) {
  for (int how = 0; how < 2; how++) {
    char plain[1000], ours[1000];
    EXPECT(run(ends, how, true, plain, sizeof plain) == 3 + how && strstr(plain, "a warning with 5: No such file"));
    EXPECT(run(ends, how, false, ours, sizeof ours) == 3 + how);
    EXPECT(strcmp(plain, ours) == 0);
  }
}

TEST(messages_follow_the_orientation_of_the_stream) {
  for (int i = 0; i < 6; i++) {
    orientation = i % 3 - 1, two_way = i / 3;
    char plain[1000], ours[1000];
    EXPECT(run(say_oriented, 0, true, plain, sizeof plain) == 6 && strstr(plain, "perror: Broken pipe\n"));
    EXPECT(run(say_oriented, 0, false, ours, sizeof ours) == 6);
    EXPECT(strcmp(plain, ours) == 0);
  }
}

TEST(who_warns_into_a_full_pipe_waits_and_others_go_on) {
  int p[2], kept = dup(2);
  static char some[65536], got[70000];
  EXPECT(pipe(p) == 0 && write(p[1], some, sizeof some) == sizeof some && dup2(p[1], 2) == 2);
  do {
    async warnx("%s", "at last");
    size_t n = 0;
    while (!memmem(got, n, "at last\n", 8))
      n += (size_t)read(p[0], got + n, sizeof got - n);
  }
  finish;
  dup2(kept, 2);
}

TEST(a_fifo_is_opened_as_a_stream_while_others_go_on) {
  char line[100] = "";
  FILE *in = NULL, *out = NULL;
  EXPECT(mkfifo("fifo", 0600) == 0);
  do {
    async in = fopen("fifo", "re");
    out = fopen("fifo", "w");
  }
  finish;
  EXPECT(in && out && fcntl(fileno(in), F_GETFD) == FD_CLOEXEC && fcntl(fileno(out), F_GETFD) == 0);
  EXPECT(fprintf(out, "a line\n") == 7 && fflush(out) == 0 && fgets(line, 100, in) && strcmp(line, "a line\n") == 0);
  EXPECT(fclose(in) == 0 && fclose(out) == 0);
  in = out;
  int error = 0;
  do {
    async {
      in = fopen("fifo", "r");
      error = errno;
    }
    ch_sleep(20000000);
    cancel;
  }
  finish;
  EXPECT(!in && error == ECANCELED);
  EXPECT(open("fifo", O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO); /* no reader has stayed behind */
  not_alone();
  EXPECT(!fopen("nothing", "r") && errno == ENOENT && !fopen("fifo", "x") && errno == EINVAL);
  in = fopen("file", "w+");
  EXPECT(in && fputs("abc", in) >= 0 && fclose(in) == 0);
  unlink("file");
  unlink("fifo");
  exit(0);
}

TEST(a_log_has_no_way_to_say_that_it_was_cancelled) {
  not_alone();
  openlog("test", LOG_PERROR, LOG_USER);
  int p[2], kept = dup(2);
  char line[100] = "";
  EXPECT(pipe(p) == 0 && dup2(p[1], 2) == 2);
  do {
    cancel;
    errno = ENOENT;
    syslog(LOG_NOTICE, "%s: %m", "a note");
    EXPECT(errno == ENOENT);
  }
  finish;
  dup2(kept, 2);
  EXPECT(read(p[0], line, sizeof line - 1) > 0 && strcmp(line, "test: a note: No such file or directory\n") == 0);
  exit(0);
}
