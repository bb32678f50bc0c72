/* Does the same thing many times, in the three ways that many.h describes. */
#include "many.h"

#include <charcoal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

struct work {
  const struct many *what;
  int (*one)(const struct many *, int);
  int right;
  int under_way, most_under_way; /* calls of `one` at a time */
  double frame_bytes;            /* the most that all activities had in frames at a time */
};

/* Atomic for the threads' sake. */
static void do_one(struct work *w, int i) {
  int now = __atomic_add_fetch(&w->under_way, 1, __ATOMIC_RELAXED), most = w->most_under_way;
  while (now > most &&
         !__atomic_compare_exchange_n(&w->most_under_way, &most, now, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  if (w->one(w->what, i))
    __atomic_add_fetch(&w->right, 1, __ATOMIC_RELAXED);
  __atomic_sub_fetch(&w->under_way, 1, __ATOMIC_RELAXED);
}

#ifdef THREADS
#include <pthread.h>

static const char way[] = "threads";
static struct work *shared;
static int next;

static void *worker(void *unused) {
  (void)unused;
  for (int i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < shared->what->n;)
    do_one(shared, i);
  return NULL;
}

static void run(struct work *w) {
  int n = w->what->at_once;
  pthread_t threads[n];
  shared = w;
  for (int i = 0; i < n; i++)
    if (pthread_create(&threads[i], NULL, worker, NULL)) {
      fprintf(stderr, "%s: no more than %d threads can be made\n", w->what->program, i);
      exit(2);
    }
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
}

#else

#ifdef __CHARCOAL__
static const char way[] = "activities";
#else
static const char way[] = "sequential";
#endif

static void note_memory(struct work *w) {
  struct ch_stats now;
  ch_stats(&now);
  double bytes = (double)(now.frame_bytes + now.activity_bytes);
  if (bytes > w->frame_bytes)
    w->frame_bytes = bytes;
}

static void run(struct work *w) {
  int n = w->what->n;
  ch_activity activities[n];
  ch_sem governor = CH_SEM_INIT((unsigned long)w->what->at_once);
  for (int i = 0; i < n; i++)
    activate ch_handle(&activities[i]) ch_copy(i) {
      ch_sem_wait(&governor);
      do_one(w, i);
      ch_sem_post(&governor);
    }
  for (int i = 0; i < n; i++) {
    ch_activity_wait(&activities[i]);
    note_memory(w);
  }
}
#endif

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

/* A figure of /proc/self/status, in kB. */
static long status_kb(const char *name) {
  char line[200];
  long kb = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, name, strlen(name)) == 0)
      sscanf(line + strlen(name), " %ld", &kb);
  if (status)
    fclose(status);
  return kb;
}

int many(const struct many *what, int one(const struct many *, int)) {
  struct work w = {.what = what, .one = one};
  struct rusage used;
  long base = status_kb("VmRSS:");
  int64_t begin = ch_now();
  run(&w);
  double wall = (double)(ch_now() - begin) * 1e-9;
  getrusage(RUSAGE_SELF, &used);
  printf(
      "way=%s n=%d right=%d at_once=%d seconds=%.3f user=%.3f system=%.3f base_kb=%ld peak_kb=%ld frame_bytes=%.0f\n",
      way, what->n, w.right, w.most_under_way, wall, seconds(used.ru_utime), seconds(used.ru_stime), base,
      status_kb("VmHWM:"), w.frame_bytes);
  return w.right == what->n ? 0 : 1;
}

struct many many_arguments(int argc, char **argv) {
  struct many what = {.program = argv[0], .n = 1000};
  struct rlimit files;
  if (argc > 1)
    what.port = atoi(argv[1]);
  if (argc > 2)
    what.n = atoi(argv[2]);
  what.at_once = argc > 3 ? atoi(argv[3]) : what.n;
  if (argc < 2 || argc > 4 || what.port <= 0 || what.n <= 0 || what.at_once <= 0) {
    fprintf(stderr, "usage: %s PORT [N [AT-A-TIME]]\n", argv[0]);
    exit(2);
  }
  if (what.at_once > what.n)
    what.at_once = what.n;
  /* Each connection takes a descriptor or more. */
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return what;
}

int wrong(int i, const char *format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "number %d: %s\n", i, text);
  return 0;
}
