/* Writes traces: see trace.h. Each run of a branch is a continuation of the format. Its parent is the last run of the
 * same branch, which began the wait, or the run that spawned the activity. Atomic blocks are not written, because
 * generated code enters them without a call.
 *
 * Invariants: 1. of one thread, runs are written in the order of their ids and do not overlap: one that waits on the
 * native stack ends there, and is another when it goes on; 2. `branches` has an entry for every live branch of the
 * thread that was born while we trace. */
#define _GNU_SOURCE
#include "report/trace.h"
#include "report/watch.h"
#include "atomicity/atomicity.h"
#include "frames/forks.h"
#include "frames/out_of_memory.h"
#include "frames/runtime_calls.h"
#include "reactor/runtime_descriptors.h"
#include "sched/domain.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *file;
static int slot = -1; /* the slot of its descriptor (reactor/runtime_descriptors.h); -1: nothing is written */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the file */
static double origin;
static uint64_t runs, activities, threads, written;

struct traced_branch {
  struct traced_branch *next;
  const struct ch_branch *branch;
  uint64_t activity, last; /* last: its last run; 0: it has had none */
  const char *site;        /* where the activity was spawned; NULL: unknown */
  bool begun;
};
#define BUCKETS 4096
#define MOST_FRAMES 24 /* how many frames of a run are written at most */

/* What a thread writes about. Behind a pointer, because thread-local memory is scarce. */
static __thread struct writer {
  uint64_t thread, id; /* id: the number of the run; 0: no activity runs */
  uint64_t activity, parent;
  double began;
  uint64_t at[MOST_FRAMES]; /* the locations where the run began and where its callers will go on, innermost first */
  unsigned frames;          /* how many locations; 0: the place is unknown */
  struct traced_branch *branches[BUCKETS]; /* by the branch's address */
} *writer;                                 /* NULL: the thread writes no trace */

/* A place in the source text. In `place_table` of the file, under the lock, by its id. */
struct place {
  const char *file; /* NULL: unknown. Only its first `length` bytes belong to the place */
  const char *function;
  uint32_t length, line;
  uint64_t next; /* the id of the next one in its list; 0: there is none */
};
static struct place *place_table;
static uint64_t places, room, lists[256];

static double now(void) { /* in us */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3 - origin;
}

static struct traced_branch **find(const struct ch_branch *b) {
  struct traced_branch **at = &writer->branches[((uintptr_t)b >> 3) % BUCKETS];
  while (*at && (*at)->branch != b)
    at = &(*at)->next;
  return at;
}

static struct traced_branch *add(const struct ch_branch *b, uint64_t of, uint64_t last) {
  struct traced_branch **at = find(b), *k = malloc(sizeof *k);
  if (!k)
    ch_out_of_memory("the trace");
  *k = (struct traced_branch){*at, b, of, last, NULL, true};
  return *at = k;
}

static void forget(const struct ch_branch *b) {
  struct traced_branch **at = find(b), *k = *at;
  if (k) {
    *at = k->next;
    free(k);
  }
}

/* As JSON has it. */
static void put_text_of(const char *text, size_t length) {
  putc('"', file);
  for (const char *end = text + length; text < end; text++)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text < ' ')
      fprintf(file, "\\u%04x", (unsigned)*text);
    else
      putc(*text, file);
  putc('"', file);
}

static void put_text(const char *text) { put_text_of(text, strlen(text)); }

/* ---- places ---- */

static struct place place_of_site(const char *site) {
  const char *colon = site ? strrchr(site, ':') : NULL;
  if (!colon)
    return (struct place){0};
  return (struct place){site, NULL, (uint32_t)(colon - site), (uint32_t)strtoul(colon + 1, NULL, 10), 0};
}

/* Where the function of a saved frame goes on. */
static struct place place_of_frame(const struct ch_frame *f) {
  const struct ch_frame_info *info = f->info;
  uint32_t line = info->lines && f->point >= 1 && f->point <= info->points ? info->lines[f->point - 1] : 0;
  return (struct place){info->file, info->name, info->file ? (uint32_t)strlen(info->file) : 0, line, 0};
}

static bool is_same(const struct place *a, const struct place *b) {
  return a->line == b->line && a->length == b->length && memcmp(a->file, b->file, a->length) == 0 &&
         (a->function == b->function || (a->function && b->function && strcmp(a->function, b->function) == 0));
}

/* Its id, with a record if it is new; 0: unknown. Under the lock. */
static uint64_t location(const struct place *p, uint32_t column) {
  if (!p->file || !p->length)
    return 0;
  uint64_t *list = &lists[(p->line ^ p->length) % 256];
  for (uint64_t i = *list; i; i = place_table[i - 1].next)
    if (is_same(&place_table[i - 1], p))
      return i;
  if (places == room) {
    uint64_t more = room ? 2 * room : 64;
    struct place *bigger = realloc(place_table, more * sizeof *bigger);
    if (!bigger)
      return 0;
    place_table = bigger;
    room = more;
  }
  char *file_name = strndup(p->file, p->length), *function = p->function ? strdup(p->function) : NULL;
  if (!file_name)
    return 0;
  /* The texts are copies, because their module may be unloaded. */
  place_table[places] = (struct place){file_name, function, p->length, p->line, *list};
  *list = ++places;
  fprintf(file, "{\"type\":\"location\",\"id\":%lu,\"url\":", (unsigned long)places);
  put_text_of(p->file, p->length);
  fprintf(file, ",\"line\":%u,\"column\":%u", p->line, column);
  if (p->function) {
    fputs(",\"function\":", file);
    put_text(p->function);
  }
  fputs("}\n", file);
  return places;
}

/* What the detector has found (atomicity/atomicity.h). */
static uint64_t location_of(const struct ch_access_place *p) {
  struct place to = {p->file, p->function, p->file ? (uint32_t)strlen(p->file) : 0, p->line, 0};
  return location(&to, p->column);
}
static void put_finding(const struct ch_finding_in_words *f, void *unused) {
  (void)unused;
  uint64_t first = location_of(f->first), other = location_of(f->other), second = location_of(f->second);
  uint64_t wait = location_of(f->wait);
  if (!first || !other || !second)
    return;
  fprintf(file, "{\"type\":\"unserialisable\",\"kind\":\"%s\",", f->kind);
  if (f->variable) {
    fputs("\"variable\":", file);
    put_text(f->variable);
    fputs(",", file);
  }
  if (wait)
    fprintf(file, "\"awaits\":[%lu],", (unsigned long)wait);
  fprintf(file, "\"first\":%lu,\"other\":%lu,\"second\":%lu,\"count\":%lu}\n", (unsigned long)first,
          (unsigned long)other, (unsigned long)second, f->count);
}

/* ---- the file ---- */

/* Called with the lock. Says once why the trace is not complete. */
static void tell_of_loss(void) {
  static bool told;
  if (!told)
    fprintf(stderr, "charcoal: a part of the trace CHARCOAL_TRACE is lost: %s; name another file\n", strerror(errno));
  told = true;
}

static ssize_t write_trace(void *unused, const char *text, size_t length) {
  (void)unused;
  for (size_t at = 0; slot >= 0 && at < length;) {
    ssize_t n = ch_runtime_write(ch_runtime_descriptor(slot), text + at, length - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return tell_of_loss(), 0;
    at += (size_t)n;
  }
  return (ssize_t)length;
}
static int close_trace(void *unused) {
  (void)unused;
  ch_close_runtime_descriptor(slot);
  slot = -1;
  return 0;
}

/* The trace belongs to the parent. What another of the parent's threads had in the buffer is not written here, and that
 * thread may have held the lock. */
static void in_child(void) {
  pthread_mutex_init(&lock, NULL);
  ch_watched &= ~CH_WATCH_TRACE;
  file = NULL;
  if (slot >= 0)
    close_trace(NULL);
}
static void at_exit(void) { ch_trace_end("exit"); }

static void open_file(const char *path) {
  slot = ch_add_runtime_descriptor(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (slot >= 0)
    file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_trace, .close = close_trace});
  if (!file) {
    fprintf(stderr, "charcoal: the trace CHARCOAL_TRACE='%s' cannot be written: %s; name another file\n", path,
            strerror(errno));
    exit(CH_EXIT_MISUSE);
  }
  setvbuf(file, NULL, _IOLBF, 1 << 16); /* a program that is killed has written whole lines, too */
  origin = 0;
  origin = now();
  /* A module that is loaded later is not counted on. */
  fprintf(file, "{\"type\":\"charcoal-trace\",\"version\":1,\"source\":\"native\",\"tool\":\"libcharcoal\"%s}\n",
          ch_watched & CH_WATCH_ATOMICITY ? ",\"accesses\":true" : "");
  ch_child_hook(in_child);
  atexit(at_exit);
  ch_watched |= CH_WATCH_TRACE;
}

CH_FORK_LOCK(once, CH_INNER_LOCK)

void ch_trace_start(void) {
  static bool looked;
  pthread_mutex_lock(&once);
  const char *path = looked ? NULL : getenv("CHARCOAL_TRACE");
  looked = true;
  if (path && *path)
    open_file(path);
  pthread_mutex_unlock(&once);
  if (!(ch_watched & CH_WATCH_TRACE) || writer)
    return;
  writer = calloc(1, sizeof *writer);
  if (!writer)
    ch_out_of_memory("the trace");
  pthread_mutex_lock(&lock);
  writer->thread = ++threads;
  if (file)
    fprintf(file, "{\"type\":\"thread\",\"id\":%lu,\"kind\":\"native\",\"name\":\"domain %lu\"}\n",
            (unsigned long)writer->thread, (unsigned long)writer->thread);
  pthread_mutex_unlock(&lock);
}

void ch_trace_end(const char *reason) {
  if (!(ch_watched & CH_WATCH_TRACE) || ch_child_is_unnoticed())
    return;
  ch_trace_run_ends();
  pthread_mutex_lock(&lock);
  if (file) {
    ch_atomicity_findings(put_finding, NULL);
    fprintf(file, "{\"type\":\"end\",\"end\":%.3f,\"reason\":\"%s\",\"continuations\":%lu,\"dropped\":0}\n", now(),
            reason, (unsigned long)written);
    fclose(file);
    file = NULL;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- activities ---- */

void ch_trace_spawned(struct ch_branch *b, const char *site) {
  if (!writer)
    return;
  pthread_mutex_lock(&lock);
  struct traced_branch *k = add(b, ++activities, writer->id);
  k->site = site;
  k->begun = false;
  if (file) {
    fprintf(file, "{\"type\":\"activity-start\",\"id\":%lu,\"thread\":%lu,\"time\":%.3f,\"name\":",
            (unsigned long)k->activity, (unsigned long)writer->thread, now());
    put_text(site ? site : "main");
    if (writer->id)
      fprintf(file, ",\"parent\":%lu", (unsigned long)writer->activity);
    fputs("}\n", file);
  }
  pthread_mutex_unlock(&lock);
}

void ch_trace_activity_ends(struct ch_branch *b) {
  struct traced_branch *k = writer ? *find(b) : NULL;
  if (!k)
    return;
  pthread_mutex_lock(&lock);
  if (file)
    fprintf(file, "{\"type\":\"activity-end\",\"id\":%lu,\"time\":%.3f,\"outcome\":\"returned\"}\n",
            (unsigned long)k->activity, now());
  pthread_mutex_unlock(&lock);
  forget(b);
}

void ch_trace_split(const struct ch_branch *from, struct ch_branch *to) {
  struct traced_branch *k = writer ? *find(from) : NULL;
  if (k)
    add(to, k->activity, writer->id ? writer->id : k->last);
}

void ch_trace_branch_ends(struct ch_branch *b) {
  if (writer)
    forget(b);
}

/* ---- runs ---- */

/* Notes a place of the run that begins. Under the lock: now, for the object with its text may be unloaded in this run.
 */
static void note_place(struct writer *w, struct place p) {
  uint64_t id = location(&p, 0);
  if (id)
    w->at[w->frames++] = id;
}

/* Where the saved functions of the program's own go on; the replacements of library calls stand above them. */
static void note_frames(struct writer *w, const struct ch_branch *b) {
  for (const struct ch_frame *f = b->top; f && !ch_is_chain_end(f) && w->frames < MOST_FRAMES; f = f->parent)
    if (!ch_frame_is_ours(f->info))
      note_place(w, place_of_frame(f));
}

void ch_trace_run_begins(struct ch_branch *b) {
  struct traced_branch *k = writer ? *find(b) : NULL;
  if (!k)
    return;
  writer->id = __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
  writer->activity = k->activity;
  writer->parent = k->last;
  k->last = writer->id;
  writer->frames = 0;
  pthread_mutex_lock(&lock);
  if (file && k->begun)
    note_frames(writer, b);
  else if (file)
    note_place(writer, place_of_site(k->site));
  pthread_mutex_unlock(&lock);
  k->begun = true;
  writer->began = now();
}

static void put_callers(const struct writer *w) {
  for (unsigned i = 1; i < w->frames; i++)
    fprintf(file, "%s%lu", i == 1 ? "\"callers\":[" : ",", (unsigned long)w->at[i]);
  fputs("],", file);
}

void ch_trace_run_ends(void) {
  struct writer *w = writer;
  if (!w || !w->id)
    return;
  double end = now();
  pthread_mutex_lock(&lock);
  if (file) {
    fprintf(file,
            "{\"type\":\"continuation\",\"id\":%lu,\"thread\":%lu,\"kind\":\"activity\",\"activity\":%lu,\"start\":%."
            "3f,\"end\":%.3f,",
            (unsigned long)w->id, (unsigned long)w->thread, (unsigned long)w->activity, w->began, end);
    if (w->frames > 0)
      fprintf(file, "\"at\":%lu,", (unsigned long)w->at[0]);
    if (w->frames > 1)
      put_callers(w);
    if (w->parent)
      fprintf(file, "\"parent\":%lu}\n", (unsigned long)w->parent);
    else
      fprintf(file, "\"parent\":null}\n");
    written++;
  }
  pthread_mutex_unlock(&lock);
  w->id = 0;
}
