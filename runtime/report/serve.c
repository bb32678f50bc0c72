/* Reports of a running program. With CHARCOAL_STATS=SECONDS it prints a line on standard error each so many seconds.
 * With CHARCOAL_DEBUG=PATH or PORT a Unix socket, or a port of the loopback interface, answers HTTP's GET for /dump,
 * /dump.json, /stats and /profile.
 *
 * A thread does this, and not an activity. So it does not keep the program alive, it does not count as somebody who
 * could end a wait, and it answers even if a domain does not return to its loop. Dumps are made on the threads of the
 * domains, by a signal, one after the other; a domain that blocks the signal for more than two seconds is left out. */
#define _GNU_SOURCE
#include "charcoal.h"
#include "frames/runtime_calls.h"
#include "frames/forks.h"
#include "frames/settings.h"
#include "reactor/runtime_descriptors.h"
#include "report/debug.h"
#include "report/report.h"
#include "report/times.h"
#include "report/writer.h"
#include "sched/external_wakers.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int slot = -1; /* the slot of the socket that listens (runtime_descriptors.h) */
/* The socket in the file system: absolute, and its file, because the program may change its folder or its root. */
static char *path;
static struct stat made;
static int64_t interval, began;

/* ---- numbers ---- */

struct sums {
  unsigned domains;
  uint64_t activities, spawned, switches, branches;
  uint64_t run[CH_BUCKETS], wait[CH_BUCKETS], ready[CH_BUCKETS];
  struct ch_writer *each; /* where what belongs to one domain is written, or NULL */
};

static void put_value(struct ch_writer *w, const char *name, uint64_t n) {
  ch_put(w, name);
  ch_put_number(w, n);
}

static void add(struct ch_debug *d, void *data) {
  struct sums *s = data;
  const struct ch_domain *of = d->domain;
  uint64_t live = __atomic_load_n(&of->live, __ATOMIC_RELAXED),
           spawned = __atomic_load_n(&of->spawned, __ATOMIC_RELAXED),
           switches = __atomic_load_n(&of->switches, __ATOMIC_RELAXED) + __atomic_load_n(&of->turns, __ATOMIC_RELAXED),
           branches = __atomic_load_n(&of->branches, __ATOMIC_RELAXED);
  struct ch_timing *t = *d->timing;
  if (s->each) {
    put_value(s->each, "domain ", s->domains);
    put_value(s->each, ": activities=", live);
    put_value(s->each, " spawned=", spawned);
    put_value(s->each, " switches=", switches);
    put_value(s->each, " branches=", branches);
    ch_put(s->each, "\n");
  }
  s->domains++;
  s->activities += live;
  s->spawned += spawned;
  s->switches += switches;
  s->branches += branches;
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  for (unsigned i = 0; i < CH_BUCKETS; i++) {
    s->run[i] += t->run[i];
    s->wait[i] += t->wait[i];
    s->ready[i] += t->ready[i];
  }
  pthread_mutex_unlock(&t->lock);
}

/* The time that so many of a hundred did not reach, since `before`. */
static void put_percentile(struct ch_writer *w, const char *name, const uint64_t *now, const uint64_t *before,
                           unsigned percent) {
  uint64_t all = 0, seen = 0;
  for (unsigned i = 0; i < CH_BUCKETS; i++)
    all += now[i] - before[i];
  if (all == 0)
    return;
  unsigned i = 0;
  for (; i < CH_BUCKETS - 1; i++)
    if ((seen += now[i] - before[i]) * 100 >= all * percent)
      break;
  ch_put(w, name);
  ch_put_time(w, ((int64_t)1 << i) * 1000);
}

static void put_sums(struct ch_writer *w, const struct sums *s, const struct sums *before) {
  put_value(w, "charcoal: ", (uint64_t)(ch_times_now() - began) / 1000000);
  put_value(w, " ms: domains=", s->domains);
  put_value(w, " activities=", s->activities);
  put_value(w, " spawned=", s->spawned);
  put_value(w, " switches=", s->switches);
  put_value(w, " branches=", s->branches);
  put_percentile(w, " run: 99% < ", s->run, before->run, 99);
  put_percentile(w, " ready: 50% < ", s->ready, before->ready, 50);
  put_percentile(w, ", 99% < ", s->ready, before->ready, 99);
  put_percentile(w, " wait: 50% < ", s->wait, before->wait, 50);
  ch_put(w, "\n");
}

static void put_histogram(struct ch_writer *w, const char *name, const uint64_t *buckets) {
  for (unsigned i = 0; i < CH_BUCKETS; i++)
    if (buckets[i]) {
      ch_put(w, name);
      ch_put(w, i == CH_BUCKETS - 1 ? " longer" : " < ");
      if (i < CH_BUCKETS - 1)
        ch_put_time(w, ((int64_t)1 << i) * 1000);
      put_value(w, ": ", buckets[i]);
      ch_put(w, "\n");
    }
}

static void put_stats(int fd) {
  struct ch_writer w = CH_WRITER(fd);
  struct sums now = {.each = &w}, none = {0};
  ch_debug_visit(add, &now);
  put_sums(&w, &now, &none);
  put_histogram(&w, "run", now.run);
  put_histogram(&w, "ready", now.ready);
  put_histogram(&w, "wait", now.wait);
  ch_put_end(&w);
}

/* ---- dumps ---- */

#define SIGNAL (SIGRTMAX - 3)
static struct {
  int fd;
  unsigned format;
  sem_t done;
  struct ch_domain *asked; /* NULL: it answers, or has been given up, so that it writes nothing if it comes late */
} request;

/* A signal may come late, when another domain has been asked. Whoever is the first to take the request from the domain
 * has it. */
static bool take_request(struct ch_domain *from) {
  return __atomic_compare_exchange_n(&request.asked, &from, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void on_request(int signal) {
  (void)signal;
  int saved = errno;
  if (take_request(&ch_domain)) {
    ch_dump_as(request.fd, request.format);
    sem_post(&request.done);
  }
  errno = saved;
}

static void ask(struct ch_debug *d, void *unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 2;
  __atomic_store_n(&request.asked, d->domain, __ATOMIC_RELEASE);
  if (pthread_kill(d->thread, SIGNAL) != 0)
    return;
  int error;
  while ((error = sem_clockwait(&request.done, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR)
    ;
  if (error && !take_request(d->domain))
    while (sem_wait(&request.done) != 0) /* the domain has begun to answer, and will soon be ready */
      ;
}

static void put_dump(int fd, unsigned format) {
  request.fd = fd;
  request.format = format;
  ch_debug_visit(ask, NULL);
}

/* ---- answers ---- */

static void put_text(int fd, const char *text) {
  struct ch_writer w = CH_WRITER(fd);
  ch_put(&w, text);
  ch_put_end(&w);
}

static bool put_bytes(int fd, const char *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t n = ch_runtime_send(fd, bytes + at, size - at, MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK)
      n = ch_runtime_write(fd, bytes + at, size - at);
    if (n <= 0)
      return false;
    at += (size_t)n;
  }
  return true;
}

static void put_profile(int fd) {
  size_t size;
  char *profile = ch_profile(&size);
  if (profile)
    put_bytes(fd, profile, size);
  free(profile);
}

#define TIMEOUT 5 /* seconds that a client gets for its request, and for each part of the answer that it takes */

static int milliseconds_until(int64_t time) {
  int64_t left = time - ch_times_now();
  return left <= 0 ? 0 : (int)((left + 999999) / 1000000);
}

/* Reads a whole request, of which `line` gets the beginning. If a part were left unread, closing the connection would
 * reset it, and the client might lose the answer. */
static void read_request(int fd, char *line, size_t room) {
  int64_t end = ch_times_now() + TIMEOUT * INT64_C(1000000000);
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  char block[512];
  size_t used = 0;
  for (int ends = 0; ends < 2 && poll(&readable, 1, milliseconds_until(end)) > 0;) {
    ssize_t n = read(fd, block, sizeof block);
    if (n <= 0)
      break;
    for (ssize_t i = 0; i < n; i++) {
      if (used < room - 1)
        line[used++] = block[i];
      if (block[i] != '\r')
        ends = block[i] == '\n' ? ends + 1 : 0; /* of lines */
    }
  }
  line[used] = 0;
}

/* Writes the whole answer. */
static void put_answer(int fd, const char *asked) {
  char what[32] = "";
  if (sscanf(asked, "GET %31s", what) != 1)
    return put_text(fd, "HTTP/1.0 405 Method Not Allowed\r\n\r\n");
  static const char ok[] = "HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n";
  if (strcmp(what, "/dump") == 0) {
    put_text(fd, ok);
    put_dump(fd, CH_DUMP_TEXT);
  } else if (strcmp(what, "/dump.json") == 0) {
    put_text(fd, "HTTP/1.0 200 OK\r\nContent-Type: application/jsonl\r\n\r\n");
    put_dump(fd, CH_DUMP_JSON);
  } else if (strcmp(what, "/stats") == 0) {
    put_text(fd, ok);
    put_stats(fd);
  } else if (strcmp(what, "/profile") == 0) {
    put_text(fd, "HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n");
    put_profile(fd);
  } else {
    put_text(fd, "HTTP/1.0 404 Not Found\r\nContent-Type: text/plain\r\n\r\nThere are /dump, /dump.json, /stats and "
                 "/profile.\n");
  }
}

/* The answer is written to memory first. A client that takes nothing would keep the domain that makes a dump from its
 * activities, and those that begin or end during a visit from that. Without a descriptor for the memory it is written
 * to the client at once. */
static void answer(int client) {
  char asked[128], block[4096];
  ssize_t n;
  struct timeval timeout = {.tv_sec = TIMEOUT};
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  read_request(client, asked, sizeof asked);
  const int memory = ch_add_runtime_descriptor(memfd_create("charcoal", MFD_CLOEXEC));
  put_answer(memory < 0 ? client : ch_runtime_descriptor(memory), asked);
  for (off_t at = 0; memory >= 0 && (n = pread(ch_runtime_descriptor(memory), block, sizeof block, at)) > 0; at += n)
    if (!put_bytes(client, block, (size_t)n))
      break;
  if (memory >= 0)
    ch_close_runtime_descriptor(memory);
}

/* Without a free descriptor the connection stays in the kernel's queue, and is accepted later. */
static void serve(int listening) {
  int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  int own = ch_add_runtime_descriptor(fd);
  if (own >= 0) {
    answer(ch_runtime_descriptor(own));
    shutdown(ch_runtime_descriptor(own), SHUT_WR); /* a child of fork may have the connection, too */
    ch_close_runtime_descriptor(own);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    poll(NULL, 0, 100);
  }
}

static void *work(void *unused) {
  static struct sums before, now;
  for (int64_t next = began + interval;;) {
    struct pollfd listening = {.fd = slot >= 0 ? ch_runtime_descriptor(slot) : -1, .events = POLLIN};
    poll(&listening, 1, interval ? milliseconds_until(next) : -1);
    if (listening.revents & POLLIN)
      serve(listening.fd);
    if (interval && ch_times_now() >= next) {
      struct ch_writer w = CH_WRITER(2);
      now = (struct sums){0};
      ch_debug_visit(add, &now);
      put_sums(&w, &now, &before);
      ch_put_end(&w);
      before = now;
      next = ch_times_now() + interval;
    }
  }
  return unused;
}

/* ---- begin ---- */

static void listen_no_more(void) {
  path = NULL;
  if (slot >= 0)
    ch_close_runtime_descriptor(slot);
  slot = -1;
}
static void remove_socket(void) {
  struct stat is;
  if (path && !ch_child_is_unnoticed() && lstat(path, &is) == 0 && is.st_dev == made.st_dev && is.st_ino == made.st_ino)
    unlink(path);
}

/* A socket that a program has left that was killed: nobody listens there. */
static void remove_left(const struct sockaddr_un *local) {
  struct stat is;
  int fd =
      stat(local->sun_path, &is) == 0 && S_ISSOCK(is.st_mode) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  if (fd < 0)
    return;
  if (connect(fd, (const struct sockaddr *)local, sizeof *local) < 0 && errno == ECONNREFUSED)
    unlink(local->sun_path);
  close(fd);
}

static int listen_at(const char *where) {
  const bool is_port = strspn(where, "0123456789") == strlen(where);
  const long port = is_port ? strtol(where, NULL, 10) : 0;
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  struct sockaddr_in loopback = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (is_port && (port < 1 || port > 65535))
    return errno = ERANGE, -1;
  if (!is_port && strlen(where) >= sizeof local.sun_path)
    return errno = ENAMETOOLONG, -1;
  int fd = socket(is_port ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  strncpy(local.sun_path, where, sizeof local.sun_path - 1);
  if (is_port) /* connections of an earlier run, which the kernel still remembers, do not matter */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  else
    remove_left(&local);
  int error = is_port ? bind(fd, (struct sockaddr *)&loopback, sizeof loopback)
                      : (fchmod(fd, 0600), bind(fd, (struct sockaddr *)&local, sizeof local));
  if (error == 0 && !is_port) { /* only this user may connect */
    chmod(where, 0600);
    path = realpath(where, NULL);
    if (path && lstat(path, &made) == 0)
      atexit(remove_socket);
  }
  if (error || listen(fd, 8) != 0) {
    int saved = errno;
    close(fd);
    return errno = saved, -1;
  }
  /* A child has no thread that answers, and its listening socket would keep the parent's next run from the port. */
  ch_child_hook(listen_no_more);
  return ch_add_runtime_descriptor(fd);
}

void ch_serve_start(void) {
  const char *stats = getenv("CHARCOAL_STATS"), *where = getenv("CHARCOAL_DEBUG");
  if (stats && *stats && strcmp(stats, "0") != 0) {
    char *end;
    double seconds = strtod(stats, &end);
    if (*end || !(seconds >= 0.001 && seconds <= 1e6))
      ch_setting_is_ignored("CHARCOAL_STATS", stats, "it takes a number of seconds, such as 1 or 0.5");
    else
      interval = (int64_t)(seconds * 1e9);
  }
  if (where && *where && strcmp(where, "0") != 0 && (slot = listen_at(where)) < 0)
    ch_setting_is_ignored("CHARCOAL_DEBUG", where, errno == ERANGE ? "ports go from 1 to 65535" : strerror(errno));
  if (!interval && slot < 0)
    return;
  began = ch_times_now();
  sem_init(&request.done, 0, 0);
  ch_add_runtime_handler(on_request);
  sigaction(SIGNAL, &(struct sigaction){.sa_handler = on_request, .sa_flags = SA_RESTART}, NULL);
  sigset_t all, old;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(&thread, NULL, work, NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error) {
    ch_setting_is_ignored("CHARCOAL_STATS or CHARCOAL_DEBUG", where ? where : stats, strerror(error));
    remove_socket(); /* who connects is to learn at once that nobody answers */
    listen_no_more();
    return;
  }
  pthread_detach(thread);
  ch_count_runtime_thread(+1);
}
