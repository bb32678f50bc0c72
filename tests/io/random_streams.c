/* Random programs over streams of every kind and mode: what each call returns, errno, the stream's marks and position,
 * and which bytes arrive. Compiled by clang this makes the plain calls, with threads as the other side; compiled by
 * charcoal-cc it makes the replacements of the runtime, with activities as the other side, which send their bytes in
 * pieces and take them late. The outputs have to be equal. Runs in an empty folder: random_streams FIRST COUNT. */
#define _GNU_SOURCE
#ifdef __CHARCOAL__
#include <charcoal.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static unsigned long state;
static unsigned below(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}
static int chance(unsigned percent) { return below(100) < percent; }

/* ---- the log: a line a call ---- */

static FILE *log_file;
static unsigned long hash_of(const void *data, size_t n) {
  const unsigned char *p = data;
  unsigned long h = 14695981039346656037ul;
  while (n--)
    h = (h ^ *p++) * 1099511628211ul;
  return h;
}
static void say(const char *format, ...) {
  va_list more;
  va_start(more, format);
  vfprintf(log_file, format, more);
  va_end(more);
}

/* ---- the other side ----
 *
 * Bytes for the stream's input go the way `to_stream`; what it puts out is taken from `from_stream`. */

enum kind {
  FILE_ON_DISK,
  PIPE_IN,
  PIPE_OUT,
  SOCKET,
  FIFO,
  TERMINAL,
  MEMORY,
  GROWING,
  COOKIE,
  NULL_DEVICE,
  FULL_DEVICE,
  KINDS
};
static const char *const kind_names[] = {"file",   "pipe in", "pipe out", "socket", "fifo", "terminal",
                                         "memory", "growing", "cookie",   "null",   "full"};
static enum kind kind;
static int to_stream, from_stream;
static FILE *f;
static int may_read, may_write, by_lines;

/* What the stream has not yet handed out, as far as it has been sent. */
static char unread[1 << 20];
static size_t unread_from, unread_to;
static size_t unread_bytes(void) { return unread_to - unread_from; }
static int unread_has_line(void) { return memchr(unread + unread_from, '\n', unread_bytes()) != NULL; }
static int ended; /* the other side sends no more: to be met as the end of the file */

static int waits_for_peer(void) { return kind == PIPE_IN || kind == SOCKET || kind == FIFO || kind == TERMINAL; }

#ifdef __CHARCOAL__
static ch_activity sender, taker;
static int sending;
static void join_sender(void) {
  if (sending)
    ch_activity_wait(&sender);
  sending = 0;
}
static unsigned long pieces = 1; /* not drawn from `state`: the plain program draws the same calls */
static void send_bytes(const char *bytes, size_t n) {
  join_sender();
  char *copy = malloc(n + 1);
  memcpy(copy, bytes, n);
  sending = 1;
  activate[&sender](copy, n) {
    size_t sent = 0;
    while (sent < n) {
      pieces = pieces * 6364136223846793005ul + 1442695040888963407ul;
      size_t piece = 1 + (pieces >> 33) % (n < 20 ? n : n / 3);
      if (piece > n - sent)
        piece = n - sent;
      ssize_t r = write(to_stream, copy + sent, piece);
      if (r <= 0)
        break;
      sent += (size_t)r;
      for (int i = 0; i < 3; i++)
        ch_reschedule();
    }
    free(copy);
  }
}
#else
static void join_sender(void) {}
static void send_bytes(const char *bytes, size_t n) {
  if (write(to_stream, bytes, n) != (ssize_t)n)
    say("the other side could not send\n");
}
static pthread_t taker;
#endif

/* Takes everything that is put out until the stream is closed, so that no output waits for ever. */
static size_t taken;
static unsigned long taken_hash;
static void take_all(void) {
  static char b[8192];
  ssize_t n;
  unsigned long h = 14695981039346656037ul;
  taken = 0;
  while ((n = read(from_stream, b, sizeof b)) > 0) {
    for (ssize_t i = 0; i < n; i++)
      h = (h ^ (unsigned char)b[i]) * 1099511628211ul;
    taken += (size_t)n;
  }
  taken_hash = h;
}
#ifndef __CHARCOAL__
static void *take_in_thread(void *unused) { return take_all(), unused; }
#endif
static int taking;
static void start_taker(void) {
  taking = 1;
#ifdef __CHARCOAL__
  activate[&taker] { take_all(); }
#else
  pthread_create(&taker, NULL, take_in_thread, NULL);
#endif
}
static void join_taker(void) {
  if (!taking)
    return;
#ifdef __CHARCOAL__
  ch_activity_wait(&taker);
#else
  pthread_join(taker, NULL);
#endif
  taking = 0;
  say("arrived %zu bytes, %lx\n", taken, taken_hash);
}

/* ---- a stream of the caller's own ---- */

static char cookie_bytes[4096];
static size_t cookie_at, cookie_end;
static ssize_t cookie_read(void *c, char *to, size_t n) {
  (void)c;
  if (n > cookie_end - cookie_at)
    n = cookie_end - cookie_at;
  memcpy(to, cookie_bytes + cookie_at, n);
  cookie_at += n;
  return (ssize_t)n;
}
static ssize_t cookie_write(void *c, const char *from, size_t n) {
  (void)c;
  if (cookie_at + n > sizeof cookie_bytes)
    return 0;
  memcpy(cookie_bytes + cookie_at, from, n);
  cookie_at += n;
  if (cookie_end < cookie_at)
    cookie_end = cookie_at;
  return (ssize_t)n;
}
static int cookie_seek(void *c, off64_t *to, int whence) {
  (void)c;
  off64_t at = whence == SEEK_SET ? *to : whence == SEEK_CUR ? (off64_t)cookie_at + *to : (off64_t)cookie_end + *to;
  if (at < 0 || at > (off64_t)cookie_end)
    return errno = EINVAL, -1;
  cookie_at = (size_t)at;
  *to = at;
  return 0;
}

/* ---- opening ---- */

static char memory[3000], *grown;
static size_t grown_size;
static char buffer[3000];

static const char *open_stream(void) {
  static const char *const modes[] = {"r", "w", "a", "r+", "w+", "a+"};
  int p[2] = {-1, -1};
  const char *mode = modes[below(6)];
  kind = below(KINDS);
  to_stream = from_stream = -1;
  unread_from = unread_to = 0;
  ended = by_lines = 0;
  f = NULL;
  switch (kind) {
  case FILE_ON_DISK: {
    int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char line[64];
    for (int i = 0; i < 300; i++)
      if (write(fd, line, (size_t)snprintf(line, sizeof line, "line %d of the file\n", i)) < 0)
        break;
    close(fd);
    f = fopen("file", mode);
    break;
  }
  case PIPE_IN:
    mode = "r";
    if (pipe(p))
      return NULL;
    f = fdopen(p[0], mode);
    to_stream = p[1];
    break;
  case PIPE_OUT:
    if (*mode == 'r' || mode[1])
      mode = "w";
    if (pipe(p))
      return NULL;
    fcntl(p[1], F_SETPIPE_SZ, 4096);
    f = fdopen(p[1], mode);
    from_stream = p[0];
    break;
  case SOCKET:
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, p))
      return NULL;
    f = fdopen(p[0], mode);
    to_stream = p[1];
    from_stream = dup(p[1]);
    break;
  case FIFO:
    mode = "r";
    unlink("fifo");
    mkfifo("fifo", 0600);
    to_stream = open("fifo", O_RDWR);
    f = fopen("fifo", mode);
    p[0] = to_stream;
    to_stream = open("fifo", O_WRONLY);
    close(p[0]);
    break;
  case TERMINAL: {
    struct termios raw;
    if (openpty(&p[0], &p[1], NULL, NULL, NULL))
      return NULL;
    tcgetattr(p[1], &raw);
    cfmakeraw(&raw);
    tcsetattr(p[1], TCSANOW, &raw);
    mode = chance(50) ? "r" : "r+";
    f = fdopen(p[1], mode);
    to_stream = p[0];
    break;
  }
  case MEMORY:
    memset(memory, 'm', sizeof memory - 1);
    memory[500] = memory[1500] = '\n';
    memory[sizeof memory - 1] = 0;
    f = fmemopen(memory, sizeof memory, mode);
    break;
  case GROWING:
    mode = "w";
    f = open_memstream(&grown, &grown_size);
    break;
  case COOKIE:
    memset(cookie_bytes, 'c', 2000);
    cookie_bytes[100] = cookie_bytes[1000] = '\n';
    cookie_at = 0;
    cookie_end = 2000;
    f = fopencookie(NULL, mode, (cookie_io_functions_t){cookie_read, cookie_write, cookie_seek, NULL});
    break;
  case NULL_DEVICE:
    f = fopen("/dev/null", mode);
    break;
  case FULL_DEVICE:
    mode = chance(50) ? "w" : "a"; /* read, it has no end */
    f = fopen("/dev/full", mode);
    break;
  default:
    break;
  }
  may_read = *mode == 'r' || mode[1] == '+';
  may_write = *mode != 'r' || mode[1] == '+';
  return mode;
}

/* ---- the calls ---- */

static char room[200000];

static void marks(long r, const void *bytes, size_t n) {
  int e = errno;
  say(" = %ld", r);
  if (bytes)
    say(" %lx", hash_of(bytes, n));
  if (ferror(f) || r < 0)
    say(" %s", e ? strerrorname_np(e) : "0");
  say("%s%s\n", feof(f) ? " end" : "", ferror(f) ? " error" : "");
}

/* Input of n bytes is or will be there: where a peer is waited for, more is sent when it is not. */
static int provide(size_t n) {
  if (!waits_for_peer() || ended)
    return 1;
  if (n > 3000 && kind == TERMINAL)
    return 0;
  if (unread_bytes() < n) {
    size_t more = n - unread_bytes() + below(100);
    if (unread_to + more + 1 > sizeof unread)
      return 0;
    join_sender();
    for (size_t i = 0; i < more; i++)
      unread[unread_to + i] = "abc 123 xyz 42\n"[below(15)];
    unread[unread_to + more] = '\n';
    send_bytes(unread + unread_to, more + 1);
    unread_to += more + 1;
  }
  return 1;
}
static void consumed(size_t n) {
  if (waits_for_peer())
    unread_from += n < unread_bytes() ? n : unread_bytes();
}

static void input(void) {
  size_t n, consumes = 0;
  long r;
  errno = 0;
  switch (below(10)) {
  case 0:
  case 1: {
    size_t size = 1 + below(chance(20) ? 7 : 1);
    n = below(chance(10) ? 9000 : chance(50) ? 300 : 8);
    if (!provide(size * n))
      return;
    say("fread %zu %zu", size, n);
    r = (long)fread(room, size, n, f);
    marks(r, room, (size_t)r * size);
    consumed(ended ? size * n : (size_t)r * size);
    break;
  }
  case 2:
    if (!provide(1))
      return;
    say("fgetc");
    r = fgetc(f);
    marks(r, NULL, 0);
    consumed(r != EOF);
    break;
  case 3:
    if (!provide(1))
      return;
    say("getc_unlocked");
    r = getc_unlocked(f);
    marks(r, NULL, 0);
    consumed(r != EOF);
    break;
  case 4: {
    n = 1 + below(chance(20) ? 5000 : 60);
    if (!provide(n))
      return;
    memset(room, 0, 8);
    say("fgets %zu", n);
    char *s = fgets(room, (int)n, f);
    marks(s ? (long)strlen(s) : -1, s, s ? strlen(s) : 0);
    consumed(s ? strlen(s) : 0);
    break;
  }
  case 5: {
    if (waits_for_peer() && !ended && !unread_has_line())
      provide(unread_bytes() + 1);
    char *line = NULL;
    size_t has = 0;
    if (waits_for_peer() && !ended && !unread_has_line())
      return;
    say("getline");
    r = getline(&line, &has, f);
    marks(r, line, r > 0 ? (size_t)r : 0);
    consumed(r > 0 ? (size_t)r : 0);
    free(line);
    break;
  }
  case 6: { /* the delimiter behind a word is looked at */
    if (waits_for_peer() && !ended)
      return;
    char word[40] = "";
    say("fscanf");
    r = fscanf(f, "%30s%n", word, (int *)&consumes);
    marks(r, word, strlen(word));
    break;
  }
  case 7: {
    if (!provide(1))
      return;
    int c = fgetc(f), times = 1 + (int)below(3);
    consumed(c != EOF);
    say("fgetc %d, ungetc x %d", c, times);
    r = 0;
    for (int i = 0; i < times && c != EOF; i++)
      r = ungetc(chance(60) ? c : 'u', f);
    marks(r, NULL, 0);
    for (int i = 0; i < times && c != EOF; i++)
      say(" %d", fgetc(f));
    say("\n");
    break;
  }
  case 8:
    if (!provide(40))
      return;
    say("fread_unlocked");
    r = (long)fread_unlocked(room, 1, 33, f);
    marks(r, room, (size_t)r);
    consumed((size_t)r);
    break;
  case 9:
    if (!provide(4))
      return;
    say("getw");
    r = getw(f);
    marks(r, NULL, 0);
    consumed(4);
    break;
  }
}

static size_t some_text(void) {
  size_t n = below(chance(10) ? 20000 : chance(40) ? 1500 : 50);
  for (size_t i = 0; i < n; i++)
    room[i] = "the text 0123 goes out\n"[below(23)];
  room[n] = 0;
  return n;
}

static void output(void) {
  size_t n = some_text();
  long r;
  errno = 0;
  switch (below(8)) {
  case 0:
    say("fwrite %zu", n);
    r = (long)fwrite(room, 1, n, f);
    break;
  case 1:
    say("fwrite in threes %zu", n);
    r = (long)fwrite(room, 3, n / 3, f);
    break;
  case 2:
    say("fputs %zu", n);
    r = fputs(room, f) < 0 ? -1 : 0;
    break;
  case 3:
    say("fputc");
    r = fputc(room[0], f);
    break;
  case 4:
    say("putc_unlocked");
    r = putc_unlocked(room[0], f);
    break;
  case 5:
    say("fprintf %zu", n);
    r = fprintf(f, "[%s] %zu\n", room, n);
    break;
  case 6:
    say("fprintf short");
    r = fprintf(f, "%d,", (int)n);
    break;
  default:
    say("putw");
    r = putw((int)n, f);
    break;
  }
  /* How much of what failed is counted depends on where in its buffer the stream stood. */
  if ((by_lines || kind == FULL_DEVICE) && ferror(f) && r >= 0 && (size_t)r <= n)
    r = 0;
  marks(r, NULL, 0);
}

static void about(void) {
  long r = 0;
  errno = 0;
  switch (below(13)) {
  case 0:
  case 1:
    say("fflush");
    r = fflush(f);
    break;
  case 2:
    if (kind == NULL_DEVICE)
      return; /* is always at its beginning, and the C library sometimes asks */
    say("ftell");
    r = ftell(f);
    break;
  case 3: {
    long to = below(3000);
    if (waits_for_peer())
      return;
    say("fseek set %ld", to);
    r = fseek(f, to, SEEK_SET);
    break;
  }
  case 4:
    if (waits_for_peer())
      join_sender();
    say("fseek here");
    r = fseek(f, 0, SEEK_CUR);
    break;
  case 5:
    if (waits_for_peer())
      return;
    say("fseek from the end");
    r = fseek(f, -(long)below(200), SEEK_END);
    break;
  case 6:
    if (waits_for_peer())
      return;
    say("rewind");
    rewind(f);
    break;
  case 7:
    say("clearerr");
    clearerr(f);
    break;
  case 8:
    if (kind == SOCKET || kind == PIPE_OUT)
      return; /* where in its buffer it stood decides how much may stay */
    say("fpending");
    r = may_write ? (long)__fpending(f) : 0;
    break;
  case 9: {
    fpos_t here;
    say("fgetpos, fsetpos");
    r = fgetpos(f, &here);
    if (r == 0)
      r = fsetpos(f, &here);
    break;
  }
  case 10:
    say("fileno, fwide");
    r = (fileno(f) >= 0) + 2 * (fwide(f, 0) > 0);
    break;
  case 11:
    say("flockfile");
    flockfile(f);
    r = ftrylockfile(f);
    if (r == 0)
      funlockfile(f);
    funlockfile(f);
    break;
  case 12:
    say("fflush all");
    r = kind == FULL_DEVICE ? 0 : fflush(NULL);
    break;
  }
  marks(r, NULL, 0);
}

/* POSIX asks for fflush between output and input, and that all was read between input and output. */
enum direction { NEITHER, IN, OUT };
static enum direction last;
static void turn(enum direction next) {
  if (last != NEITHER && last != next) {
    if (last == OUT) {
      errno = 0;
      say("turn: fflush");
      marks(fflush(f), NULL, 0);
    } else if (waits_for_peer()) {
      join_sender();
      while (unread_bytes() > 0) {
        size_t n = unread_bytes() < sizeof room ? unread_bytes() : sizeof room;
        errno = 0;
        say("turn: fread %zu", n);
        long r = (long)fread(room, 1, n, f);
        marks(r, room, (size_t)r);
        if (r == 0)
          break;
        consumed((size_t)r);
      }
    } else {
      say("turn: fseek");
      marks(fseek(f, 0, SEEK_CUR), NULL, 0);
    }
  }
  last = next;
}

static void run(unsigned long seed) {
  state = seed * 2654435761u + 12345;
  for (int i = 0; i < 10; i++)
    below(2);
  const char *mode = open_stream();
  say("--- %lu: %s %s\n", seed, kind_names[kind], mode ? mode : "?");
  if (!f) {
    say("not opened: %s\n", strerrorname_np(errno));
    return;
  }
  switch (kind == MEMORY || kind == GROWING ? 4 : below(5)) {
  case 0:
    setvbuf(f, NULL, _IONBF, 0);
    say("unbuffered\n");
    break;
  case 1:
    by_lines = 1;
    setvbuf(f, NULL, _IOLBF, BUFSIZ);
    say("by lines\n");
    break;
  case 2:
    setvbuf(f, buffer, _IOFBF, 1 + below(sizeof buffer));
    say("a buffer of its own\n");
    break;
  case 3:
    by_lines = 1;
    setvbuf(f, buffer, _IOLBF, 1 + below(sizeof buffer));
    say("by lines, a buffer of its own\n");
    break;
  default:
    break;
  }
  if (from_stream >= 0 && may_write)
    start_taker();
  if (kind == TERMINAL)
    may_write = 0;
  last = NEITHER;
  for (int steps = (int)below(60); steps >= 0; steps--) {
    unsigned what = below(10);
    if (what < 2) {
      about();
    } else if (what < 6 ? may_read : !may_write) {
      if (may_read || chance(5))
        turn(IN), input();
    } else {
      if (may_write || chance(5))
        turn(OUT), output();
    }
    if (!ended && kind != TERMINAL && waits_for_peer() && chance(3)) {
      join_sender();
      shutdown(to_stream, SHUT_WR);
      if (kind != SOCKET)
        close(to_stream), to_stream = -1;
      ended = 1;
      say("the other side ends\n");
    }
  }
  join_sender();
  errno = 0;
  say("fclose");
  int r = fclose(f);
  say(" = %d %s\n", r, r ? strerrorname_np(errno) : "");
  if (kind == SOCKET)
    shutdown(to_stream, SHUT_RDWR);
  join_taker();
  if (to_stream >= 0)
    close(to_stream);
  if (from_stream >= 0)
    close(from_stream);
  if (kind == FILE_ON_DISK) {
    int fd = open("file", O_RDONLY);
    ssize_t n = read(fd, room, sizeof room);
    close(fd);
    say("the file: %zd bytes, %lx\n", n, hash_of(room, n > 0 ? (size_t)n : 0));
  }
  if (kind == GROWING) {
    say("grown to %zu, %lx\n", grown_size, hash_of(grown, grown_size));
    free(grown);
  }
  if (kind == MEMORY)
    say("memory: %lx\n", hash_of(memory, sizeof memory));
}

int main(int argc, char **argv) {
  unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
  log_file = fopen("log", "w");
  setvbuf(log_file, NULL, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
  alarm(300);
#ifdef __CHARCOAL__
  static int stop; /* somebody else is there all the time, or else the plain calls are made */
  ch_activity other;
  activate[&other] {
    while (!stop)
      ch_sleep(1000000);
  }
#endif
  for (unsigned long seed = first; seed < first + count; seed++)
    run(seed);
#ifdef __CHARCOAL__
  stop = 1;
  ch_activity_wait(&other);
#endif
  return fclose(log_file) != 0;
}
