/* Counts the captures into frames and native stacks, and reports a function that returns too early. See captures.h. */
#include "frames/captures.h"
#include "frames/notes.h"
#include "report/symbols.h"
#include "sched/domain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ch_checks;

/* Its keys are the activity's branch, and where the pointer points to in the memory: in which piece of 64 bytes. */
enum { BY_BRANCH, BY_PIECE };
struct capture {
  struct ch_note note;
  struct ch_frame *frame; /* NULL: it is on `stack`, or lasts */
  struct ch_stack *stack; /* NULL: the stack is gone */
  bool is_handle;         /* the pointer is that of the activity's handle */
  bool lasts;             /* no return of a function ends the memory, or one has ended it */
  char *ended_by;         /* the function that has ended it; NULL: none has */
  const void *pointer;
  const char *site;
  const void *spawner; /* an address in the function that spawned the activity */
};

static __thread struct ch_notes *captures;

static uintptr_t piece_of(const void *p) { return (uintptr_t)p >> 6; }

static void note(struct ch_branch *b, const void *pointer, bool is_handle, const char *site, const void *spawner) {
  struct ch_frame *f = ch_heap_frame_of(pointer);
  char here;
  const bool on_stack = (const char *)pointer > &here && (const char *)pointer < ch_domain.stack->high;
  const bool lasts = f ? !(f->info->flags & CH_FRAME_HOME) : !on_stack;
  if (lasts && !is_handle)
    return;
  struct capture *c = malloc(sizeof *c);
  if (!c)
    return;
  *c = (struct capture){{.key = {(uintptr_t)b, piece_of(pointer)}},
                        lasts ? NULL : f,
                        ch_domain.stack,
                        is_handle,
                        lasts,
                        NULL,
                        pointer,
                        site,
                        spawner};
  if (!ch_notes_add(&captures, &c->note))
    free(c);
  else if (c->frame)
    f->held++;
}

static const char *named(const char *site) { return site ? site : "an unknown place"; }

/* A handle serves for one activity at a time: at its end the first one would write into the handle of the second. */
static void check_handle(const void *handle, const char *site) {
  for (struct ch_note *n = ch_notes_first(captures, BY_PIECE, piece_of(handle)); n; n = ch_notes_after(n, BY_PIECE)) {
    const struct capture *c = (struct capture *)n;
    if (!c->is_handle || c->pointer != handle)
      continue;
    fflush(stdout);
    fprintf(stderr,
            "charcoal: the activity spawned at %s got the handle of one that was spawned at %s and is alive; give each "
            "activity a handle of its own, or detach the handle first\n",
            named(site), named(c->site));
    fflush(NULL);
    _exit(CH_EXIT_MISUSE);
  }
}

void ch_captures_spawned(struct ch_branch *b, size_t size, const char *site, const void *spawner) {
  char *record = ch_branch_record(b);
  for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
    const void *p;
    memcpy(&p, record + at, sizeof p);
    note(b, p, false, site, spawner);
  }
  const void *handle = b->flags & CH_LONG ? ch_branch_prefix(b)->handle : NULL;
  if (handle) {
    check_handle(handle, site);
    note(b, handle, true, site, spawner);
  }
}

static void forget(struct ch_branch *b, const void *pointer) {
  for (struct ch_note *n = ch_notes_first(captures, BY_BRANCH, (uintptr_t)b), *next; n; n = next) {
    struct capture *c = (struct capture *)n;
    next = ch_notes_after(n, BY_BRANCH);
    if (pointer && c->pointer != pointer)
      continue;
    if (c->frame)
      c->frame->held--;
    ch_notes_take_out(&captures, n);
    free(c->ended_by);
    free(c);
  }
}
void ch_captures_activity_ends(struct ch_branch *b) { forget(b, NULL); }
void ch_captures_forget(struct ch_branch *b, const void *pointer) { forget(b, pointer); }

static _Noreturn void report(const struct capture *c, const char *where) {
  fflush(stdout);
  fprintf(stderr,
          "charcoal: %s returned while an activity that knows the address of one of its locals is alive\n"
          "charcoal: the activity was spawned at %s; give it a copy, or wait for its end before returning "
          "(a message from it is not its end)\n",
          where, named(c->site));
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* It returned some time ago, from where nobody knows. */
CH_COLD static _Noreturn void report_spawner(const struct capture *c) {
  struct ch_place place;
  bool known = ch_place_of((const char *)c->spawner - 1, &place) && place.function[0];
  char where[160];
  snprintf(where, sizeof where, "%s, or a function inlined into it,", place.function);
  report(c, known ? where : "a plain function");
}

static bool waits(const struct capture *c) {
  const struct ch_branch *b = (struct ch_branch *)c->note.key[BY_BRANCH];
  return b->state == CH_WAITING || b->state == CH_SELECTING;
}

/* The function has returned. An activity that has been made ready may be about to return, too, and may not need the
 * local any more: then it ends without another wait. */
static void local_is_gone(struct capture *c, const char *where) {
  const struct ch_branch *b = (struct ch_branch *)c->note.key[BY_BRANCH];
  char *kept = b->state == CH_READY && !c->is_handle ? strdup(where) : NULL;
  if (!kept)
    report(c, where);
  if (c->frame)
    c->frame->held--;
  c->frame = NULL;
  c->lasts = true;
  c->ended_by = kept;
  ch_domain.escaped = 1;
}

static void look(struct ch_note *n, void *data) {
  (void)data;
  const struct capture *c = (struct capture *)n;
  if (!c->ended_by)
    return;
  if (waits(c))
    report(c, c->ended_by);
  ch_domain.escaped = 1;
}
void ch_captures_look(void) {
  ch_domain.escaped = 0;
  ch_notes_visit(captures, look, NULL);
}

struct local {
  const char *begin, *end, *where;
};
static void local_ends(struct ch_note *n, void *data) {
  struct capture *c = (struct capture *)n;
  const struct local *l = data;
  if ((const char *)c->pointer >= l->begin && (const char *)c->pointer < l->end && !c->ended_by)
    local_is_gone(c, l->where);
}
void ch_captures_local_ends(const void *local, size_t size, const char *where) {
  struct local l = {local, (const char *)local + size, where};
  uintptr_t first = piece_of(l.begin), end = piece_of(l.end) + 1;
  if (end - first > ch_notes_count(captures)) { /* also where there is no capture at all */
    ch_notes_visit(captures, local_ends, &l);
    return;
  }
  for (uintptr_t piece = first; piece < end; piece++)
    for (struct ch_note *n = ch_notes_first(captures, BY_PIECE, piece); n; n = ch_notes_after(n, BY_PIECE))
      local_ends(n, &l);
}

void ch_captures_before_run(struct ch_branch *b) {
  ch_domain.stack->in_use = __builtin_frame_address(0);
  for (struct ch_note *n = ch_notes_first(captures, BY_BRANCH, (uintptr_t)b); n; n = ch_notes_after(n, BY_BRANCH)) {
    const struct capture *c = (struct capture *)n;
    if (!c->frame && !c->lasts && (!c->stack || (const char *)c->pointer < c->stack->in_use))
      report_spawner(c);
  }
}

static void stack_ends(struct ch_note *n, void *stack) {
  struct capture *c = (struct capture *)n;
  if (c->stack == stack)
    c->stack = NULL;
}
void ch_captures_stack_ends(const struct ch_stack *s) { ch_notes_visit(captures, stack_ends, (void *)s); }

/* With main the program ends, so its activities run no more and use no variable of main's. */
static bool is_end_of_program(const struct ch_frame_info *info) {
  return ch_domain.is_program && ch_domain.current == ch_domain.first && info->name && strcmp(info->name, "main") == 0;
}

static void frame_ends(struct ch_note *n, void *frame) {
  struct capture *c = (struct capture *)n;
  const struct ch_frame *f = frame;
  if (c->frame != f)
    return;
  const struct ch_frame_info *info = f->info;
  if (is_end_of_program(info)) {
    c->frame->held--;
    c->frame = NULL;
    c->lasts = true;
    return;
  }
  char where[512];
  uint32_t line = info->lines && f->point ? info->lines[f->point - 1] : 0;
  snprintf(where, sizeof where, info->file && line ? "%s (%s, after line %u)" : "%s",
           info->name ? info->name : "a function", info->file, line);
  local_is_gone(c, where);
}
void ch_captures_frame_ends(struct ch_frame *f) { ch_notes_visit(captures, frame_ends, f); }
