/* The findings and their reports. There is one finding for each pair of places and the third place between them. It is
 * reported in full when it is first found, and its count is reported at the end. All domains share the findings, under
 * one lock.
 *
 * Invariant: a finding has copies of its texts, because the module from which they come may be unloaded. */
#define _GNU_SOURCE
#include "activity/activity.h"
#include "atomicity/atomicity.h"
#include "atomicity/watcher.h"
#include "frames/forks.h"
#include "frames/runtime_calls.h"
#include "reactor/runtime_descriptors.h"
#include "report/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct finding {
  struct finding *next;
  enum ch_finding_kind kind;
  struct ch_access_place first, other, second; /* copies, because a module may be unloaded */
  struct ch_access_place wait;                 /* a copy; where the first was set aside when this was first found */
  unsigned long count;
};
static struct finding *findings, **end = &findings;
static unsigned long distinct, times;
CH_FORK_LOCK(lock, CH_INNER_LOCK)

/* ---- places ---- */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool ch_same_place(const struct ch_access_place *a, const struct ch_access_place *b) {
  return a == b || (a->line == b->line && a->column == b->column && same_text(a->file, b->file));
}

/* How often something was inlined into the next. */
static unsigned depth_of(const struct ch_access_place *p) {
  unsigned depth = 0;
  for (; p->inside; p = p->inside)
    depth++;
  return depth;
}
static const struct ch_access_place *outwards(const struct ch_access_place *p, unsigned steps) {
  while (steps-- > 0)
    p = p->inside;
  return p;
}

/* Compares the places in the outermost function in which they differ. */
bool ch_stands_behind(const struct ch_access_place *earlier, const struct ch_access_place *later) {
  unsigned d1 = depth_of(earlier), d2 = depth_of(later);
  for (unsigned d = 0; d <= d1 && d <= d2; d++) {
    const struct ch_access_place *a = outwards(earlier, d1 - d), *b = outwards(later, d2 - d);
    if (!same_text(a->function, b->function) || !same_text(a->file, b->file))
      return true;
    if (a->line != b->line)
      return a->line < b->line;
    if (a->column != b->column)
      return a->column < b->column;
  }
  return false;
}

/* ---- text ---- */

struct text {
  char characters[4096];
  size_t length;
};
__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->characters + t->length, sizeof t->characters - t->length, format, arguments);
  va_end(arguments);
  t->length += n > 0 ? (size_t)n : 0;
  if (t->length >= sizeof t->characters)
    t->length = sizeof t->characters - 1;
}

static void put_place(struct text *t, const struct ch_access_place *p) {
  if (!p->file)
    put(t, "at an unknown place");
  else if (p->column)
    put(t, "at %s:%u:%u", p->file, p->line, p->column);
  else
    put(t, "at %s:%u", p->file, p->line);
  if (p->function)
    put(t, " in %s", p->function);
}

static void write_out(const struct text *t) {
  static int log = -1; /* a slot (reactor/runtime_descriptors.h) */
  static pid_t of;
  int fd = 2;
  if (ch_atomicity_settings.log) {
    if (log < 0 || of != getpid()) {
      struct text name = {.length = 0};
      put(&name, "%s.%d", ch_atomicity_settings.log, (int)(of = getpid()));
      if (log >= 0)
        ch_close_runtime_descriptor(log);
      log = ch_add_runtime_descriptor(open(name.characters, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    }
    fd = log < 0 ? 2 : ch_runtime_descriptor(log);
  }
  for (size_t at = 0; at < t->length;) {
    ssize_t n = ch_runtime_write(fd, t->characters + at, t->length - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    at += (size_t)n;
  }
}

/* ---- who ---- */

static const struct ch_watched *alive(uint32_t id) {
  const struct ch_watcher *h = &ch_watcher;
  for (unsigned i = 0; i < CH_WATCH_BUCKETS; i++)
    for (const struct ch_watched *w = h->watched[i]; w; w = w->next)
      if (w->id == id)
        return w;
  return NULL;
}

static void put_who(struct text *t, uint32_t id) {
  const struct ch_person *p = &ch_watcher.people[id % CH_PEOPLE];
  if (p->id != id) {
    put(t, "branch %u, which has ended,", id);
    return;
  }
  const struct ch_watched *w = alive(id);
  const char *name = w ? ch_branch_name(ch_activity_of((struct ch_branch *)(uintptr_t)w->branch)) : NULL;
  put(t, "activity %u", p->activity);
  if (name)
    put(t, " \"%s\"", name);
  else if (p->site)
    put(t, strchr(p->site, ':') ? " (spawned at %s)" : " (%s)", p->site);
  if (p->activity != id)
    put(t, ", branch %u,", id);
}

/* ---- how it was set aside ---- */

static const struct ch_pause *pause_around(const struct ch_watched *w, uint64_t time) {
  const struct ch_pause *latest = NULL;
  for (unsigned i = 0; i < CH_PAUSES && i < w->set_aside; i++) {
    const struct ch_pause *p = &w->last[(w->set_aside - 1 - i) % CH_PAUSES];
    if (!latest)
      latest = p;
    if (p->from <= time && time <= p->to)
      return p;
  }
  return latest;
}

/* In the program's own code; the file is NULL if that is unknown. */
static struct ch_access_place place_of_pause(const struct ch_pause *p) {
  for (unsigned i = 0; i < 3 && p->frames[i].info; i++) {
    const struct ch_frame_info *info = p->frames[i].info;
    uint32_t point = p->frames[i].point;
    if (!ch_frame_is_ours(info))
      return (struct ch_access_place){
          .file = info->file,
          .function = info->name,
          .line = info->lines && point >= 1 && point <= info->points ? info->lines[point - 1] : 0};
  }
  return (struct ch_access_place){.file = NULL};
}

static void put_pause(struct text *t, const struct ch_pause *p) {
  if (!p->is_wait)
    put(t, "was set aside because %s", strcmp(p->what, "gave way") == 0 ? "it gave way" : p->what);
  else if (strncmp(p->what, "waited", 6) == 0)
    put(t, "%s", p->what);
  else
    put(t, "waited for a %s", p->what);
  if (p->is_native)
    put(t, " in plain code");
  struct ch_access_place at = place_of_pause(p);
  if (!at.file)
    return;
  const char *call = NULL;
  for (unsigned i = 0; ch_frame_is_ours(p->frames[i].info); i++)
    call = p->frames[i].info->name;
  if (call)
    put(t, " in %s", call);
  put(t, " at %s", at.file);
  if (at.line)
    put(t, ":%u", at.line);
}

/* ---- the report ---- */

static const char *const names[CH_FINDINGS] = {
    "lost update",       "stale check", "overwritten value", "value overwritten elsewhere",
    "unrepeatable read", "dirty read",  "half-written pair"};

static void put_remedy(struct text *t, const struct finding *f, const struct ch_pause *p) {
  static const char *const harm[CH_FINDINGS] = {"What was written in between is lost.",
                                                "What was read first no longer held when it was acted upon.",
                                                "What was read is not what had been written.",
                                                "What was read is not what had been written.",
                                                "The second read found something else than the first.",
                                                "What was seen in between was not meant to last.",
                                                "What was read is half old and half new."};
  const struct ch_access_place *a = &f->first, *b = &f->second;
  put(t, "  %s ", harm[f->kind]);
  bool one_piece = a->file && same_text(a->file, b->file) && same_text(a->function, b->function);
  unsigned from = a->line < b->line ? a->line : b->line, to = a->line < b->line ? b->line : a->line;
  char lines[64];
  if (!one_piece)
    snprintf(lines, sizeof lines, "what does both");
  else if (from == to)
    snprintf(lines, sizeof lines, "line %u", from);
  else
    snprintf(lines, sizeof lines, "lines %u - %u", from, to);
  if (!p->is_wait)
    put(t, "Wrap %s in atomic { }.\n", lines);
  else
    put(t, "It waits in between, so atomic { } would not help: hold a lock over %s, or read again after the wait.\n",
        lines);
}

/* What was accessed first. In all kinds but one that is the location of the report itself. */
static void put_first_object(struct text *t, const struct finding *f) {
  if (f->kind != CH_HALF_WRITTEN)
    put(t, "it ");
  else if (f->first.variable)
    put(t, "'%s' ", f->first.variable);
  else
    put(t, "another location ");
}

static void put_report(struct text *t, const struct finding *f, uintptr_t at, const struct ch_touch *other,
                       const struct ch_pause *p) {
  const struct ch_watched *w = ch_watcher.current;
  static const char *const verbs[CH_FINDINGS][3] = {
      {"read", "wrote", "wrote"}, {"read", "wrote", "wrote"}, {"wrote", "wrote", "read"}, {"wrote", "wrote", "read"},
      {"read", "wrote", "read"},  {"wrote", "read", "wrote"}, {"wrote", "read", "wrote"}};
  put(t, "charcoal: %s: ", names[f->kind]);
  const char *name = f->second.variable || f->kind == CH_HALF_WRITTEN ? f->second.variable : f->first.variable;
  if (name)
    put(t, "'%s' (", name);
  put(t, "%u byte%s at 0x%lx%s\n  ", f->second.size, f->second.size == 1 ? "" : "s", (unsigned long)at,
      name ? ")" : "");
  put_who(t, w->id);
  put(t, " %s ", verbs[f->kind][0]);
  put_first_object(t, f);
  put_place(t, &f->first);
  put(t, "\n  then it ");
  put_pause(t, p);
  put(t, "\n  meanwhile ");
  put_who(t, other->who);
  put(t, " %s %s ", verbs[f->kind][1], f->kind == CH_HALF_WRITTEN ? "both" : "it");
  put_place(t, &f->other);
  put(t, "\n  and then the first %s it ", verbs[f->kind][2]);
  put_place(t, &f->second);
  put(t, "\n");
  put_remedy(t, f, p);
}

static struct ch_access_place copy_of(const struct ch_access_place *p) {
  struct ch_access_place copy = *p;
  copy.file = p->file ? strdup(p->file) : NULL;
  copy.function = p->function ? strdup(p->function) : NULL;
  copy.variable = p->variable ? strdup(p->variable) : NULL;
  copy.inside = NULL;
  return copy;
}

static struct finding *known(enum ch_finding_kind kind, const struct ch_access_place *first,
                             const struct ch_access_place *other, const struct ch_access_place *second) {
  for (struct finding *f = findings; f; f = f->next)
    if (f->kind == kind && ch_same_place(&f->second, second) && ch_same_place(&f->first, first) &&
        ch_same_place(&f->other, other))
      return f;
  return NULL;
}

void ch_found(enum ch_finding_kind kind, uintptr_t at, const struct ch_access_place *first,
              const struct ch_touch *other, const struct ch_access_place *second) {
  int saved = errno;
  if (ch_is_suppressed(first) || ch_is_suppressed(other->place) || ch_is_suppressed(second))
    return;
  pthread_mutex_lock(&lock);
  struct finding *f = known(kind, first, other->place, second);
  times++;
  if (f) {
    f->count++;
  } else if ((f = malloc(sizeof *f))) {
    const struct ch_pause *p = pause_around(ch_watcher.current, other->time);
    struct ch_access_place wait = place_of_pause(p);
    *f = (struct finding){NULL, kind, copy_of(first), copy_of(other->place), copy_of(second), copy_of(&wait), 1};
    *end = f;
    end = &f->next;
    struct text t = {.length = 0};
    if (++distinct <= ch_atomicity_settings.reports) {
      put_report(&t, f, at, other, p);
      write_out(&t);
    }
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
}

/* ---- the end ---- */

static void put_short(struct text *t, const struct ch_access_place *p) {
  if (p->file)
    put(t, "%s:%u", p->file, p->line);
  else
    put(t, "?");
}

static void at_exit(int status, void *unused) {
  (void)unused;
  struct text t = {.length = 0};
  if (ch_shadow_refused)
    put(&t, "charcoal: atomicity: %lu pages of memory were not watched; allow more in CHARCOAL_ATOMICITY=memory=MIB\n",
        ch_shadow_refused);
  if (distinct)
    put(&t, "charcoal: atomicity: %lu finding%s, %lu time%s in all\n", distinct, distinct == 1 ? "" : "s", times,
        times == 1 ? "" : "s");
  write_out(&t);
  for (struct finding *f = findings; f; f = f->next) {
    t.length = 0;
    put(&t, "  %lu x %s%s%s%s: ", f->count, names[f->kind], f->second.variable ? " of '" : "",
        f->second.variable ? f->second.variable : "", f->second.variable ? "'" : "");
    put_short(&t, &f->first);
    put(&t, ", ");
    put_short(&t, &f->other);
    put(&t, ", ");
    put_short(&t, &f->second);
    put(&t, "\n");
    write_out(&t);
  }
  if (distinct && status == 0 && ch_atomicity_settings.exit_code) {
    fflush(NULL);
    _exit(ch_atomicity_settings.exit_code);
  }
}

/* Findings before the fork belong to the parent. */
static void in_child(void) {
  findings = NULL;
  end = &findings;
  distinct = times = 0;
}

void ch_findings_start(void) {
  ch_atomicity_read_settings();
  if (ch_atomicity_settings.off)
    return;
  on_exit(at_exit, NULL);
  ch_child_hook(in_child);
}

void ch_atomicity_findings(void (*each)(const struct ch_finding_in_words *, void *), void *data) {
  pthread_mutex_lock(&lock);
  for (struct finding *f = findings; f; f = f->next)
    each(&(struct ch_finding_in_words){names[f->kind], f->second.variable, &f->first, &f->other, &f->second, &f->wait,
                                       f->count},
         data);
  pthread_mutex_unlock(&lock);
}
