/* Tests stdio among activities: a call that has to wait suspends its own activity only, however often it waits; its
 * bytes stay together; and if it is cancelled it has had no effect, or its whole effect. Nothing here sleeps to arrange
 * an order. A call that stops the whole domain waits for ever, and the alarm ends the test. */
#include "harness.h"
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

static void let_others_run(void) {
  for (int i = 0; i < 60; i++)
    ch_reschedule();
}

struct ends {
  int in;
  FILE *out;
};
/* A pipe or a local connection with little room; what lies in it at first is not counted. */
static struct ends make(int kind, int mode) {
  int p[2];
  alarm(100);
  EXPECT(kind == 0 ? pipe(p) == 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0);
  if (kind == 0)
    EXPECT(fcntl(p[1], F_SETPIPE_SZ, 4096) == 4096);
  FILE *f = fdopen(p[1], "w");
  EXPECT(f && setvbuf(f, NULL, mode, BUFSIZ) == 0);
  return (struct ends){p[0], f};
}

/* Fills it up, past the FILE. */
static size_t fill(FILE *f) {
  char b[1000];
  size_t all = 0;
  memset(b, '.', sizeof b);
  for (ssize_t n = sizeof b; n > 0; n = n > 1 ? n / 2 : 0) {
    for (;;) {
      ssize_t r = send(fileno(f), b, (size_t)n, MSG_DONTWAIT);
      if (r < 0 && errno == ENOTSOCK) {
        fcntl(fileno(f), F_SETFL, O_WRONLY | O_NONBLOCK);
        r = write(fileno(f), b, (size_t)n);
        fcntl(fileno(f), F_SETFL, O_WRONLY);
      }
      if (r <= 0)
        break;
      all += (size_t)r;
    }
  }
  return all;
}

static char *take(int fd, size_t *n) {
  size_t room = 1 << 22;
  char *all = malloc(room);
  ssize_t r;
  *n = 0;
  while ((r = read(fd, all + *n, room - *n)) > 0)
    *n += (size_t)r;
  return all;
}

static const int modes[] = {_IOFBF, _IOLBF, _IONBF};

static int vprint(FILE *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vfprintf(f, format, list);
  va_end(list);
  return r;
}

/* Every way to print, many times, into something that takes 4 kB at a time. */
static void print_everything(FILE *f) {
  static char big[50000];
  memset(big, 'x', sizeof big);
  for (int i = 0; i < 40; i++) {
    EXPECT(fprintf(f, "%d %s|", i, "a text") > 0);
    EXPECT(vprint(f, "%0500d\n", i) == 501);
    EXPECT(fputs("some more\nand more", f) >= 0);
    EXPECT(putc('y', f) == 'y' && fputc(200, f) == 200);
    EXPECT(fwrite(big, 100, 120 + (size_t)i, f) == 120 + (size_t)i);
    EXPECT(fprintf(f, "%.*s\n", i * 300, big) == i * 300 + 1);
    EXPECT(fputs("", f) >= 0 && fwrite(big, 0, 5, f) == 0);
    if (i % 8 == 0)
      EXPECT(fflush(f) == 0);
  }
  EXPECT(fwrite(big, 1, sizeof big, f) == sizeof big);
}

TEST(printing_waits_and_loses_nothing) {
  FILE *plain = tmpfile();
  print_everything(plain);
  size_t expected = (size_t)ftell(plain), n;
  char *want = malloc(expected);
  rewind(plain);
  EXPECT(fread(want, 1, expected, plain) == expected);
  for (int kind = 0; kind < 2; kind++)
    for (int m = 0; m < 3; m++) {
      struct ends e = make(kind, modes[m]);
      ch_activity printer;
      activate[&printer] {
        print_everything(e.out);
        EXPECT(fclose(e.out) == 0);
      }
      let_others_run();
      EXPECT(!ch_activity_finished(&printer));
      char *got = take(e.in, &n);
      EXPECT(n == expected && memcmp(got, want, n) == 0);
      ch_activity_wait(&printer);
      free(got);
      close(e.in);
    }
}

TEST(puts_and_printf_wait_for_stdout) {
  struct ends e = make(0, _IOFBF);
  EXPECT(dup2(fileno(e.out), 1) == 1 && fclose(e.out) == 0);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  ch_activity printer;
  activate[&printer] {
    for (int i = 0; i < 1000; i++) {
      EXPECT(puts("a line of text") == 15 && printf("%d\n", i) > 0 && putchar('z') == 'z');
      EXPECT(dprintf(1, "") == 0);
    }
    fflush(stdout);
    close(1);
  }
  size_t n;
  char *got = take(e.in, &n);
  EXPECT(n == 1000 * 16 + 2890 + 1000);
  free(got);
  ch_activity_wait(&printer);
}

TEST(dprintf_waits) {
  struct ends e = make(0, _IOFBF);
  static char big[100001];
  memset(big, 'd', 100000);
  ch_activity printer;
  activate[&printer] {
    EXPECT(dprintf(fileno(e.out), "%s!\n", big) == 100002);
    fclose(e.out);
  }
  let_others_run();
  size_t n;
  char *got = take(e.in, &n);
  EXPECT(n == 100002 && got[100000] == '!');
  free(got);
}

/* A FILE is locked for the length of a call. */
TEST(the_bytes_of_one_call_stay_together) {
  enum { ACTIVITIES = 5, LINES = 20, LENGTH = 6000 };
  for (int m = 0; m < 3; m++) {
    struct ends e = make(0, modes[m]);
    int left = ACTIVITIES;
    for (int a = 0; a < ACTIVITIES; a++)
      activate(a) {
        char *line = malloc(LENGTH);
        memset(line, 'a' + a, LENGTH - 1);
        line[LENGTH - 1] = 0;
        for (int i = 0; i < LINES; i++)
          switch (i % 3) {
          case 0:
            EXPECT(fprintf(e.out, "%s\n", line) == LENGTH);
            break;
          case 1:
            line[LENGTH - 1] = '\n';
            EXPECT(fwrite(line, LENGTH, 1, e.out) == 1);
            line[LENGTH - 1] = 0;
            break;
          case 2:
            flockfile(e.out);
            EXPECT(fputs(line, e.out) >= 0);
            EXPECT(putc('\n', e.out) == '\n');
            funlockfile(e.out);
          }
        free(line);
        if (--left == 0)
          fclose(e.out);
      }
    size_t n;
    char *got = take(e.in, &n);
    EXPECT(n == ACTIVITIES * LINES * LENGTH);
    for (size_t i = 0; i < n; i += LENGTH) {
      for (int k = 1; k < LENGTH - 1; k++)
        EXPECT(got[i + (size_t)k] == got[i]);
      EXPECT(got[i + LENGTH - 1] == '\n');
    }
    free(got);
    close(e.in);
  }
}

/* Exactly what the calls have said is what arrives. */
TEST(output_that_is_cancelled_is_whole_or_nothing) {
  for (int kind = 0; kind < 2; kind++)
    for (int m = 0; m < 3; m++)
      for (int after = 0; after < 40; after++) {
        struct ends e = make(kind, modes[m]);
        ch_activity printer;
        size_t said = 0, n, taken = 0;
        int refused = 0;
        static char block[3000];
        memset(block, 'b', sizeof block);
        activate[&printer] {
          while (!refused) {
            errno = 0;
            size_t r = fwrite(block, 1, sizeof block, e.out);
            EXPECT(r == sizeof block || (r == 0 && errno == ECANCELED));
            said += r;
            errno = 0;
            int p = r ? fprintf(e.out, "%s\n%d", "text", 12345) : 0;
            EXPECT(p == 10 || (p <= 0 && (!r || errno == ECANCELED)));
            said += p > 0 ? 10 : 0;
            refused = r == 0 || p < 0;
          }
        }
        char b[997];
        for (int i = 0; i < after; i++) {
          ssize_t r = read(e.in, b, sizeof b);
          if (r > 0)
            taken += (size_t)r;
        }
        let_others_run();
        ch_activity_cancel(&printer);
        ch_activity_wait(&printer);
        EXPECT(refused);
        clearerr(e.out);
        activate[&printer] { EXPECT(fclose(e.out) == 0); }
        free(take(e.in, &n));
        ch_activity_wait(&printer);
        EXPECT(taken + n == said);
        close(e.in);
      }
}

TEST(a_cancelled_flush_keeps_what_has_not_gone) {
  struct ends e = make(0, _IOFBF);
  size_t before = fill(e.out), n;
  EXPECT(fputs("kept", e.out) >= 0);
  int r = 0;
  within(1000000) do { r = fflush(e.out); }
  finish;
  EXPECT(r == EOF && errno == ECANCELED);
  do {
    cancel;
    EXPECT(fprintf(e.out, "%s", " and printed") == 12); /* room in the buffer: nothing has to wait */
    EXPECT(fflush(e.out) == EOF && errno == ECANCELED);
  }
  finish;
  clearerr(e.out);
  ch_activity closer;
  activate[&closer] { EXPECT(fclose(e.out) == 0); }
  char *got = take(e.in, &n);
  EXPECT(n == before + 16 && memcmp(got + before, "kept and printed", 16) == 0);
  ch_activity_wait(&closer);
}

TEST(in_a_cancelled_scope_what_need_not_wait_is_printed) {
  struct ends e = make(0, _IONBF);
  char b[10];
  do {
    cancel;
    EXPECT(fprintf(e.out, "%s", "here") == 4);
  }
  finish;
  EXPECT(read(e.in, b, 10) == 4);
}

TEST(closing_a_stream_is_never_refused) {
  struct ends e = make(0, _IOFBF);
  size_t before = fill(e.out), n;
  EXPECT(fputs("lost, and said so", e.out) >= 0);
  do {
    cancel;
    EXPECT(fclose(e.out) == EOF && errno == ECANCELED);
  }
  finish;
  free(take(e.in, &n)); /* it ends: nobody has the other side any more */
  EXPECT(n == before);
}

TEST(exit_writes_out_while_others_run) {
  struct ends e = make(0, _IOFBF);
  fill(e.out);
  EXPECT(fputs("the last words", e.out) >= 0);
  activate {
    size_t n;
    free(take(e.in, &n));
  }
  exit(0);
}

TEST(exit_needs_no_lock) {
  FILE *f = tmpfile();
  ch_sem never = CH_SEM_INIT(0);
  EXPECT(fputs("pending", f) >= 0);
  activate {
    flockfile(f);
    ch_sem_wait(&never);
  }
  let_others_run();
  exit(0);
}

TEST(flush_of_all_streams_waits) {
  struct ends e = make(0, _IOFBF), g = make(1, _IOFBF);
  fill(e.out);
  fill(g.out);
  EXPECT(fputs("one", e.out) >= 0 && fputs("two", g.out) >= 0);
  ch_activity a, b;
  size_t n, m;
  activate[&a] { free(take(e.in, &n)); }
  activate[&b] { free(take(g.in, &m)); }
  EXPECT(fflush(NULL) == 0);
  fclose(e.out);
  fclose(g.out);
  ch_activity_wait(&a);
  ch_activity_wait(&b);
}

TEST(an_error_is_told_as_by_the_plain_calls) {
  struct ends e = make(0, _IONBF);
  signal(SIGPIPE, SIG_IGN);
  close(e.in);
  EXPECT(fprintf(e.out, "%d", 5) == -1 && errno == EPIPE && ferror(e.out));
  clearerr(e.out);
  EXPECT(fwrite("abc", 1, 3, e.out) == 0 && errno == EPIPE);
  EXPECT(fputs("abc", e.out) == EOF && putc('c', e.out) == EOF);
  EXPECT(fclose(e.out) == 0);
  e = make(0, _IOFBF);
  close(e.in);
  EXPECT(fputs("abc", e.out) >= 0 && fflush(e.out) == EOF && errno == EPIPE);
  EXPECT(fclose(e.out) == 0);
  FILE *in = fopen("/dev/null", "r");
  EXPECT(fputs("abc", in) == EOF && errno == EBADF);
  EXPECT(fprintf(in, "abc") == -1 && errno == EBADF);
  fclose(in);
}

static int closed_with_seven(void *cookie) { return 7 * *(int *)cookie; }
TEST(closing_a_stream_returns_what_the_users_own_function_returns) {
  int one = 1;
  FILE *f = fopencookie(&one, "w", (cookie_io_functions_t){.close = closed_with_seven});
  EXPECT(fclose(f) == 7);
}

TEST(what_has_been_taken_of_a_block_is_told) {
  struct rlimit limit = {10000, RLIM_INFINITY};
  static char block[20000];
  ch_sem never;
  signal(SIGXFSZ, SIG_IGN);
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  FILE *f = fopen("limited", "w");
  EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  EXPECT(fwrite(block, 2, 10000, f) == 5000 && errno == EFBIG && ferror(f));
  fclose(f);
  f = fopen("limited", "a");
  setvbuf(f, NULL, _IOLBF, BUFSIZ);
  EXPECT(fputs("a line\n", f) == EOF && printf("%s", "") == 0 && fprintf(f, "%d\n", 5) == -1 && ferror(f));
  unlink("limited");
  exit(0);
}

/* Whose pipe is broken when it is closed dies of it. */
TEST(the_signal_of_a_broken_pipe_comes_from_pclose) {
  for (int alone = 0; alone < 2; alone++) {
    int status;
    siginfo_t end;
    ch_sem never;
    ch_sem_init(&never, 0);
    pid_t child = fork();
    if (child == 0) {
      signal(SIGPIPE, SIG_DFL);
      if (!alone)
        activate { ch_sem_wait(&never); }
      FILE *f = popen("exit 0", "w");
      fputs("abc", f);
      waitid(P_ALL, 0, &end, WEXITED | WNOWAIT);
      pclose(f);
      _exit(1);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
  }
}

/* ---- input ---- */

struct source {
  FILE *in;
  int out;
};
static struct source source(int kind) {
  int p[2];
  alarm(100);
  EXPECT(kind == 0 ? pipe(p) == 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0);
  return (struct source){fdopen(p[0], "r"), p[1]};
}

/* Sends the text in pieces, each when everybody who could run has run. */
static void send_pieces(int fd, const char *text, size_t n, size_t piece) {
  for (size_t i = 0; i < n; i += piece) {
    let_others_run();
    size_t k = piece < n - i ? piece : n - i;
    EXPECT(write(fd, text + i, k) == (ssize_t)k);
  }
}

TEST(input_in_pieces_is_waited_for_again) {
  static const char text[] = "first line\nsecond 17 0x1f 2.5e3 word\nabcdefghijklmnopqrstuvwxyz;tail of it";
  for (int kind = 0; kind < 2; kind++)
    for (size_t piece = 1; piece < 12; piece++)
      for (int unbuffered = 0; unbuffered < 2; unbuffered++) {
        struct source s = source(kind);
        ch_activity reader;
        if (unbuffered)
          setvbuf(s.in, NULL, _IONBF, 0);
        activate[&reader] {
          char b[100], *line = NULL, *allocated = NULL;
          size_t room = 0;
          unsigned x = 0;
          int d = 0;
          float f = 0;
          EXPECT(fgets(b, 6, s.in) == b && strcmp(b, "first") == 0);
          EXPECT(getc(s.in) == ' ' && ungetc('+', s.in) == '+');
          EXPECT(fgets(b, 100, s.in) == b && strcmp(b, "+line\n") == 0);
          EXPECT(fscanf(s.in, "%s %d %x %f %ms", b, &d, &x, &f, &allocated) == 5);
          EXPECT(strcmp(b, "second") == 0 && d == 17 && x == 31 && f == 2500 && strcmp(allocated, "word") == 0);
          EXPECT(getline(&line, &room, s.in) == 1 && *line == '\n');
          EXPECT(fread(b, 5, 2, s.in) == 2 && memcmp(b, "abcdefghij", 10) == 0);
          EXPECT(getdelim(&line, &room, ';', s.in) == 17 && strcmp(line, "klmnopqrstuvwxyz;") == 0);
          EXPECT(getline(&line, &room, s.in) == 10 && strcmp(line, "tail of it") == 0 && feof(s.in));
          EXPECT(getline(&line, &room, s.in) == -1 && getc(s.in) == EOF && !ferror(s.in));
          free(line);
          free(allocated);
          fclose(s.in);
        }
        send_pieces(s.out, text, sizeof text - 1, piece);
        close(s.out);
        ch_activity_wait(&reader);
      }
}

TEST(what_was_put_back_comes_before_what_is_there) {
  static char b[20000], text[9000];
  struct source s = source(0);
  ch_activity reader;
  activate[&reader] {
    EXPECT(getc(s.in) == 'a' && ungetc('Z', s.in) == 'Z' && ungetc('Y', s.in) == 'Y');
    EXPECT(fread(b, 1, 4, s.in) == 4 && memcmp(b, "YZbc", 4) == 0);
    EXPECT(ungetc('X', s.in) == 'X' && fgets(b, 100, s.in) && strcmp(b, "Xd\n") == 0);
    EXPECT(ungetc('W', s.in) == 'W' && fread(b, 1, 9003, s.in) == 9003 && memcmp(b, "Wef0", 4) == 0);
    fclose(s.in);
  }
  EXPECT(write(s.out, "abcd\nef", 7) == 7);
  let_others_run(); /* all that was read until now was there */
  memset(text, '0', sizeof text);
  EXPECT(write(s.out, text, sizeof text) == sizeof text);
  ch_activity_wait(&reader);
}

TEST(the_end_of_input_is_no_error) {
  struct source s = source(0);
  ch_activity reader;
  activate[&reader] {
    char b[10], *line = NULL;
    size_t room = 0;
    errno = 0;
    EXPECT(getline(&line, &room, s.in) == 2 && errno == 0 && fscanf(s.in, "%s", b) == 1 && errno == 0);
    EXPECT(getline(&line, &room, s.in) == -1 && errno == 0 && feof(s.in) && !ferror(s.in));
    free(line);
  }
  send_pieces(s.out, "a\nbc", 4, 1);
  let_others_run();
  close(s.out);
  ch_activity_wait(&reader);
}

TEST(a_non_blocking_stream_gives_what_is_there) {
  struct source s = source(0);
  ch_sem never;
  char b[10], *line = NULL;
  size_t room = 0;
  int i;
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  fcntl(fileno(s.in), F_SETFL, O_NONBLOCK);
  EXPECT(write(s.out, "abc", 3) == 3 && fgets(b, 10, s.in) && strcmp(b, "abc") == 0 && ferror(s.in));
  clearerr(s.in);
  EXPECT(write(s.out, "de", 2) == 2 && getline(&line, &room, s.in) == 2 && strcmp(line, "de") == 0);
  EXPECT(write(s.out, "17", 2) == 2 && fscanf(s.in, "%d", &i) == 1 && i == 17);
  EXPECT(getc(s.in) == EOF && errno == EAGAIN && !feof(s.in));
  exit(0);
}

/* What stands in the way of a plain call stands in ours: the same formats, from a file by the plain call's rules. */
struct scanned {
  int result;
  char text[3][64];
  long numbers[3];
  int rest;
};
static void scan_with(FILE *f, const char *format, struct scanned *s) {
  memset(s, 0, sizeof *s);
  if (strstr(format, "%s") || strchr(format, '[') || strchr(format, 'c'))
    s->result = fscanf(f, format, s->text[0], s->text[1], s->text[2]);
  else
    s->result = fscanf(f, format, &s->numbers[0], &s->numbers[1], &s->numbers[2]);
  s->rest = getc(f);
}

TEST(scanf_reads_what_the_plain_one_reads) {
  static const char *formats[] = {
      "%ld%ld",       "%ld,%ld",     "%3ld%3ld", " x%ld",    "%s%s",   "%5s",      "%[^\n]%*c",
      "%[a-z]%[0-9]", "%c%c%c",      "%%%s",     "%*d%s",    "%ld %n", "",         " ",
      "lit %s",       "%2$s%1$s",    "%[]a]%s",  "%[^]a]%s", "%li%li", "%lx",      "%lo %lx",
      "\n%s\n",       "%ld%*[ ]%ld", "%1s%n%s",  "%10c",     "%ld%%",  "%*s%*s%s", "%s %*c%s"};
  static const char *inputs[] = {"12 34\n",
                                 "12,34",
                                 "123456 7",
                                 "x5y",
                                 "  word other\nthird",
                                 "abc123",
                                 "%x y",
                                 "lit eral",
                                 "]a]b",
                                 "",
                                 "\n",
                                 " ",
                                 "0x1g",
                                 "-",
                                 "+7 -8 9",
                                 "0777 ff",
                                 "5%",
                                 "a\nb\nc",
                                 "18446744073709551617 1"};
  int seen = 0;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
      for (size_t piece = 1; piece <= 4; piece += 3) {
        struct scanned want, got;
        size_t n = strlen(inputs[k]);
        FILE *f = tmpfile();
        fwrite(inputs[k], 1, n, f);
        rewind(f);
        scan_with(f, formats[i], &want);
        fclose(f);
        struct source s = source(0);
        ch_activity reader;
        activate[&reader] { scan_with(s.in, formats[i], &got); }
        send_pieces(s.out, inputs[k], n, piece);
        close(s.out);
        ch_activity_wait(&reader);
        fclose(s.in);
        if (memcmp(&want, &got, sizeof want)) {
          fprintf(stderr, "\"%s\" of \"%s\": %d, then %d; expected %d, then %d\n", formats[i], inputs[k], got.result,
                  got.rest, want.result, want.rest);
          _exit(1);
        }
        seen += want.result > 0;
      }
  EXPECT(seen > 100);
}

TEST(scanf_takes_no_more_than_it_needs) {
  struct source s = source(0);
  int x = 0;
  char b[10];
  EXPECT(write(s.out, "12\n", 3) == 3);
  EXPECT(fscanf(s.in, "%d", &x) == 1 && x == 12); /* the end of the number is there */
  EXPECT(fscanf(s.in, "%*1[\n]") == 0);           /* and no more is asked for than there is */
  EXPECT(write(s.out, "abc", 3) == 3);
  EXPECT(fscanf(s.in, "%3s", b) == 1 && strcmp(b, "abc") == 0);
  EXPECT(write(s.out, "line\n", 5) == 5);
  EXPECT(fscanf(s.in, "%9[^\n]%*c", b) == 1 && strcmp(b, "line") == 0);
}

TEST(input_that_is_cancelled_takes_nothing) {
  for (int kind = 0; kind < 2; kind++) {
    struct source s = source(kind);
    char b[100] = "", *line = NULL;
    size_t room = 0, n = 9;
    int x = 0, r = 9;
    EXPECT(write(s.out, "12 ab", 5) == 5);
#define CANCELLED(set, condition)                                                                                      \
  do {                                                                                                                 \
    ch_activity reader;                                                                                                \
    int error = 0;                                                                                                     \
    activate[&reader] {                                                                                                \
      set;                                                                                                             \
      error = errno;                                                                                                   \
    }                                                                                                                  \
    let_others_run();                                                                                                  \
    EXPECT(!ch_activity_finished(&reader));                                                                            \
    ch_activity_cancel(&reader);                                                                                       \
    ch_activity_wait(&reader);                                                                                         \
    EXPECT(condition && error == ECANCELED && ferror(s.in));                                                           \
    clearerr(s.in);                                                                                                    \
  } while (0)
    char *p = b;
    ssize_t l = 0;
    CANCELLED(p = fgets(b, 100, s.in), p == NULL);
    CANCELLED(l = getline(&line, &room, s.in), l == -1);
    CANCELLED(r = fscanf(s.in, "%d %50[a-z]!", &x, b), r == EOF && x == 0);
    CANCELLED(n = fread(b, 10, 3, s.in), n == 0);
    EXPECT(write(s.out, "cdefgh", 6) == 6);
    CANCELLED(n = fread(b, 5, 3, s.in), n == 2 && memcmp(b, "12 abcdefg", 10) == 0);
    EXPECT(write(s.out, "\n", 1) == 1);
    EXPECT(fgets(b, 100, s.in) == b && strcmp(b, "h\n") == 0);
    CANCELLED(r = getc(s.in), r == EOF);
    EXPECT(write(s.out, "z", 1) == 1 && getc(s.in) == 'z');
    static char big[200000];
    EXPECT(write(s.out, "0123456789", 10) == 10);
    CANCELLED(n = fread(big, 7, sizeof big / 7, s.in), n == 1 && memcmp(big, "0123456", 7) == 0);
    EXPECT(write(s.out, "\n", 1) == 1 && fgets(b, 100, s.in) == b && strcmp(b, "789\n") == 0);
    free(line);
    fclose(s.in);
    close(s.out);
  }
}

TEST(each_reader_of_a_stream_gets_whole_lines) {
  struct source s = source(0);
  enum { READERS = 4, LINES = 200 };
  int got = 0;
  ch_activity readers[READERS];
  for (int i = 0; i < READERS; i++)
    activate[&readers[i]] {
      char b[100];
      while (fgets(b, sizeof b, s.in)) {
        EXPECT(strlen(b) == 21 && strncmp(b, "line number ", 12) == 0);
        got++;
      }
    }
  for (int i = 0; i < LINES; i++) {
    char b[100];
    int n = snprintf(b, sizeof b, "line number %08d\n", i);
    send_pieces(s.out, b, (size_t)n, 8);
  }
  close(s.out);
  for (int i = 0; i < READERS; i++)
    ch_activity_wait(&readers[i]);
  EXPECT(got == LINES);
}

TEST(a_long_line_comes_whole) {
  struct source s = source(0);
  ch_activity reader;
  enum { LENGTH = 3000000 };
  activate[&reader] {
    char *line = NULL, b[10];
    size_t room = 0;
    EXPECT(getline(&line, &room, s.in) == LENGTH + 1 && line[0] == 'l' && line[LENGTH - 1] == 'l');
    EXPECT(fgets(b, 10, s.in) == b && strcmp(b, "next") == 0);
    free(line);
  }
  char *text = malloc(LENGTH + 5);
  memset(text, 'l', LENGTH);
  memcpy(text + LENGTH, "\nnext", 5);
  EXPECT(write(s.out, text, LENGTH + 5) == LENGTH + 5);
  close(s.out);
  ch_activity_wait(&reader);
  free(text);
}

TEST(unbuffered_input_is_not_read_ahead) {
  struct source s = source(0);
  char b[100];
  int x;
  setvbuf(s.in, NULL, _IONBF, 0);
  EXPECT(write(s.out, "one\n2 three", 11) == 11);
  EXPECT(fgets(b, 100, s.in) == b && strcmp(b, "one\n") == 0);
  EXPECT(fscanf(s.in, "%d%*c", &x) == 1 && x == 2);
  EXPECT(read(fileno(s.in), b, 100) == 5 && memcmp(b, "three", 5) == 0);
}

TEST(a_question_is_shown_before_its_answer_is_waited_for) {
  int out[2], in[2];
  alarm(100);
  EXPECT(pipe(out) == 0 && pipe(in) == 0 && dup2(out[1], 1) == 1 && dup2(in[0], 0) == 0);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  setvbuf(stdin, NULL, _IONBF, 0);
  ch_activity asker;
  char answer[10], question[20];
  activate[&asker] {
    printf("question? ");
    EXPECT(fgets(answer, 10, stdin) == answer && strcmp(answer, "yes\n") == 0);
  }
  EXPECT(read(out[0], question, 20) == 10);
  EXPECT(write(in[1], "yes\n", 4) == 4);
  ch_activity_wait(&asker);
}

TEST(a_locked_stream_is_its_activitys_alone) {
  struct ends e = make(0, _IONBF);
  ch_activity other;
  size_t n;
  flockfile(e.out);
  flockfile(e.out);
  EXPECT(fputs("mine ", e.out) >= 0);
  activate[&other] {
    EXPECT(ftrylockfile(e.out) != 0);
    fputs("other", e.out);
  }
  let_others_run();
  EXPECT(fputs("mine ", e.out) >= 0);
  funlockfile(e.out);
  let_others_run();
  EXPECT(fputs("mine ", e.out) >= 0);
  funlockfile(e.out);
  ch_activity_wait(&other);
  fclose(e.out);
  char *got = take(e.in, &n);
  EXPECT(n == 20 && memcmp(got, "mine mine mine other", 20) == 0);
}

/* A real thread in a call keeps activities out, and they wait for it. */
static void *print_plainly(void *stream) {
  static char big[20000];
  memset(big, 't', sizeof big);
  if (fwrite(big, 1, sizeof big, stream) != sizeof big)
    abort();
  return NULL;
}
TEST(a_thread_in_a_call_is_waited_for) {
  struct ends e = make(0, _IONBF);
  pthread_t t;
  ch_activity printer;
  size_t n;
  EXPECT(pthread_create(&t, NULL, print_plainly, e.out) == 0);
  char b[1];
  EXPECT(read(e.in, b, 1) == 1); /* it is inside */
  activate[&printer] {
    EXPECT(fputs("after it", e.out) >= 0);
    fclose(e.out);
  }
  char *got = take(e.in, &n);
  EXPECT(n == 20007 && memcmp(got + 19999, "after it", 8) == 0);
  ch_activity_wait(&printer);
  pthread_join(t, NULL);
}

/* The lock inside a stream is no wait that a cancel ends: the program does not even see it. */
static FILE *shared;
static int locked;
static void *has_it(void *none) {
  flockfile(shared);
  __atomic_store_n(&locked, 1, __ATOMIC_SEQ_CST);
  struct timespec t = {0, 50000000};
  nanosleep(&t, NULL);
  funlockfile(shared);
  return none;
}
TEST(a_cancelled_scope_prints_although_another_thread_is_in_the_stream) {
  pthread_t t;
  ch_sem never = CH_SEM_INIT(0);
  activate { ch_sem_wait(&never); }
  shared = tmpfile();
  EXPECT(pthread_create(&t, NULL, has_it, NULL) == 0);
  while (!__atomic_load_n(&locked, __ATOMIC_SEQ_CST))
    ch_reschedule();
  do {
    cancel;
    EXPECT(fprintf(shared, "%d\n", 5) == 2 && fputs("abc", shared) >= 0);
  }
  finish;
  EXPECT(pthread_join(t, NULL) == 0 && ftell(shared) == 5);
  exit(0);
}
